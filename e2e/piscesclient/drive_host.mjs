// Has a turn with the client that @mariozechner/pi-coding-agent publishes, as it is, on a session that another client
// joins and interrupts. It prints the id of the session when the turn is under way, and how the turn ended.
import { join } from "node:path";
import { RpcClient } from "@mariozechner/pi-coding-agent";
import { says, until } from "./steps.mjs";

const client = new RpcClient({ cliPath: join(import.meta.dirname, "shim.mjs"), cwd: process.env.WORK, env: process.env });
await client.start();
const end = client.collectEvents();
const begun = until(client, says("The first ste"));
await client.prompt("Tell all");
await begun;
console.log(`session ${(await client.getState()).sessionId}`);
console.log(`ended ${(await end).at(-1).messages.at(-1).stopReason}`);
await client.stop();

// Sends a prompt with RpcClient of @mariozechner/pi-coding-agent, unmodified, and ends after the run:
// node client.mjs SERVER PROMPT. RpcClient starts its agent with node, so that agent.mjs starts SERVER.
import { RpcClient } from "@mariozechner/pi-coding-agent";
import { fileURLToPath } from "node:url";

const [server, prompt] = process.argv.slice(2);
const client = new RpcClient({
	cliPath: fileURLToPath(new URL("agent.mjs", import.meta.url)),
	env: { CONFORM_SERVER: server },
});
await client.start();
try {
	await client.promptAndWait(prompt);
} finally {
	await client.stop();
}

// Drives a server with the client that @earendil-works/pi-coding-agent 1.x publishes, as it is.
// It is imported by its path: the package's own entry loads all of the program.
import assert from "node:assert/strict";
import { RpcClient } from "./node_modules/@earendil-works/pi-coding-agent/dist/modes/rpc/rpc-client.js";
import { shared } from "./newer.mjs";
import { playAll, says, until } from "./steps.mjs";

await playAll(RpcClient, [
	...shared,
	{
		name: "disposition",
		script: `text The first ste\nhang`,
		async run(client) {
			const begun = until(client, says("The first ste"));
			const idle = client.waitForIdle();
			assert.equal(await client.prompt("Tell all"), "started");
			await begun;
			assert.equal(await client.prompt("And more", undefined, "followUp"), "queued");
			assert.equal(await client.steer("Shorter"), "queued");
			assert.equal(await client.followUp("Then rest"), "queued");
			assert.deepEqual(await client.clearQueue(), { steering: ["Shorter"], followUp: ["And more", "Then rest"] });
			await client.abort();
			await idle;
		},
	},
]);

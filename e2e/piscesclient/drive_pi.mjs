// Drives a server with the client that @mariozechner/pi-coding-agent publishes, as it is:
// a few steps, and the commands that only this client has. See drive.ts.
import assert from "node:assert/strict";
import { RpcClient } from "@mariozechner/pi-coding-agent";
import { asked, brief, outline, pair, playAll, ran, said, says, until, withoutTools } from "./steps.mjs";
import { names } from "./target.mjs";

/** core leaves out what the original does not send, and what is not of the agent. */
const core = lines => withoutTools(lines).filter(line => /^(agent|turn|message|tool_execution)_/.test(line) && line !== "agent_settled");

await playAll(RpcClient, [
	{
		name: "prompt",
		script: `call bash {"command":"echo x"}\nnext\ntext Hello, \ntext Ana.`,
		async run(client) {
			const events = await client.promptAndWait("Greet me");
			assert.deepEqual(core(outline(events)), [
				"agent_start", "turn_start", ...pair("user"), ...asked(1), ...ran("bash"), "turn_end",
				"turn_start", ...said, "turn_end", "agent_end",
			]);
			assert.equal(await client.getLastAssistantText(), "Hello, Ana.");
			const state = await client.getState();
			assert.equal(state.model.id, names.model);
			assert.equal(state.isStreaming, false);
			assert.equal(state.messageCount, 4);
			assert.equal(state.pendingMessageCount, 0);
		},
	},
	{
		name: "abort",
		script: `text The first ste\nhang`,
		async run(client) {
			const end = client.collectEvents();
			const begun = until(client, says("The first ste"));
			await client.prompt("Tell all");
			await begun;
			await client.abort();
			assert.equal((await end).at(-1).messages.at(-1).stopReason, "aborted");
		},
	},
	{
		name: "bash",
		async run(client) {
			const result = await client.bash("echo hello; exit 2");
			assert.equal(result.output, "hello\n");
			assert.equal(result.exitCode, 2);
		},
	},
	{
		name: "fork",
		script: `text Planned.\nnext\ntext Written.`,
		async run(client) {
			await client.promptAndWait("Plan it");
			await client.promptAndWait("Write it");
			const before = await client.getState();
			const points = await client.getForkMessages();
			assert.deepEqual(points.map(p => p.text), ["Plan it", "Write it"]);
			assert.deepEqual(await client.fork(points[1].entryId), { text: "Write it", cancelled: false });
			assert.deepEqual(brief(await client.getMessages()), ["user: Plan it", "assistant: Planned."]);
			await client.switchSession(before.sessionFile);
			assert.equal((await client.getState()).messageCount, 4);
			assert.deepEqual(await client.clone(), { cancelled: false });
			const copy = await client.getState();
			assert.equal(copy.messageCount, 4);
			assert.notEqual(copy.sessionId, before.sessionId);
		},
	},
	{
		name: "name",
		script: `text Hello.`,
		async run(client) {
			await client.promptAndWait("Greet me");
			await client.setSessionName("Greetings");
			assert.equal((await client.getState()).sessionName, "Greetings");
			assert.ok(Array.isArray(await client.getCommands()));
		},
	},
]);

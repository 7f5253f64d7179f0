// Steps that the clients of pi 1.x and omp 18 share: what they wait for, and commands of their own.
import assert from "node:assert/strict";
import { brief, outline, pair, paused, said, says, until } from "./steps.mjs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasoning } from "./target.mjs";

const ended = ["agent_start", "turn_start", ...pair("user"), ...said, "turn_end", "agent_end"];

/** core leaves out what only one of the clients hands on. */
export const core = lines => lines.filter(line => /^(agent|turn|message|tool_execution)_/.test(line) && line !== "agent_settled");

export const shared = [
	{
		name: "prompt",
		script: `text Hello, Ana.`,
		async run(client) {
			assert.deepEqual(core(outline(await client.promptAndWait("Greet me"))), ended);
			assert.equal(await client.getLastAssistantText(), "Hello, Ana.");
			assert.equal((await client.getState()).isSettled, true);
		},
	},
	{
		name: "retry",
		script: `fail overloaded status=503 overloaded\nnext\ntext Recovered.`,
		async run(client) {
			const lines = core(outline(await client.promptAndWait("Try")));
			assert.deepEqual(lines.filter(line => line.startsWith("agent_")), ["agent_start", "agent_end", "agent_start", "agent_end"]);
			assert.equal(await client.getLastAssistantText(), "Recovered.");
		},
	},
	{
		name: "error",
		script: `fail rejected status=400 no such thing`,
		async run(client) {
			await client.promptAndWait("Try");
			const messages = await client.getMessages();
			assert.equal(messages.at(-1).stopReason, "error");
		},
	},
	{
		name: "queue",
		script: `call bash ${paused}\nnext\ntext First.\nnext\ntext Second.`,
		async run(client, here) {
			const begun = until(client, says("started"));
			const whole = client.promptAndWait("One");
			await begun;
			await client.followUp("Two");
			writeFileSync(join(here.work, "go"), "");
			await whole;
			assert.deepEqual(brief(await client.getMessages()).filter(line => !line.startsWith("toolResult")), [
				"user: One", "assistant: ", "assistant: First.", "user: Two", "assistant: Second.",
			]);
		},
	},
	{
		name: "entries",
		script: `text Hello.`,
		async run(client) {
			await client.promptAndWait("Greet me");
			const all = await client.getEntries();
			const messages = all.entries.filter(e => e.type === "message");
			assert.deepEqual(messages.map(e => e.message.role), ["user", "assistant"]);
			assert.equal(all.leafId, all.entries.at(-1).id);
			const rest = await client.getEntries(messages[0].id);
			assert.deepEqual(rest.entries, all.entries.slice(all.entries.indexOf(messages[0]) + 1));
			await assert.rejects(client.getEntries("ghost"), { message: "Entry not found: ghost" });
			const { tree, leafId } = await client.getTree();
			assert.equal(leafId, all.leafId);
			let depth = 0;
			for (let node = tree[0]; node; node = node.children[0]) depth++;
			assert.equal(depth, all.entries.length);
		},
	},
	{
		name: "levels",
		options: reasoning,
		async run(client) {
			const levels = await client.getAvailableThinkingLevels();
			assert.equal(levels[0], "off");
			assert.ok(levels.includes("high"));
		},
	},
];

// Drives a server with the client that @oh-my-pi/pi-coding-agent publishes, as it is. Each
// step prints a line; the exit code is 0 when all went well. Arguments choose steps.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RpcClient } from "@oh-my-pi/pi-coding-agent/modes/rpc/rpc-client";
import { asked, brief, endless, grew, outline, pair, paused, playAll, ran, said, says, textOf, until, withoutTools } from "./steps.mjs";
import { names, original, reasoning } from "./target.mjs";

type Place = { work: string };
type Step = { name: string; script?: string; options?: object; run: (client: RpcClient, here: Place) => Promise<void> };

const go = (here: Place) => writeFileSync(join(here.work, "go"), "");
const last = (events: any[]) => events.at(-1);
const skipped = "Skipped due to queued user message.";

const steps: Step[] = [
	{
		name: "prompt",
		script: `think Greet.\ntext Hello, \ntext Ana.\nusage in=100 out=20`,
		async run(client) {
			const events: any[] = await client.promptAndWait("Greet me");
			assert.deepEqual(outline(events), [
				"agent_start", "turn_start", ...pair("user"),
				"message_start assistant", "message_update assistant thinking", "message_update assistant text", "message_end assistant",
				"turn_end", "agent_end",
			]);
			grew(events);
			const [user, assistant] = last(events).messages;
			assert.equal(last(events).messages.length, 2);
			assert.deepEqual(user.content, [{ type: "text", text: "Greet me" }]);
			assert.equal(assistant.stopReason, "stop");
			assert.equal(assistant.provider, names.provider);
			assert.equal(assistant.model, names.model);
			assert.deepEqual(assistant.content.map((c: any) => c.thinking ?? c.text), ["Greet.", "Hello, Ana."]);
			assert.equal(assistant.usage.input, 100);
			assert.equal(assistant.usage.output, 20);
			assert.equal(await client.getLastAssistantText(), "Hello, Ana.");
		},
	},
	{
		name: "image",
		script: `text A dot.`,
		async run(client) {
			const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
			const events: any[] = await client.promptAndWait("What is it?", [{ type: "image", data, mimeType: "image/png" }]);
			const user = last(events).messages[0];
			assert.deepEqual(user.content.map((c: any) => c.type), ["text", "image"]);
			assert.equal(user.content[1].mimeType, "image/png");
		},
	},
	{
		name: "tool",
		script: `call bash {"command":"echo one; exit 3"}\ncall write {"path":"note.txt","content":"two\\n"}\nnext\ntext Done.`,
		async run(client, here) {
			const events: any[] = await client.promptAndWait("Do it");
			assert.deepEqual(withoutTools(outline(events)), [
				"agent_start", "turn_start", ...pair("user"), ...asked(2), ...ran("bash"), ...ran("write"), "turn_end",
				"turn_start", ...said, "turn_end", "agent_end",
			]);
			const results = last(events).messages.filter((m: any) => m.role === "toolResult");
			assert.match(textOf(results[0]), /^one\n\n*Command exited with code 3$/);
			assert.equal(results[0].isError, true);
			assert.equal(results[1].isError, false);
			assert.equal(readFileSync(join(here.work, "note.txt"), "utf8"), "two\n");
			const started = events.find(e => e.type === "tool_execution_start");
			assert.deepEqual(started.args, { command: "echo one; exit 3" });
			assert.equal(started.toolCallId, results[0].toolCallId);
			const turn = events.find(e => e.type === "turn_end");
			assert.deepEqual(turn.toolResults, results);
		},
	},
	{
		name: "tool-unknown",
		script: `call teleport {"to":"mars"}\nnext\ntext I cannot.`,
		async run(client) {
			const events: any[] = await client.promptAndWait("Go");
			const result = last(events).messages.find((m: any) => m.role === "toolResult");
			assert.equal(textOf(result), "Tool teleport not found");
			assert.equal(result.isError, true);
		},
	},
	{
		name: "abort-stream",
		script: `text The first ste\nhang`,
		async run(client) {
			const end = client.collectEvents();
			const begun = until(client, says("The first ste"));
			await client.prompt("Tell all");
			await begun;
			assert.equal((await client.getState()).isStreaming, true);
			await client.abort();
			const events: any[] = await end;
			assert.deepEqual(outline(events).slice(-3), ["message_end assistant", "turn_end", "agent_end"]);
			const answer = last(events).messages.at(-1);
			assert.equal(answer.stopReason, "aborted");
			assert.equal(answer.errorMessage, "Request was aborted");
			assert.equal(textOf(answer), "The first ste");
			assert.equal((await client.getState()).isStreaming, false);
			await client.abort(); // when idle
		},
	},
	{
		name: "abort-tool",
		script: `call bash ${endless}\ncall bash {"command":"touch second"}`,
		async run(client, here) {
			const end = client.collectEvents();
			const begun = until(client, says("started"));
			await client.prompt("Wait");
			await begun;
			await client.abort();
			const events: any[] = await end;
			assert.deepEqual(withoutTools(outline(events)), [
				"agent_start", "turn_start", ...pair("user"), ...asked(2), ...ran("bash"), ...ran("bash"), "turn_end",
				"turn_start", ...asked(0), "turn_end", "agent_end",
			]);
			const results = last(events).messages.filter((m: any) => m.role === "toolResult");
			assert.deepEqual(results.map((m: any) => m.isError), [true, true]);
			assert.match(textOf(results[0]), /^\[Command cancelled\]\nstarted/);
			assert.equal(last(events).messages.at(-1).stopReason, "aborted");
			assert.equal(existsSync(join(here.work, "second")), false);
		},
	},
	{
		name: "steer",
		script: `call bash ${paused}\ncall bash {"command":"touch second"}\nnext\ntext Staging it is.`,
		async run(client, here) {
			const end = client.collectEvents();
			const begun = until(client, says("started"));
			await client.prompt("Deploy");
			await begun;
			await client.steer("Use staging");
			assert.equal((await client.getState()).queuedMessageCount, 1);
			go(here);
			const events: any[] = await end;
			assert.deepEqual(withoutTools(outline(events)), [
				"agent_start", "turn_start", ...pair("user"), ...asked(2), ...ran("bash"), ...ran("bash"), "turn_end",
				"turn_start", ...pair("user"), ...said, "turn_end", "agent_end",
			]);
			const results = last(events).messages.filter((m: any) => m.role === "toolResult");
			assert.equal(textOf(results[0]).trim(), "started\ndone");
			assert.equal(textOf(results[1]), skipped);
			assert.equal(results[1].isError, true);
			assert.equal(existsSync(join(here.work, "second")), false);
			assert.equal((await client.getState()).queuedMessageCount, 0);
		},
	},
	{
		name: "follow-up",
		script: `call bash ${paused}\nnext\ntext First.\nnext\ntext Second.`,
		async run(client, here) {
			const end = client.collectEvents();
			const begun = until(client, says("started"));
			await client.prompt("One");
			await begun;
			await client.followUp("Two");
			go(here);
			const events: any[] = await end;
			assert.deepEqual(withoutTools(outline(events)), [
				"agent_start", "turn_start", ...pair("user"), ...asked(1), ...ran("bash"), "turn_end",
				"turn_start", ...said, "turn_end",
				"turn_start", ...pair("user"), ...said, "turn_end", "agent_end",
			]);
			// The original numbers turns only when there is an extension.
			if (!original) assert.deepEqual(events.filter(e => e.type === "turn_start").map(e => e.turnIndex), [0, 1, 2]);
		},
	},
	{
		name: "steering-mode",
		script: `text One answer.`,
		async run(client) {
			await client.setSteeringMode("all");
			await client.setFollowUpMode("all");
			const state = await client.getState();
			assert.equal(state.steeringMode, "all");
			assert.equal(state.followUpMode, "all");
			assert.equal(state.interruptMode, "immediate");
			await client.steer("and a");
			await client.steer("and b");
			assert.equal((await client.getState()).queuedMessageCount, 2);
			const events: any[] = await client.promptAndWait("Begin");
			assert.deepEqual(outline(events), [
				"agent_start", "turn_start", ...pair("user"), ...pair("user"), ...pair("user"), ...said, "turn_end", "agent_end",
			]);
		},
	},
	{
		name: "abort-and-prompt",
		script: `text w0 w1\nhang\nnext\ntext The other thing.`,
		async run(client) {
			const events: any[] = [];
			client.onEvent(event => events.push(event));
			const begun = until(client, says("w0"));
			await client.prompt("Do it");
			await begun;
			await client.abortAndPrompt("Do the other thing");
			await until(client, event => event.type === "agent_end" && textOf((event as any).messages.at(-1)) === "The other thing.");
			assert.deepEqual(outline(events), [
				"agent_start", "turn_start", ...pair("user"), ...said, "turn_end", "agent_end",
				"agent_start", "turn_start", ...pair("user"), ...said, "turn_end", "agent_end",
			]);
		},
	},
	{
		name: "bash",
		script: `text I see.`,
		async run(client, here) {
			const failed: any = await client.bash("echo hello; exit 2");
			assert.equal(failed.output, "hello\n");
			assert.equal(failed.exitCode, 2);
			assert.equal(failed.cancelled, false);
			assert.equal(failed.truncated, false);
			assert.equal((await client.bash("mkdir -p sub && cd sub && export WORD=kept")).exitCode, 0);
			assert.equal((await client.bash("pwd; echo $WORD")).output, `${here.work}/sub\nkept\n`);
			const long: any = await client.bash("seq 1 30000");
			assert.equal(long.truncated, true);
			assert.equal(long.totalBytes, 168894);
			assert.ok(long.outputBytes <= 51200);
			assert.match(long.output, /\n30000\n$/);
			await client.promptAndWait("What did I run?");
			assert.deepEqual(brief(await client.getMessages()).slice(-2), ["user: What did I run?", "assistant: I see."]);
			const run = (await client.getMessages()).filter((m: any) => m.role === "bashExecution") as any[];
			assert.deepEqual(run.map(m => m.command).slice(0, 2), ["echo hello; exit 2", "mkdir -p sub && cd sub && export WORD=kept"]);
			assert.equal(run[0].exitCode, 2);
		},
	},
	{
		name: "state",
		async run(client, here) {
			const state: any = await client.getState();
			assert.equal(state.model.provider, names.provider);
			assert.equal(state.model.id, names.model);
			for (const key of ["name", "api", "baseUrl"]) assert.equal(typeof state.model[key], "string", key);
			for (const key of ["contextWindow", "maxTokens"]) assert.ok(state.model[key] > 0, key);
			for (const key of ["input", "output", "cacheRead", "cacheWrite"]) assert.equal(typeof state.model.cost[key], "number", key);
			assert.equal(state.isStreaming, false);
			assert.equal(state.isCompacting, false);
			assert.equal(state.steeringMode, "one-at-a-time");
			assert.equal(state.followUpMode, "one-at-a-time");
			assert.equal(state.autoCompactionEnabled, true);
			assert.equal(state.messageCount, 0);
			assert.equal(state.queuedMessageCount, 0);
			assert.match(state.sessionId, /^[0-9a-f]{16}$/);
			assert.ok(state.sessionFile.endsWith(`_${state.sessionId}.jsonl`));
			assert.equal(await client.getLastAssistantText() ?? null, null);
			assert.deepEqual(await client.getMessages(), []);
			await client.setAutoCompaction(false);
			await client.setAutoRetry(false);
			assert.equal((await client.getState()).autoCompactionEnabled, false);
		},
	},
	{
		name: "models",
		async run(client) {
			const models = await client.getAvailableModels();
			for (const id of [names.model, names.other]) {
				assert.ok(models.some(m => m.provider === names.provider && m.id === id), `${id} is not there`);
			}
			const set: any = await client.setModel(names.provider, names.other);
			assert.equal(set.id, names.other);
			assert.equal((await client.getState()).model?.id, names.other);
			const next = await client.cycleModel();
			assert.equal(next?.isScoped, false);
			assert.notEqual(next?.model.id, names.other);
			assert.equal((await client.getState()).model?.id, next?.model.id);
			await assert.rejects(client.setModel(names.provider, "eel"), { message: `Model not found: ${names.provider}/eel` });
		},
	},
	{
		name: "thinking",
		options: reasoning,
		async run(client) {
			const before = await client.getState();
			assert.equal(before.thinkingLevel, "high");
			await client.setThinkingLevel("low" as any);
			assert.equal((await client.getState()).thinkingLevel, "low");
			const next = await client.cycleThinkingLevel();
			assert.equal(next?.level, "medium");
			await client.setThinkingLevel("off" as any);
			assert.equal((await client.getState()).thinkingLevel, "off");
		},
	},
	{
		name: "stats",
		script: `call bash {"command":"true"}\nusage in=100 out=20\nnext\ntext Done.\nusage in=150 out=5`,
		async run(client) {
			await client.promptAndWait("Do it");
			const stats: any = await client.getSessionStats();
			const state = await client.getState();
			assert.equal(stats.sessionId, state.sessionId);
			assert.equal(stats.sessionFile, state.sessionFile);
			for (const [key, n] of Object.entries({ userMessages: 1, assistantMessages: 2, toolCalls: 1, toolResults: 1, totalMessages: 4 })) {
				assert.equal(stats[key], n, key);
			}
			assert.deepEqual(stats.tokens, { input: 250, output: 25, cacheRead: 0, cacheWrite: 0, total: 275 });
		},
	},
	{
		name: "export",
		script: `text Hello, Ana.`,
		async run(client, here) {
			await client.promptAndWait("Greet me");
			const path = join(here.work, "out.html");
			assert.deepEqual(await client.exportHtml(path), { path });
			assert.match(readFileSync(path, "utf8"), /<html/);
			const named = await client.exportHtml();
			assert.match(named.path, /-session-.*\.html$/);
			assert.ok(existsSync(join(here.work, named.path)));
		},
	},
	{
		name: "messages",
		script: `call bash {"command":"echo x"}\nnext\ntext Done.`,
		async run(client) {
			const events: any[] = await client.promptAndWait("Do it");
			assert.deepEqual(await client.getMessages(), last(events).messages);
			assert.deepEqual((await client.getMessages()).map(m => m.role), ["user", "assistant", "toolResult", "assistant"]);
			assert.equal((await client.getState()).messageCount, 4);
		},
	},
	{
		name: "branch",
		script: `text Planned.\nnext\ntext Written.\nnext\ntext Written differently.`,
		async run(client) {
			await client.promptAndWait("Plan it");
			await client.promptAndWait("Write it");
			const before: any = await client.getState();
			const points = await client.getBranchMessages();
			assert.deepEqual(points.map(p => p.text), ["Plan it", "Write it"]);
			for (const p of points) assert.match(p.entryId, /^[0-9a-f]{8}$/);
			assert.deepEqual(await client.branch(points[1].entryId), { text: "Write it", cancelled: false });
			const after: any = await client.getState();
			assert.notEqual(after.sessionId, before.sessionId);
			assert.notEqual(after.sessionFile, before.sessionFile);
			assert.equal(after.messageCount, 2);
			await client.promptAndWait("Write it differently");
			assert.deepEqual(brief(await client.getMessages()), [
				"user: Plan it", "assistant: Planned.", "user: Write it differently", "assistant: Written differently.",
			]);
			const kept = await client.getBranchMessages();
			assert.equal(kept[0].entryId, points[0].entryId);
			assert.deepEqual(await client.switchSession(before.sessionFile), { cancelled: false });
			const back: any = await client.getState();
			assert.equal(back.sessionId, before.sessionId);
			assert.equal(back.messageCount, 4);
			assert.deepEqual(brief(await client.getMessages()).slice(-2), ["user: Write it", "assistant: Written."]);
			assert.deepEqual(await client.getBranchMessages(), points);
		},
	},
	{
		name: "branch-first",
		script: `text Planned.\nnext\ntext Afresh.`,
		async run(client) {
			await client.promptAndWait("Plan it");
			const [first] = await client.getBranchMessages();
			assert.deepEqual(await client.branch(first.entryId), { text: "Plan it", cancelled: false });
			assert.equal((await client.getState()).messageCount, 0);
			await client.promptAndWait("Plan anew");
			assert.deepEqual(brief(await client.getMessages()), ["user: Plan anew", "assistant: Afresh."]);
		},
	},
	{
		name: "sessions",
		script: `text One.\nnext\ntext Two.`,
		async run(client) {
			await client.promptAndWait("First");
			const before: any = await client.getState();
			await client.followUp("left behind");
			assert.deepEqual(await client.newSession(before.sessionFile), { cancelled: false });
			const fresh: any = await client.getState();
			assert.notEqual(fresh.sessionId, before.sessionId);
			assert.equal(fresh.messageCount, 0);
			assert.equal(fresh.queuedMessageCount, 0);
			await client.promptAndWait("Second");
			await client.switchSession(before.sessionFile);
			assert.deepEqual(brief(await client.getMessages()), ["user: First", "assistant: One."]);
			await client.switchSession(fresh.sessionFile);
			assert.deepEqual(brief(await client.getMessages()), ["user: Second", "assistant: Two."]);
			const header = JSON.parse(readFileSync(fresh.sessionFile, "utf8").split("\n")[0]);
			assert.equal(header.type, "session");
			assert.equal(header.id, fresh.sessionId);
			assert.equal(header.parentSession, before.sessionFile);
		},
	},
	{
		name: "compact",
		script: `repeat 8000 text "word "\nnext\nrepeat 8000 text "more "\nnext\ntext Short.\nnext\ntext "## Goal\\nShip the cart."\nnext\ntext Cart work.\nnext\ntext Going on.`,
		async run(client) {
			await client.promptAndWait("Tell one");
			await client.promptAndWait("Tell two");
			await client.promptAndWait("Tell three");
			const result: any = await client.compact("Keep the decisions");
			assert.match(result.summary, /## Goal\nShip the cart\./);
			assert.match(result.firstKeptEntryId, /^[0-9a-f]{8}$/);
			assert.ok(result.tokensBefore > 0);
			const messages: any[] = await client.getMessages();
			assert.equal(messages[0].role, "compactionSummary");
			assert.equal(messages[0].summary, result.summary);
			assert.deepEqual(brief(messages.slice(-2)), ["user: Tell three", "assistant: Short."]);
			assert.equal((await client.getState()).isCompacting, false);
			await client.promptAndWait("Go on");
		},
	},
	{
		name: "retry",
		script: `fail overloaded status=503 overloaded\nnext\ntext Recovered.`,
		async run(client) {
			const events: any[] = [];
			client.onEvent(event => events.push(event));
			const end = until(client, event => event.type === "agent_end" && textOf((event as any).messages.at(-1)) === "Recovered.");
			await client.prompt("Try");
			await end;
			assert.deepEqual(outline(events), [
				"agent_start", "turn_start", ...pair("user"), ...asked(0), "turn_end", "agent_end",
				"agent_start", "turn_start", ...said, "turn_end", "agent_end",
			]);
			assert.equal(events.find(e => e.type === "turn_end").message.stopReason, "error");
			assert.deepEqual(brief(await client.getMessages()), ["user: Try", "assistant: Recovered."]);
		},
	},
	{
		name: "error",
		script: `fail rejected status=400 no such thing`,
		async run(client) {
			const events: any[] = await client.promptAndWait("Try");
			const answer = last(events).messages.at(-1);
			assert.equal(answer.stopReason, "error");
			assert.match(answer.errorMessage, /no such thing/);
			await client.abortRetry();
		},
	},
];

// What the original cannot do: it reads no command while one of these runs.
if (!original) {
	steps.push({
		name: "abort-bash",
		async run(client) {
			const running = client.bash("echo started; sleep 100");
			await client.abortBash();
			const result: any = await running;
			assert.equal(result.cancelled, true);
			assert.equal("exitCode" in result, false);
			assert.match(result.output, /^\[Command cancelled\]\n/);
		},
	});
}

await playAll(RpcClient, steps);

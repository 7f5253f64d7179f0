// Drives a server with the client that @oh-my-pi/pi-coding-agent 18 publishes, as it is. It is
// imported by its path, so that nothing else of the package is loaded.
import assert from "node:assert/strict";
import { RpcClient } from "./node_modules/@oh-my-pi/pi-coding-agent/src/modes/rpc/rpc-client.ts";
import { shared } from "./newer.mjs";
import { playAll, says, until } from "./steps.mjs";

await playAll(RpcClient, [
	...shared,
	{
		name: "results",
		script: `text The first ste\nhang\nnext\ntext The other thing.`,
		async run(client: any) {
			const results: any[] = [];
			client.onPromptResult((result: any) => results.push(result));
			const begun = until(client, says("The first ste"));
			const first = await client.prompt("Tell all");
			await begun;
			await client.abort();
			await client.waitForSettled();
			assert.deepEqual(results.map(r => [r.id, r.status, r.agentInvoked]), [[first, "aborted", true]]);
			await client.promptAndWait("Do the other thing");
			assert.equal(results.at(-1).status, "completed");
			assert.equal(results.at(-1).sessionSettled, true);
		},
	},
	{
		name: "filter",
		script: `text Hello.`,
		async run(client: any) {
			assert.deepEqual(await client.setEventFilter(["agent_end"]), ["agent_end"]);
			const events = await client.promptAndWait("Greet me");
			assert.deepEqual(events.map((e: any) => e.type), ["agent_end"]);
			assert.equal(await client.setEventFilter(null), null);
		},
	},
	{
		name: "tools",
		script: `call lookup {"key":"a"}\ncall lookup {"key":"b"}\nnext\nexpect ana\nexpect no b\ntext Found.`,
		async run(client: any) {
			const calls: any[] = [];
			const lookup = {
				name: "lookup",
				description: "Looks up a key.",
				parameters: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
				async execute(args: any, context: any) {
					calls.push([args.key, context.toolCallId]);
					context.sendUpdate("looking");
					if (args.key === "b") throw new Error("no b");
					return { content: [{ type: "text", text: "ana" }], details: { rows: 1 } };
				},
			};
			assert.deepEqual(await client.setCustomTools([lookup]), ["lookup"]);
			const events = await client.promptAndWait("Look up");
			const ends = events.filter((e: any) => e.type === "tool_execution_end");
			assert.deepEqual(calls, ends.map((e: any, i: number) => ["ab"[i], e.toolCallId]));
			assert.deepEqual(ends.map((e: any) => [e.isError, e.result.content[0].text]), [[false, "ana"], [true, "no b"]]);
			assert.deepEqual(ends[0].result.details, { rows: 1 });
			assert.deepEqual(await client.setCustomTools([]), []);
			await assert.rejects(client.setCustomTools([{ ...lookup, name: "read" }]), { command: "set_host_tools" });
		},
	},
	{
		name: "tool aborted",
		script: `call wait {}\nnext\ntext Not reached.`,
		async run(client: any) {
			let aborted = Promise.withResolvers<void>();
			let started = Promise.withResolvers<void>();
			await client.setCustomTools([{
				name: "wait",
				description: "Waits until it is aborted.",
				parameters: { type: "object" },
				execute(_: any, context: any) {
					started.resolve();
					return new Promise((_, reject) => context.signal.addEventListener("abort", () => {
						aborted.resolve();
						reject(new Error("aborted"));
					}));
				},
			}]);
			await client.prompt("Wait");
			await started.promise;
			await client.abort();
			await aborted.promise;
			assert.equal((await client.getState()).isStreaming, false);
		},
	},
	{
		name: "others",
		async run(client: any, here: any) {
			assert.deepEqual(await client.getSubagents(), []);
			assert.ok(Array.isArray(await client.getAvailableCommands()));
			const opened = await client.openSession(`${here.work}/elsewhere`);
			assert.equal(opened.resumed, false);
			assert.equal((await client.getState()).sessionId, opened.sessionId);
			await assert.rejects(client.login("acme"), { command: "login" });
			await assert.rejects(client.handoff(), { command: "handoff" });
		},
	},
]);

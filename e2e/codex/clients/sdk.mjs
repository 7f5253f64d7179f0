// The official SDK runs turns with the program that CODEX names: run, runStreamed, resumeThread, outputSchema, a failure, abort.
import assert from "node:assert/strict";
import { Codex } from "@openai/codex-sdk";

const codex = new Codex({ codexPathOverride: process.env.CODEX, apiKey: process.env.MODEL_KEY, baseUrl: process.env.MODEL_URL });
const options = { workingDirectory: process.env.WORK, sandboxMode: "workspace-write", modelReasoningEffort: "low", webSearchMode: "disabled" };

const thread = codex.startThread(options);
const turn = await thread.run("make the file");
assert.equal(turn.finalResponse, "It is made.");
const command = turn.items.find((item) => item.type === "command_execution");
assert.equal(command.command, "/bin/bash -lc 'echo made > made.txt; cat made.txt'");
assert.equal(command.aggregated_output, "made\n");
assert.equal(command.exit_code, 0);
assert.equal(command.status, "completed");
assert.deepEqual(turn.usage, { input_tokens: 200, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 40, reasoning_output_tokens: 0 });
assert.match(thread.id, /^[0-9a-f-]{36}$/);

const types = [];
const again = codex.resumeThread(thread.id, options);
for await (const event of (await again.runStreamed([{ type: "text", text: "change it" }])).events) {
  types.push(event.item ? `${event.type} ${event.item.type} ${event.item.id}` : event.type);
  if (event.type === "item.completed" && event.item.type === "file_change") {
    assert.deepEqual(event.item.changes, [{ path: `${process.env.WORK}/made.txt`, kind: "update" }]);
    assert.equal(event.item.status, "completed");
  }
}
assert.deepEqual(types, [
  "thread.started",
  "turn.started",
  "item.started file_change item_0",
  "item.completed file_change item_0",
  "item.completed agent_message item_1",
  "turn.completed",
]);
assert.equal(again.id, thread.id);

const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false };
const titled = await again.run("name it", { outputSchema: schema });
assert.deepEqual(JSON.parse(titled.finalResponse), { title: "The first thread" });

// A command that the sandbox refuses is not asked about.
const reader = codex.startThread({ ...options, sandboxMode: "read-only" });
const read = await reader.run("write");
assert.equal(read.items.find((item) => item.type === "command_execution").status, "failed");

await assert.rejects(codex.startThread(options).run("fail"), /no such thing/);
await assert.rejects(codex.resumeThread("01a2180d-0000-7000-8000-000000000000", options).run("hi"), /no rollout found for thread id/);
await assert.rejects(codex.startThread({ ...options, workingDirectory: process.env.OUTSIDE }).run("hi"), /--skip-git-repo-check/);

const abort = new AbortController();
let begun = false;
await assert.rejects(async () => {
  for await (const event of (await codex.startThread(options).runStreamed("wait", { signal: abort.signal })).events) {
    if (event.type === "item.started" && event.item.type === "command_execution") {
      begun = true;
      abort.abort();
    }
  }
}, { name: "AbortError" });
assert.ok(begun);

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DurableRecord } from "../src/sdk.js";
import { coveredTime, rowsOf, ticksOf, timelineOf, type Bar } from "../src/timeline/fold.js";

/** Returns records with numbers, a second apart. */
function records(...list: { kind: string; turn?: string; at?: number; data: unknown }[]): DurableRecord[] {
  return list.map(({ at, ...record }, i) => ({ seq: i + 1, time: new Date((at ?? i) * 1000).toISOString(), ...record }) as unknown as DurableRecord);
}

const usage = { input: 1480, output: 31 };
const shape = (bars: readonly Bar[]) => bars.map((bar) => [bar.kind, bar.label, bar.start / 1000, bar.end === undefined ? undefined : bar.end / 1000, bar.result]);

test("a turn has bars for its model call, approval and command", () => {
  const [turn, ...others] = timelineOf(
    records(
      { kind: "turn_started", turn: "t", data: { prompt: "p" } },
      { kind: "user_message", turn: "t", data: { id: "p", via: "prompt", blocks: [{ kind: "text", text: "run\nthe tests" }] } },
      { kind: "step_started", turn: "t", data: { step: 1, model: "script" } },
      { kind: "assistant_message", turn: "t", data: { id: "m", model: "script", blocks: [], usage } },
      { kind: "tool_intended", turn: "t", data: { call: "c", message: "m", name: "shell", input: { command: "go test ./..." } } },
      { kind: "approval_asked", turn: "t", data: { id: "a", call: "c", request: { tool: "shell", summary: "go test ./..." }, input: {} } },
      { kind: "approval_answered", turn: "t", data: { id: "a", allowed: true, by: "client", client: { n: 1, name: "parley-web" } } },
      { kind: "tool_started", turn: "t", data: { call: "c" } },
      { kind: "tool_ended", turn: "t", data: { call: "c", outcome: "succeeded", shell: { command: "", dir: "", exit_code: 0 } } },
      { kind: "step_ended", turn: "t", data: { step: 1 } },
      { kind: "turn_ended", turn: "t", data: { reason: "completed" } },
    ),
  );
  assert.deepEqual(others, []);
  assert.equal(turn!.prompt, "run the tests");
  assert.equal(turn!.end, 10_000);
  assert.equal(turn!.reason, "completed");
  assert.deepEqual(shape(turn!.bars), [
    ["model", "script", 2, 3, "answered"],
    ["wait", "Approval: go test ./...", 5, 6, "allowed"],
    ["tool", "shell go test ./...", 7, 8, "succeeded"],
  ]);
  assert.deepEqual(turn!.bars.map((bar) => bar.detail), ["1,480 tokens in, 31 out", "by parley-web", "exit 0"]);
});

test("what runs has no end, and the end of its turn is its end", () => {
  const begun = records(
    { kind: "turn_started", turn: "t", data: { prompt: "p" } },
    { kind: "step_started", turn: "t", data: { step: 1, model: "m" } },
    { kind: "tool_intended", turn: "t", data: { call: "c", message: "m", name: "shell", input: {} } },
    { kind: "tool_started", turn: "t", data: { call: "c" } },
  );
  const bars = timelineOf(begun)[0]!.bars;
  assert.deepEqual(shape(bars), [["model", "m", 1, undefined, ""], ["tool", "shell", 3, undefined, ""]]);
  assert.equal(coveredTime(bars, 9000), 8000);

  const ended = [...begun, ...records({ kind: "turn_ended", turn: "t", at: 6, data: { reason: "interrupted" } })];
  assert.deepEqual(shape(timelineOf(ended)[0]!.bars), [["model", "m", 1, 6, "interrupted"], ["tool", "shell", 3, 6, "interrupted"]]);
});

test("a model call that fails ends with its step, and says why", () => {
  const [turn] = timelineOf(
    records(
      { kind: "turn_started", turn: "t", data: { prompt: "p" } },
      { kind: "step_started", turn: "t", data: { step: 1, model: "m" } },
      { kind: "step_ended", turn: "t", data: { step: 1, failure: { kind: "overloaded", message: "The back end is down." } } },
    ),
  );
  assert.deepEqual(shape(turn!.bars), [["model", "m", 1, 2, "failed"]]);
  assert.equal(turn!.bars[0]!.detail, "The back end is down.");
});

test("a tool without a begin lasts as long as it ran, within its turn", () => {
  const [turn] = timelineOf(
    records(
      { kind: "turn_started", turn: "t", data: { prompt: "p" } },
      { kind: "tool_intended", turn: "t", data: { call: "c", message: "m", name: "read", input: { path: "a.go" } } },
      { kind: "tool_ended", turn: "t", at: 9, data: { call: "c", outcome: "succeeded", ran: 500_000_000 } },
      { kind: "tool_ended", turn: "t", at: 9, data: { call: "d", outcome: "denied" } },
      { kind: "tool_ended", turn: "t", at: 9, data: { call: "e", outcome: "failed", ran: 90_000_000_000 } },
    ),
  );
  assert.deepEqual(shape(turn!.bars), [["tool", "read a.go", 8.5, 9, "succeeded"], ["tool", "Tool", 9, 9, "denied"], ["tool", "Tool", 0, 9, "failed"]]);
});

test("the same call id in two turns is two calls", () => {
  const call = (turn: string) => [
    { kind: "turn_started", turn, data: { prompt: "p" } },
    { kind: "tool_started", turn, data: { call: "call_1" } },
  ];
  const turns = timelineOf(records(...call("a"), ...call("b"), { kind: "tool_ended", turn: "b", data: { call: "call_1", outcome: "succeeded" } }));
  assert.deepEqual(turns.map((turn) => shape(turn.bars)), [[["tool", "Tool", 1, undefined, ""]], [["tool", "Tool", 3, 4, "succeeded"]]]);
});

test("compactions begin after the record before them", () => {
  const compacted = { reason: "threshold", summary: "", tokens_before: 12000, tokens_after: 900, removed: 4, usage };
  const [inTurn, between] = timelineOf(
    records(
      { kind: "turn_started", turn: "t", data: { prompt: "p" } },
      { kind: "compacted", turn: "t", at: 5, data: compacted },
      { kind: "turn_ended", turn: "t", at: 6, data: { reason: "completed" } },
      { kind: "compacted", at: 900, data: compacted },
    ),
  );
  assert.deepEqual(shape(inTurn!.bars), [["compaction", "Compaction", 0, 5, "compacted"]]);
  assert.deepEqual(shape(between!.bars), [["compaction", "Compaction", 900, 900, "compacted"]]);
  assert.equal(between!.bars[0]!.detail, "12,000 to 900 tokens");
});

test("commands of the user are entries of their own", () => {
  const shell = { command: "git status", dir: "/", exit_code: 1 };
  const turns = timelineOf(
    records(
      { kind: "command_started", data: { id: "c", command: "git status" } },
      { kind: "command_ran", at: 3, data: { id: "c", shell, output: "", lines: 0, bytes: 0 } },
      { kind: "command_ran", at: 9, data: { shell, output: "", lines: 0, bytes: 0, ran: 2_000_000_000 } },
    ),
  );
  assert.deepEqual(turns.map((turn) => shape(turn.bars)), [[["command", "$ git status", 0, 3, "exit 1"]], [["command", "$ git status", 7, 9, "exit 1"]]]);
});

test("a turn whose first records are not there is partial", () => {
  const [turn] = timelineOf(records({ kind: "assistant_message", turn: "t", data: { id: "m", model: "m", blocks: [], usage } }));
  assert.equal(turn!.partial, true);
  assert.deepEqual(turn!.bars, []);
});

const bar = (start: number, end: number | undefined): Bar => ({ seq: 0, kind: "tool", label: "", start, end, result: "", detail: "" });

test("bars that overlap are in different rows, and count once", () => {
  const bars = [bar(0, 10), bar(5, 7), bar(10, 12), bar(6, undefined)];
  assert.deepEqual(rowsOf(bars, 20).map((row) => row.map((bar) => bar.start)), [[0, 10], [5], [6]]);
  assert.equal(coveredTime(bars, 20), 20);
  assert.equal(coveredTime([bar(0, 2), bar(5, 6)], 20), 3);
  assert.equal(coveredTime([], 20), 0);
});

test("a scale has round steps, and no more than wanted", () => {
  assert.deepEqual(ticksOf(950, 5), [0, 200, 400, 600, 800]);
  assert.deepEqual(ticksOf(60_000, 4), [0, 30_000, 60_000]);
  assert.deepEqual(ticksOf(0, 5), [0]);
  assert.ok(ticksOf(1e12, 8).length <= 9);
});

test("nothing that a model or a user wrote is invisible in a label", () => {
  const [turn] = timelineOf(
    records(
      { kind: "turn_started", turn: "t", data: { prompt: "p" } },
      { kind: "user_message", turn: "t", data: { id: "p", via: "prompt", blocks: [{ kind: "text", text: "a\u202eb" }] } },
      { kind: "tool_intended", turn: "t", data: { call: "c", message: "m", name: "shell", input: { command: `${"x".repeat(500)}` } } },
      { kind: "tool_started", turn: "t", data: { call: "c" } },
    ),
  );
  assert.equal(turn!.prompt, "a<U+202E>b");
  assert.equal(turn!.bars[0]!.label.length, 200);
});

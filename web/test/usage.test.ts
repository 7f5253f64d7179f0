import assert from "node:assert/strict";
import { test } from "node:test";
import type { DurableRecord } from "../src/sdk.js";
import { UsageFold, groupUsage, totalOf, withEmptyDays, type UsageEntry } from "../src/usage/fold.js";

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

function entries(created: string, ...list: [time: string, kind: string, data: object][]): UsageEntry[] {
  const fold = new UsageFold({ id: "s", workspace: "/w", created }, dayOf);
  for (const [time, kind, data] of list) {
    fold.apply({ seq: 1, time, kind, data } as unknown as DurableRecord);
  }
  return fold.entries;
}

const call = (input: number, output: number, rest: object = {}) => ({ provider: "anthropic", model: "claude", usage: { input, output }, ...rest });

test("usage is summed by day and model, caches included", () => {
  const list = entries(
    "2026-11-20T00:00:00Z",
    ["2026-11-20T10:00:00Z", "assistant_message", call(100, 10, { cost: 0.25 })],
    ["2026-11-20T11:00:00Z", "assistant_message", call(50, 5, { cost: 0.5, usage: { input: 50, output: 5, cache_read: 30, cache_write: 20, estimated: true } })],
    ["2026-11-21T09:00:00Z", "assistant_message", call(1, 1)],
    ["2026-11-21T10:00:00Z", "sampled", { provider: "openai", model: "gpt", usage: { input: 7, output: 3 } }],
  );
  const common = { workspace: "/w", session: "s" };
  assert.deepEqual(list, [
    { day: "2026-11-20", model: "anthropic/claude", ...common, calls: 2, input: 200, cached: 30, output: 15, cost: 0.75, estimated: true },
    { day: "2026-11-21", model: "anthropic/claude", ...common, calls: 1, input: 1, cached: 0, output: 1, cost: 0, estimated: false },
    { day: "2026-11-21", model: "openai/gpt", ...common, calls: 1, input: 7, cached: 0, output: 3, cost: 0, estimated: false },
  ]);
});

test("a compaction is a call of the model before it", () => {
  const list = entries(
    "2026-11-20T00:00:00Z",
    ["2026-11-20T10:00:00Z", "assistant_message", call(1, 1)],
    ["2026-11-20T11:00:00Z", "compacted", { usage: { input: 9, output: 2 }, cost: 1 }],
  );
  assert.deepEqual(list.map((entry) => [entry.model, entry.calls, entry.input, entry.cost]), [["anthropic/claude", 2, 10, 1]]);
});

test("a fork does not count what its source used", () => {
  const list = entries(
    "2026-11-20T10:30:00Z",
    ["2026-11-20T10:00:00Z", "assistant_message", call(100, 10)],
    ["2026-11-20T11:00:00Z", "compacted", { usage: { input: 9, output: 2 } }],
  );
  assert.deepEqual(list.map((entry) => [entry.model, entry.input]), [["anthropic/claude", 9]]);
});

test("a subagent counts once: in its own session if it has one", () => {
  const ended = (task: string) => ({ call: "c", task, agent: "a", exit_code: 0, usage: { input: 5, output: 1 } });
  const list = entries(
    "2026-11-20T00:00:00Z",
    ["2026-11-20T10:00:00Z", "subagent_started", { call: "c", task: "0-own", agent: "a", session: "child" }],
    ["2026-11-20T10:00:00Z", "subagent_started", { call: "c", task: "1-none", agent: "a" }],
    ["2026-11-20T10:01:00Z", "subagent_ended", ended("0-own")],
    ["2026-11-20T10:01:00Z", "subagent_ended", ended("1-none")],
  );
  assert.deepEqual(list.map((entry) => [entry.model, entry.calls, entry.input]), [["subagents", 1, 5]]);
});

const entry = (day: string, model: string, cost: number, input: number): UsageEntry => ({
  day, model, workspace: "/w", session: "s", calls: 1, input, cached: 0, output: 0, cost, estimated: false,
});

test("groups are by day in order, else the most expensive first", () => {
  const list = [entry("2026-11-21", "a", 1, 5), entry("2026-11-20", "b", 2, 5), entry("2026-11-21", "c", 0, 9), entry("2026-11-21", "d", 0, 20)];
  assert.deepEqual(groupUsage(list, "day").map((row) => [row.key, row.cost]), [["2026-11-20", 2], ["2026-11-21", 1]]);
  assert.deepEqual(groupUsage(list, "model").map((row) => row.key), ["b", "a", "d", "c"]);
  assert.deepEqual(totalOf(list), { calls: 4, input: 39, cached: 0, output: 0, cost: 3, estimated: false });
});

test("days on which nothing was used are between the others", () => {
  const rows = groupUsage([entry("2026-10-30", "a", 1, 5), entry("2026-11-02", "a", 1, 5)], "day");
  assert.deepEqual(withEmptyDays(rows, "2026-10-30", "2026-11-02").map((row) => [row.key, row.calls]), [["2026-10-30", 1], ["2026-10-31", 0], ["2026-11-01", 0], ["2026-11-02", 1]]);
  assert.deepEqual(withEmptyDays(rows, "2026-10-01", "2026-11-02", 2).map((row) => row.key), ["2026-11-01", "2026-11-02"]);
  assert.deepEqual(withEmptyDays([], "2026-11-02", "2026-11-01"), []);
});

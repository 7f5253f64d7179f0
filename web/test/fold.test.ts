import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Fold, foldRecords, isBoundary } from "../src/session/fold.js";
import { inHistory } from "../src/session/history.js";
import type { Item } from "../src/session/items.js";
import type { SessionRecord } from "../src/sdk.js";

// The journals are of the built program, with what is sent and not stored: offline scripts with a command, an edit, a plan, a
// question, approvals and a failure.

function read(name: string): SessionRecord[] {
  const file = new URL(`../../../test/testdata/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as SessionRecord);
}

const stored = (records: SessionRecord[]) => records.filter(({ seq }) => seq);

/** One line for each item. */
function lines(items: Item[]): string[] {
  return items.map((item) => {
    switch (item.kind) {
      case "you":
      case "answer":
      case "reasoning":
      case "notice":
        return `${item.kind} ${item.text.slice(0, 40)}`;
      case "command":
        return `command ${item.command} → ${item.status} ${item.shell?.exit_code}: ${item.output}`;
      case "files":
        return `files ${item.changes.map(({ path, added, removed }) => `${path} +${added} -${removed}`).join()}`;
      case "tool":
        return `tool ${item.name} ${item.status}`;
      case "subagent":
        return `subagent ${item.agents.length}`;
      case "plan":
        return `plan ${item.items.map(({ status }) => status).join()}`;
      case "approval":
        return `approval ${item.answered?.allowed}`;
      case "question":
        return `question ${item.answered?.answers?.flat().join()}`;
    }
  });
}

test("a journal of the program folds to the items of its turns", () => {
  assert.deepEqual(lines(foldRecords(stored(read("turn")))), [
    "you Run the tests",
    "reasoning I look.",
    "answer Now the tests.",
    "command printf '\\033[32mok\\033[0m  shop 0.2s\\n'; exit 3 → failed 3: ok  shop 0.2s",
    "plan completed,in_progress",
    "answer I edit the file.",
    "files sum.go +1 -1",
    "tool read succeeded",
    "question A",
    "answer word word word word word word word word ",
    "you again",
    "answer Again.",
    "command echo second → succeeded 0: second",
    "answer Second done.",
    "you fail",
    "notice Failed: The model is down.",
  ]);
});

test("what was sent live ends as what is stored, and colours stay", () => {
  const live = foldRecords(read("turn"));
  const plain = (items: Item[]) => lines(items).map((line) => line.replace(/\x1b\[[0-9;]*m/g, ""));
  assert.deepEqual(plain(live), lines(foldRecords(stored(read("turn")))));
  assert.ok(live.some((item) => item.kind === "command" && item.output.includes("\x1b[32mok")));
  assert.ok(live.every((item) => item.kind !== "answer" || !item.streaming));
});

test("records from the middle of a session fold to its last items", () => {
  const records = stored(read("turn"));
  const all = lines(foldRecords(records));
  for (const [i, record] of records.entries()) {
    if (isBoundary(record)) {
      const tail = lines(foldRecords(records.slice(i)));
      const expected = tail.length === 0 ? [] : all.slice(-tail.length);
      assert.deepEqual(tail.filter((line) => !line.startsWith("plan")), expected.filter((line) => !line.startsWith("plan")), `from record ${record.seq}`);
    }
  }
});

test("an approval takes the place of its call until it is answered", () => {
  const fold = new Fold();
  let waited = false;
  for (const record of read("approval")) {
    fold.add(record);
    if (record.kind === "approval_asked") {
      const call = fold.items.find(({ key }) => key === `call:${record.data.call}`);
      assert.ok(call === undefined || ("waiting" in call && call.waiting)); // plans and questions have no item of the call
      waited ||= call !== undefined;
    }
  }
  assert.ok(waited);
  assert.ok(fold.items.every((item) => !("waiting" in item) || !item.waiting));
  assert.ok(lines(fold.items).includes("approval true"));
});

let seq = 0;
function record(kind: string, data: object, durable = true): SessionRecord {
  return { ...(durable ? { seq: ++seq } : {}), time: "2026-11-26T00:00:00Z", turn: "t-1", kind, data } as unknown as SessionRecord;
}

test("deltas and answer_grew are the same text once, also if deltas were missed", () => {
  const fold = new Fold();
  const text = () => (fold.items.at(-1) as { text: string }).text;
  const delta = (text: string) => fold.add(record("text_delta", { message: "m", block: 0, text }, false));
  const grew = (text: string) => fold.add(record("answer_grew", { message: "m", model: "x", pieces: [{ block: 0, text }] }));
  delta("one ");
  delta("two ");
  assert.equal(text(), "one two ");
  grew("one two ");
  assert.equal(text(), "one two ");
  delta("three ");
  grew("missed three ");
  assert.equal(text(), "one two missed three ");
  fold.add(record("assistant_message", { id: "m", model: "x", blocks: [{ kind: "text", text: "All." }], usage: {} }));
  delta("late");
  assert.equal(text(), "All.");
  assert.equal(fold.items.length, 1);
});

test("the beginning of a long fold can be cut off", () => {
  const fold = new Fold();
  for (let i = 0; i < 1000; i++) {
    fold.add(record("step_started", { step: i, model: "x" }));
    fold.add(record("assistant_message", { id: `a-${i}`, model: "x", blocks: [{ kind: "text", text: String(i) }], usage: {} }));
  }
  const cut = fold.trim(100);
  assert.ok(fold.items.length <= 100 && fold.items.length > 90);
  assert.ok(cut !== undefined && (fold.items[0]?.seq ?? 0) > cut);
  fold.add(record("assistant_message", { id: "a-999", model: "x", blocks: [{ kind: "text", text: "again" }], usage: {} }));
  assert.equal((fold.items.at(-1) as { text: string }).text, "again");
});

test("a move of the head hides what left the history, from the first prompt on", () => {
  const item = (kind: string, seq: number) => ({ kind, seq, key: String(seq) }) as unknown as Item;
  const items = [item("you", 2), item("answer", 4), item("tool", 5), item("you", 8), item("answer", 10), item("notice", 12), item("you", 14)];
  const seqs = (head: number) => inHistory(items, [{ head, at: 12 }]).map(({ seq }) => seq);
  assert.deepEqual(seqs(4), [2, 4, 5, 12, 14]);
  assert.deepEqual(seqs(0), [12, 14]);
});

test("sessions of agents and their summaries are lines", () => {
  const time = "2026-11-26T06:00:00Z";
  const opened = { backend: "acp:x", session: "their-1" };
  const compacted = { reason: "asked", summary: "", tokens_before: 9, tokens_after: 9, removed: 0, usage: {}, agent: true };
  const records = [
    { seq: 1, time, kind: "backend_opened", data: { ...opened, program: "agent", version: "7" } },
    { seq: 2, time, kind: "backend_opened", data: { ...opened, resumed: true } },
    { seq: 3, time, kind: "backend_opened", data: { ...opened, resumed: true, forked: 2 } },
    { seq: 4, time, kind: "backend_opened", data: { ...opened, told: 1 } },
    { seq: 5, time, kind: "backend_answered", data: { session: "their-1" } },
    { seq: 6, time, kind: "compacted", data: compacted },
  ] as unknown as SessionRecord[];
  assert.deepEqual(
    foldRecords(records).map((item) => item.kind === "notice" && item.text),
    [
      "acp:x: session begun (agent 7)",
      "acp:x: session resumed",
      "acp:x: session copied",
      "acp:x: session begun, received 1 message as text",
      "The agent of the back end has summarised its own context",
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { statusWord, titleOf, withNote, withPage } from "../src/overview/merge.js";
import type { HostSession, Listed, Summary } from "../src/sdk.js";

const summary = (id: string, rest: Partial<Summary> = {}): Summary => ({ id, workspace: "/w", created: "2026-11-26T00:00:00Z", updated: "2026-11-26T00:00:00Z", turns: 1, title: `title of ${id}`, ...rest });
const entry = (id: string, rest: Partial<Listed> = {}): Listed => ({ ...summary(id), open: false, status: "idle", waiting: 0, clients: 0, ...rest });
const note = (id: string, rest: Partial<HostSession> = {}): HostSession => ({ session: id, summary: summary(id), open: true, status: "working", waiting: 0, clients: 1, ...rest });
const all = { search: "", archived: false };
const ids = (entries: readonly Listed[]) => entries.map(({ id }) => id);

test("an entry is updated at its place, and goes up when a turn begins", () => {
  const entries = [entry("a"), entry("b"), entry("c")];
  const updated = withNote(entries, note("b"), all, false);
  assert.deepEqual(ids(updated), ["a", "b", "c"]);
  assert.equal(updated[1]!.status, "working");
  assert.deepEqual(ids(withNote(entries, note("c", { summary: summary("c", { turns: 2 }) }), all, false)), ["c", "a", "b"]);
});

test("a session that is new to the list is put where it belongs, if it does", () => {
  const at = (hour: number) => ({ updated: `2026-11-26T0${hour}:00:00Z` });
  const entries = [entry("a", at(5)), entry("b", at(3))];
  const put = (rest: Partial<Summary>, search = "", more = false) => ids(withNote(entries, note("n", { summary: summary("n", rest) }), { search, archived: false }, more));
  assert.deepEqual(put(at(6)), ["n", "a", "b"]);
  assert.deepEqual(put(at(4)), ["a", "n", "b"]);
  assert.deepEqual(put(at(1)), ["a", "b", "n"]);
  assert.deepEqual(put(at(1), "", true), ["a", "b"]);
  assert.deepEqual(put({ ...at(6), turns: 0 }), ["n", "a", "b"]);
  assert.deepEqual(put(at(6), "other"), ["a", "b"]);
  assert.deepEqual(put(at(6), "TITLE OF N"), ["n", "a", "b"]);
});

test("a session that was never saved is not in the list", () => {
  assert.deepEqual(ids(withNote([entry("a")], { session: "n", open: true, head: 1, status: "idle", waiting: 0, clients: 1 }, all, false)), ["a"]);
});

test("a session that is removed, archived or taken out of the archive leaves the list", () => {
  const entries = [entry("a"), entry("b")];
  assert.deepEqual(ids(withNote(entries, { session: "a", open: false, removed: true, status: "idle", waiting: 0, clients: 0 }, all, false)), ["b"]);
  assert.deepEqual(ids(withNote(entries, note("a", { summary: summary("a", { archived: true }) }), all, false)), ["b"]);
  assert.deepEqual(ids(withNote([entry("a", { archived: true })], note("a"), { search: "", archived: true }, false)), []);
});

test("a session that moved while pages were requested is there once", () => {
  assert.deepEqual(ids(withPage([entry("a"), entry("b")], [entry("b"), entry("c")])), ["a", "b", "c"]);
});

test("what waits comes before every other state", () => {
  assert.equal(statusWord(entry("a", { waiting: 1, status: "working" })), "waiting for you");
  assert.equal(statusWord(entry("a", { status: "waiting" })), "waiting for you");
  assert.equal(statusWord(entry("a", { failed: true })), "failed");
  assert.equal(statusWord(entry("a", { failed: true, status: "thinking" })), "thinking");
  assert.equal(statusWord(entry("a")), "idle");
});

test("the title is the name, or the first prompt", () => {
  assert.equal(titleOf({ name: "N", title: "T" }), "N");
  assert.equal(titleOf({ title: "T" }), "T");
  assert.equal(titleOf({}), "New session");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswered, saveAnswered } from "../src/session/answered.js";

test("an approval that was answered here is not that of another session with the same id", () => {
  const stored = new Map<string, string>();
  const storage = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => stored.set(key, value) };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  saveAnswered("s-a", new Set(["a-1"]));
  assert.deepEqual([...readAnswered("s-a")], ["a-1"]);
  assert.deepEqual([...readAnswered("s-b")], []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../src/files/diff.js";

test("lines have their numbers before and after the change", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n same\n--- not a header\n+++ nor this\n end\n\\ No newline at end of file\n@@ -40,0 +41,1 @@ func f()\n+x\n";
  assert.deepEqual(diffLines(diff), [
    { kind: "hunk", text: "@@ -3,3 +3,3 @@" },
    { kind: "same", text: "same", old: 3, new: 3 },
    { kind: "removed", text: "-- not a header", old: 4 },
    { kind: "added", text: "++ nor this", new: 4 },
    { kind: "same", text: "end", old: 5, new: 5 },
    { kind: "note", text: "No newline at end of file" },
    { kind: "hunk", text: "@@ -40,0 +41,1 @@ func f()" },
    { kind: "added", text: "x", new: 41 },
  ]);
});

test("a diff without hunks has no lines", () => {
  assert.deepEqual(diffLines(""), []);
  assert.deepEqual(diffLines("--- /dev/null\n+++ b/empty\n"), []);
});

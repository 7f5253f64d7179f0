import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ChangedFile } from "../src/sdk.js";
import { patchName, patchOf } from "../src/files/patch.js";

const file = (path: string, op: ChangedFile["op"], diff: string, rest: object = {}): ChangedFile => ({ path, op, added: 0, removed: 0, diff, ...rest });

/** Applies a patch with git in a folder with these files, and returns that folder. */
function applied(patch: string, files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), "patch-"));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(dir, name), text);
  }
  const run = spawnSync("git", ["apply", "-"], { cwd: dir, input: patch, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return dir;
}

test("git applies the patch of new, changed, deleted and empty files", () => {
  const { text, omitted } = patchOf([
    file("a.txt", "created", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+no line feed\n\\ No newline at end of file\n"),
    file("with blank.txt", "updated", "--- a/with blank.txt\n+++ b/with blank.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"),
    file("ü.txt", "deleted", '--- "a/\\303\\274.txt"\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n'),
    file("new empty.txt", "created", '--- /dev/null\n+++ b/new empty.txt\n'),
    file("emptied", "deleted", ""),
    file("touched.txt", "updated", "--- a/touched.txt\n+++ b/touched.txt\n"),
  ]);
  assert.deepEqual(omitted, []);
  const dir = applied(text, { "with blank.txt": "one\ntwo\n", "ü.txt": "gone\n", emptied: "", "touched.txt": "x\n" });
  try {
    assert.equal(readFileSync(join(dir, "a.txt"), "utf8"), "no line feed");
    assert.equal(readFileSync(join(dir, "with blank.txt"), "utf8"), "one\nthree\n");
    assert.equal(readFileSync(join(dir, "new empty.txt"), "utf8"), "");
    assert.deepEqual(["ü.txt", "emptied", "touched.txt"].map((name) => existsSync(join(dir, name))), [false, false, true]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("files that a patch cannot have are named", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n";
  const { text, omitted } = patchOf([file("/etc/hosts", "updated", diff), file("long", "updated", diff, { cut: 4 }), file("large", "updated", "", { missing: true }), file("x", "updated", diff)]);
  assert.equal(text, diff);
  assert.deepEqual(omitted, [{ path: "/etc/hosts", why: "outside" }, { path: "long", why: "cut" }, { path: "large", why: "missing" }]);
});

test("the name of a patch is that of the session, in safe characters", () => {
  assert.equal(patchName("Fix the Ürl / parser!"), "fix-the-u-rl-parser.patch");
  assert.equal(patchName("../../etc"), "etc.patch");
  assert.equal(patchName("修复"), "session.patch");
});

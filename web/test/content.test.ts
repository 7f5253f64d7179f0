import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAnsi } from "../src/content/ansi.js";
import { decodeEntities } from "../src/content/entities.js";
import { parseDiff } from "../src/content/parsediff.js";
import { cutMiddle, safeHref, showInvisible, showInvisibleInText } from "../src/content/text.js";

test("invisible and bidirectional controls are signs", () => {
  assert.equal(showInvisible("rm \u202egnp.exe\u200b\x1b[2J\n\tx"), "rm <U+202E>gnp.exe<U+200B><U+001B>[2J\n\tx");
});

// The cases are those of internal/invisible.
test("what cannot be seen is a sign, in commands more than in text", () => {
  for (const [previous, code, inCommand, inText] of [
    ["a", 0x09, false, false],
    ["a", 0x0a, false, false],
    ["a", 0x20, false, false],
    ["a", 0x0d, true, true],
    ["a", 0x9b, true, true],
    ["a", 0xa0, true, false],
    ["a", 0xad, true, true],
    ["a", 0x34f, true, true],
    ["a", 0x600, false, false],
    ["a", 0x180b, true, true],
    ["a", 0x3164, true, true],
    ["a", 0x200d, true, true],
    ["👩", 0x200d, true, false],
    ["\ufe0f", 0x200d, true, false],
    ["ی", 0x200c, true, false],
    ["\u200d", 0x200d, true, true],
    ["א", 0x2066, true, true],
    ["a", 0x2028, true, true],
    ["a", 0x2800, true, false],
    ["a", 0xe0b0, true, false],
    ["a", 0xfeff, true, true],
    ["❤", 0xfe0f, false, false],
    ["a", 0xe0100, true, true],
    ["a", 0xe0041, true, true],
    ["a", 0x1fffe, true, true],
    ["e", 0x301, false, false],
  ] as const) {
    const character = String.fromCodePoint(code);
    const sign = `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
    assert.ok(showInvisible(previous + character).endsWith(inCommand ? sign : character), `${sign} in a command`);
    assert.ok(showInvisibleInText(previous + character).endsWith(inText ? sign : character), `${sign} in text`);
  }
});

test("links are of three schemes", () => {
  assert.equal(safeHref("https://example.com/a"), "https://example.com/a");
  assert.equal(safeHref("mailto:a@example.com"), "mailto:a@example.com");
  for (const bad of ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "/s/other", "file:///etc/passwd", "vbscript:x"]) {
    assert.equal(safeHref(bad), undefined, bad);
  }
});

test("of escape sequences only colours and styles stay", () => {
  const text = (input: string) => parseAnsi(input).map(({ text }) => text).join("");
  assert.deepEqual(parseAnsi("a\x1b[1;31mred\x1b[0m b"), [
    { text: "a", classes: "", color: undefined, background: undefined },
    { text: "red", classes: "ansi-bold ansi-fg-1", color: undefined, background: undefined },
    { text: " b", classes: "", color: undefined, background: undefined },
  ]);
  assert.equal(text("\x1b]8;;https://example.com\x07link\x1b]8;;\x07 \x1b[2J\x1b[?25l\x1bPq#0\x1b\\x\x9b5ny"), "link xy");
  assert.equal(text("10%\r50%\r100%\ndone"), "100%\ndone");
  assert.equal(text("a\r\nb"), "a\nb");
  assert.equal(text("abc\b\bX\x00"), "aX␀");
  assert.equal(parseAnsi("\x1b[38;2;1;2;999mx")[0]?.color, "rgb(1 2 255)");
  assert.equal(parseAnsi("\x1b[38;5;196mx")[0]?.color, "rgb(255 0 0)");
});

test("a diff has the numbers of both sides", () => {
  const view = parseDiff("--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@ func f\n a\n-b\n+c\n+d\n e\n", Infinity);
  assert.equal(view.before, "3\n4\n\n\n5");
  assert.equal(view.after, "3\n\n4\n5\n6");
  assert.deepEqual(view.runs.map(({ sort, text }) => [sort, text]), [["same", " a"], ["removed", "-b"], ["added", "+c\n+d"], ["same", " e"]]);
  assert.equal(parseDiff("@@ -1,3 +1,3 @@\n a\n b\n c\n", 2).left, 1);
});

test("what is long shows its first and last lines", () => {
  assert.deepEqual(cutMiddle("1\n2\n3\n4\n5\n6\n7\n8\n9", 4, 100), { head: "1\n2", tail: "8\n9", left: "5 more lines" });
  assert.equal(cutMiddle("1\n2\n3\n4\n5\n6", 4, 100), undefined);
  assert.equal(cutMiddle("short", 4, 100), undefined);
});

test("character references are characters", () => {
  assert.equal(decodeEntities("a &amp; b &lt;c&gt; &#x41;&#66; &unknown; &#0;"), "a & b <c> AB &unknown; \ufffd");
});

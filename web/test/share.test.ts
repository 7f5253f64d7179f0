import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "../src/sdk.js";
import { isLocal, linkOf, tokenFor, tokensOf } from "../src/share/link.js";

test("a link is for one session, and ends", () => {
  const now = Date.parse("2026-11-26T00:00:00Z");
  assert.deepEqual(tokenFor("s-1", "Fix it", "viewer", 24, now), { role: "viewer", name: "Link to Fix it", sessions: ["s-1"], expires: "2026-11-27T00:00:00.000Z" });
  assert.deepEqual(tokenFor("s-1", "", "driver", 0, now), { role: "driver", name: "Link to s-1", sessions: ["s-1"] });
  assert.equal(tokenFor("s-1", "x".repeat(500), "viewer", 1, now).name.length, 60);
});

test("the token of a link is in its fragment", () => {
  assert.equal(linkOf("http://127.0.0.1:4100", "a b", "t/+"), "http://127.0.0.1:4100/s/a%20b#t=t%2F%2B");
});

test("the links of a session are the tokens for it alone", () => {
  const token = (id: string, created: string, sessions?: string[]): Token => ({ id, role: "viewer", name: id, created, ...(sessions && { sessions }) });
  const list = [token("1", "2026-01-01T00:00:00Z", ["s"]), token("2", "2026-01-02T00:00:00Z"), token("3", "2026-01-03T00:00:00Z", ["s", "t"]), token("4", "2026-01-04T00:00:00Z", ["s"])];
  assert.deepEqual(tokensOf(list, "s").map(({ id }) => id), ["4", "1"]);
});

test("loopback addresses are of this computer only", () => {
  assert.deepEqual(["127.0.0.1", "localhost", "[::1]", "10.0.0.2", "parley.example"].map(isLocal), [true, true, true, false, false]);
});

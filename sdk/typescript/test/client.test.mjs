import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { ClosedError, ConnectError, FollowedError, LostError, RequestError, connect, isKind, spawn } from "parley-client";

import { place, program, proxy, seeded, serve, until } from "./host.mjs";

/** A model that runs a command, for which an approval is requested, and ends. */
const approvalScript = 'call shell {"command":"echo hello > out.txt"}\nnext\ntext Done.\n';

/** Runs a test with a limit, so that a defect does not hang. */
const check = (name, run) => test(name, { timeout: 60_000 }, run);

/** Connects to a host; the client is closed with the test. */
async function client(t, address, options = {}) {
  const c = await connect(address, options);
  t.after(() => c.close());
  return c;
}

check("a process of its own has a turn, whose text comes as it is streamed; a prompt that is repeated does nothing", async (t) => {
  const p = place(t, "text Hello there.\nnext\ntext Hello there.\n");
  const c = await spawn({ program, cwd: p.work, env: p.env, name: "test", version: "1" });
  t.after(() => c.close());
  assert.equal(c.host.role, "owner");
  const s = await c.create({ workspace: "." });
  const first = await s.prompt({ id: "p-1", text: "Go." });
  const second = await s.prompt({ id: "p-1", text: "Go." });
  assert.ok(first.turn);
  assert.equal(second.turn, first.turn);
  await until(s, "turn_ended");
  const state = await s.state();
  assert.deepEqual([state.session, state.turns, state.busy], [s.id, 1, false]);

  let streamed = "";
  let text = "";
  for await (const record of s.follow({ from: state.head, transient: ["text_delta"] })) {
    if (record.seq === state.head) {
      await s.prompt("Once more."); // now deltas are sent, too
    } else if (record.kind === "text_delta") {
      streamed += record.data.text;
    } else if (record.kind === "assistant_message") {
      text = record.data.blocks[0].text;
    } else if (record.kind === "turn_ended") {
      break;
    }
  }
  assert.deepEqual([text, streamed], ["Hello there.", "Hello there."]);

  const listed = [];
  for await (const one of c.sessions({ limit: 1 })) {
    listed.push(one.id);
  }
  assert.deepEqual(listed, [s.id]);
  const page = await s.records({ before: 3, limit: 1 });
  assert.deepEqual([page.records[0].seq, page.more], [2, true]);
  assert.equal((await c.request("models/list", {})).default, "offline/script");
  await assert.rejects(c.session("none").close(), (error) => error instanceof RequestError && error.code === -32003 && isKind(error, "no_session"));
  await assert.rejects(s.steer("late"), (error) => isKind(error, "idle"));
  await c.close();
  await assert.rejects(s.state(), ClosedError);
  await assert.rejects(s.follow().next(), ClosedError);
});

check("of two clients the first answers, and the other learns who did; notifications name clients that come", async (t) => {
  const p = place(t, approvalScript);
  const { socket } = await serve(t, p);
  const joined = [];
  const a = await client(t, `unix:${socket}`, { name: "a", onNotification: (n) => n.method === "client/joined" && joined.push(n.params.client.name) });
  const b = await client(t, `unix:${socket}`, { name: "b" });
  const s = await a.create({ workspace: p.work, settings: { mode: "prompt" } });
  await s.prompt("Go.");
  const asked = (await until(s, "approval_asked")).at(-1);
  assert.match(asked.data.request.command, /echo hello/);
  await s.state(); // the end of the loop has reached the host
  await b.session(s.id).approve(asked.data.id);
  await assert.rejects(s.deny(asked.data.id, "no"), (error) => isKind(error, "answered") && error.data.allowed === true && /answered by b/.test(error.message));
  const ended = (await until(s, "turn_ended")).at(-1);
  assert.equal(ended.data.reason, "completed");
  assert.deepEqual(joined, ["b"]);
  assert.equal(readFileSync(join(p.work, "out.txt"), "utf8"), "hello\n");
});

check("a question is answered, settings change, a turn is interrupted", async (t) => {
  const p = place(t, 'call ask {"questions":[{"question":"Which?","header":"Which","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}\nnext\ncall shell {"command":"sleep 1000"}\n');
  const { socket } = await serve(t, p);
  const c = await client(t, `unix:${socket}`);
  const s = await c.create({ workspace: p.work, settings: { mode: "danger-full-access" } });
  const { changed } = await s.state();
  await s.change({ name: "a name" }, { expected: changed });
  await assert.rejects(s.change({ name: "another" }, { expected: changed }), (error) => isKind(error, "stale") && error.data.changed === 2);
  await s.prompt("Go.");
  let outcome = "";
  for await (const record of s.follow()) {
    if (record.kind === "question_asked") {
      await s.answer(record.data.id, [["B"]]);
    } else if (record.kind === "question_answered") {
      assert.deepEqual(record.data.answers, [["B"]]);
    } else if (record.kind === "tool_started" && record.data.call === "call_2") {
      assert.equal(await s.interrupt("another"), false);
      assert.equal(await s.interrupt(record.turn), true);
    } else if (record.kind === "turn_ended") {
      outcome = record.data.reason;
      break;
    }
  }
  assert.equal(outcome, "interrupted");
});

/** A script of many calls, whose turn has more than 100 records. */
const longScript = Array.from({ length: 20 }, (_, n) => `call shell {"command":"echo ${n}"}\nnext\n`).join("") + "text Done.\n";

/** Follows a long turn over connections that are cut, and compares the records with those of a client that is never cut. */
async function checkCut(t, p, { socket }, address, options, connections) {
  const whole = await client(t, `unix:${socket}`, { name: "whole" });
  const cut = await client(t, address, { name: "cut", ...options });
  const s = await whole.create({ workspace: p.work, settings: { mode: "danger-full-access" } });
  for (let n = 0; n < 3; n++) { // the answers to some are lost
    await cut.session(s.id).prompt({ id: "p-1", text: "Go." });
  }
  const pieces = await until(cut.session(s.id), "turn_ended");
  const all = await until(s, "turn_ended");
  assert.ok(all.length > 60, `${all.length} records`);
  assert.deepEqual(pieces, all);
  assert.ok(connections() >= 3, `${connections()} connections`);
}

for (const seed of [1, 2, 3]) {
  check(`over a Unix socket that is cut at random, follow yields what a client sees that is never cut (seed ${seed})`, async (t) => {
    const p = place(t, longScript);
    const host = await serve(t, p);
    const random = seeded(seed);
    const path = join(p.root, "proxy");
    const { connections } = await proxy(t, { path }, { path: host.socket }, () => 1000 + Math.floor(random() * 12_000));
    await checkCut(t, p, host, `unix:${path}`, {}, connections);
  });
}

check("over WebSocket, too", async (t) => {
  const p = place(t, longScript);
  const host = await serve(t, p, "--listen", "127.0.0.1:0");
  const token = readFileSync(host.token_file, "utf8").trim();
  const random = seeded(4);
  const { address, connections } = await proxy(t, { host: "127.0.0.1", port: 0 }, { host: "127.0.0.1", port: Number(new URL(host.urls[0]).port) }, () => 2000 + Math.floor(random() * 12_000));
  await checkCut(t, p, host, `ws://127.0.0.1:${address.port}`, { token }, connections);
  await assert.rejects(connect(host.urls[0].replace("http", "ws"), { token: "wrong" }), ConnectError);
});

check("a host is killed while a call waits and started again: follow goes on, and the turn is closed as interrupted", async (t) => {
  const p = place(t, approvalScript);
  const host = await serve(t, p);
  let connected = 0;
  const c = await client(t, `unix:${host.socket}`, { onConnect: () => connected++ });
  const s = await c.create({ workspace: p.work, settings: { mode: "prompt" } });
  await s.prompt("Go.");
  const all = [];
  for await (const record of s.follow()) {
    all.push(record);
    assert.equal(record.seq, all.length);
    if (record.kind === "approval_asked") {
      await host.kill();
      await serve(t, p);
    }
    if (record.kind === "turn_ended") {
      break;
    }
  }
  assert.equal(all.at(-1).data.reason, "interrupted");
  assert.equal(connected, 2);
});

check("of requests whose answer is lost, those are repeated whose repeat does nothing else", async (t) => {
  const p = place(t, "text Hello.\n");
  const { socket } = await serve(t, p);
  const path = join(p.root, "proxy");
  const { cutNext, connections } = await proxy(t, { path }, { path: socket });
  const c = await client(t, `unix:${path}`);
  const s = await c.create({ workspace: p.work });
  cutNext();
  await assert.rejects(s.request("session/fork", {}), LostError);
  cutNext();
  assert.equal((await s.state()).session, s.id);
  cutNext();
  const other = await c.create({ workspace: p.work }); // the repeat finds the session of the first request
  assert.equal(connections(), 4);
  assert.equal((await other.state()).turns, 0);
});

check("a lost connection is tried again as long as the patience lasts", async (t) => {
  const p = place(t, "text Hello.\n");
  const host = await serve(t, p);
  const c = await client(t, `unix:${host.socket}`, { patienceMs: 100 });
  await host.kill();
  await assert.rejects(c.request("ping", {}), ConnectError);
  await serve(t, p);
  await c.request("ping", {});
});

check("a slow loop gets every record once although few may wait", async (t) => {
  const p = place(t, longScript);
  const { socket } = await serve(t, p);
  const fast = await client(t, `unix:${socket}`);
  const path = join(p.root, "proxy");
  const { sent } = await proxy(t, { path }, { path: socket });
  const slow = await client(t, `unix:${path}`, { maxWaiting: 3000 });
  const s = await fast.create({ workspace: p.work, settings: { mode: "danger-full-access" } });
  await s.prompt("Go.");
  const all = await until(s, "turn_ended");
  const seen = [];
  for await (const record of slow.session(s.id).follow()) {
    seen.push(record);
    await slow.request("ping", {}); // what was sent meanwhile has come
    if (record.kind === "turn_ended") {
      break;
    }
  }
  assert.deepEqual(seen, all);
  const follows = sent().split('"session/follow"').length - 1;
  assert.ok(follows > 3, `it was followed ${follows} times`);
});

check("signals end requests and loops; a session is followed once at a time, and again after a loop has ended", async (t) => {
  const p = place(t, "text Hello.\n");
  const { socket } = await serve(t, p);
  const c = await client(t, `unix:${socket}`);
  const s = await c.create({ workspace: p.work });
  const reason = new Error("enough");
  await assert.rejects(s.state({ signal: AbortSignal.abort(reason) }), reason);
  for await (const _ of s.follow()) {
    await assert.rejects(s.follow().next(), FollowedError);
    break;
  }
  const stop = new AbortController();
  let seen = 0;
  await assert.rejects(async () => {
    for await (const record of s.follow({ signal: stop.signal })) {
      seen += record.seq;
      setImmediate(() => stop.abort(reason)); // the loop waits then
    }
  }, reason);
  assert.equal(seen, 1);
  const waiting = assert.rejects(s.follow({ from: 2 }).next(), ClosedError);
  await s.state(); // it is followed now
  await c.close();
  await waiting;
});

check("a session that is ended for all ends the loop", async (t) => {
  const p = place(t, "text Hello.\n");
  const { socket } = await serve(t, p);
  const a = await client(t, `unix:${socket}`);
  const b = await client(t, `unix:${socket}`);
  const s = await a.create({ workspace: p.work });
  const kinds = [];
  for await (const record of b.session(s.id).follow()) {
    kinds.push(record.kind);
    await s.request("session/close", { end: true });
  }
  assert.equal(kinds[0], "session_created");
});

check("a large output is read in pieces by its address", async (t) => {
  const p = place(t, 'call shell {"command":"seq 200000"}\nnext\ntext Done.\n');
  const { socket } = await serve(t, p);
  const c = await client(t, `unix:${socket}`);
  const s = await c.create({ workspace: p.work, settings: { mode: "danger-full-access" } });
  await s.prompt("Go.");
  const ended = (await until(s, "turn_ended")).find((record) => record.kind === "tool_ended");
  const whole = new TextDecoder().decode(await s.blob(ended.data.shell.full_blob));
  assert.ok(whole.length > 1 << 20 && whole.endsWith("\n199999\n200000\n"), `${whole.length} characters`);
});

check("addresses where no host is, and none at all", async (t) => {
  const { root } = place(t, "");
  for (const address of [`unix:${join(root, "none")}`, "ws://127.0.0.1:1"]) {
    await assert.rejects(connect(address), ConnectError);
  }
  for (const address of ["tcp:1", ""]) {
    await assert.rejects(connect(address), TypeError);
  }
  await assert.rejects(spawn({ program: join(root, "none") }), ConnectError);
});

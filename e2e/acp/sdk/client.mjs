// What the journeys share: an agent in a folder of its own, a client of the official SDK that drives it, and a record of every
// line between the two, which the test in Go checks when all is over.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { Tap } from "./record.mjs";

export const { methods, RequestError } = acp;

const scratch = process.env.PARLEY_SCRATCH;
const records = process.env.PARLEY_RECORDS;

// journey is a test that ends when something that it waits for does not come.
export const journey = (name, run) => test(name, { timeout: 120_000 }, run);

// A Place is the folders that processes of one journey share.
export class Place {
  constructor() {
    this.root = fs.realpathSync(fs.mkdtempSync(path.join(scratch, "place-")));
    this.work = path.join(this.root, "work");
    this.home = path.join(this.root, "home");
    fs.mkdirSync(this.work);
    fs.mkdirSync(this.home);
  }

  file(name) {
    return path.join(this.work, name);
  }

  write(name, text) {
    fs.writeFileSync(this.file(name), text);
  }

  read(name) {
    return fs.readFileSync(this.file(name), "utf8");
  }

  has(name) {
    return fs.existsSync(this.file(name));
  }

  // agent starts the program with a model that plays a script, and a client with some abilities:
  // permission, readTextFile, writeTextFile, terminals and elicitation are handlers; without one the client lacks the capability.
  async agent(t, script, { args = [], ...abilities } = {}) {
    const agent = new Agent(this, script, args, abilities);
    t.after(() => agent.child.kill("SIGKILL"));
    agent.initialized = await agent.request(methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: "journeys", version: "1.0.0" },
      clientCapabilities: agent.capabilities(),
    });
    return agent;
  }
}

// An Agent is a running program and the client that is connected to it.
export class Agent {
  constructor(place, script, args, abilities) {
    const file = path.join(place.root, `${fs.readdirSync(place.root).length}.script`);
    fs.writeFileSync(file, script);
    this.abilities = abilities;
    this.place = place;
    this.updates = []; // what session/update said, in order
    this.waiting = [];
    this.child = spawn(process.env.PARLEY, ["acp", ...args], {
      cwd: place.work,
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        HOME: place.home,
        PARLEY_HOME: path.join(place.home, ".parley"),
        LANG: "C.UTF-8",
        PARLEY_MODEL: "offline/script",
        PARLEY_OFFLINE_SCRIPT: file,
      },
    });
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(code ?? signal)));
    const record = path.join(records, `${path.basename(place.root)}-${path.basename(file)}.ndjson`);
    const output = this.child.stdout.pipe(new Tap(record, "agent"));
    const input = new Tap(record, "client");
    input.pipe(this.child.stdin);
    this.input = input;
    this.connection = this.client().connect(acp.ndJsonStream(Writable.toWeb(input), Readable.toWeb(output)));
  }

  capabilities() {
    const { readTextFile, writeTextFile, terminals, elicitation } = this.abilities;
    return {
      fs: { readTextFile: !!readTextFile, writeTextFile: !!writeTextFile },
      terminal: !!terminals,
      ...(elicitation && { elicitation: { form: {} } }),
    };
  }

  // client is the application of the SDK.
  client() {
    const app = acp.client({ name: "journeys" });
    const { permission, readTextFile, writeTextFile, terminals, elicitation } = this.abilities;
    app.onNotification(methods.client.session.update, ({ params }) => this.received(params));
    app.onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      assert.ok(permission, `unexpected permission: ${JSON.stringify(params)}`);
      return permission(params, signal, this);
    });
    if (readTextFile) app.onRequest(methods.client.fs.readTextFile, ({ params }) => readTextFile(params));
    if (writeTextFile) app.onRequest(methods.client.fs.writeTextFile, ({ params }) => writeTextFile(params));
    if (elicitation) app.onRequest(methods.client.elicitation.create, ({ params }) => elicitation(params));
    if (terminals) {
      const { terminal } = methods.client;
      app.onRequest(terminal.create, ({ params }) => terminals.create(params));
      app.onRequest(terminal.output, ({ params }) => terminals.output(params));
      app.onRequest(terminal.waitForExit, ({ params }) => terminals.waitForExit(params));
      app.onRequest(terminal.kill, ({ params }) => terminals.kill(params));
      app.onRequest(terminal.release, ({ params }) => terminals.release(params));
    }
    return app;
  }

  request(method, params, options) {
    return this.connection.agent.request(method, params, options);
  }

  notify(method, params) {
    return this.connection.agent.notify(method, params);
  }

  received(notification) {
    this.updates.push(notification);
    this.waiting = this.waiting.filter(({ wanted, resolve }) => !wanted(notification) || resolve(notification.update));
  }

  // update waits for an update, which may have come.
  update(sessionId, kind) {
    const wanted = (n) => n.sessionId === sessionId && n.update.sessionUpdate === kind;
    const known = this.updates.find(wanted);
    if (known) return Promise.resolve(known.update);
    return new Promise((resolve) => this.waiting.push({ wanted, resolve: (u) => void resolve(u) }));
  }

  // of returns the updates of a session, those of some kinds if there are any.
  of(sessionId, ...kinds) {
    return this.updates
      .filter((n) => n.sessionId === sessionId)
      .map((n) => n.update)
      .filter((u) => !kinds.length || kinds.includes(u.sessionUpdate));
  }

  async session(more = {}) {
    const made = await this.request(methods.agent.session.new, { cwd: this.place.work, mcpServers: [], ...more });
    return { id: made.sessionId, ...made };
  }

  // prompt prompts and returns the answer and what was sent before it.
  async prompt(session, text, options) {
    const before = this.of(session.id).length;
    const answer = await this.request(methods.agent.session.prompt, { sessionId: session.id, prompt: [{ type: "text", text }] }, options);
    return { ...answer, updates: this.of(session.id).slice(before) };
  }

  // close ends the input and wants the program to end in peace.
  async close() {
    this.input.end();
    assert.equal(await this.ended, 0, "the exit code");
  }
}

// said joins the text of messages of the agent.
export function said(updates) {
  return updates
    .filter((u) => u.sessionUpdate === "agent_message_chunk")
    .map((u) => u.content.text)
    .join("");
}

// states returns the statuses that a tool call had, in order; all of one turn if no id is given.
export function states(updates, id) {
  return updates
    .filter((u) => ["tool_call", "tool_call_update"].includes(u.sessionUpdate) && (!id || u.toolCallId === id) && u.status)
    .map((u) => u.status)
    .filter((s, i, all) => s !== all[i - 1]);
}

// choose answers a permission with the option of an id, and wants it to be there.
export function choose(optionId) {
  return ({ options }) => {
    assert.ok(options.some((o) => o.optionId === optionId), `${optionId} is not offered: ${JSON.stringify(options)}`);
    return { outcome: { outcome: "selected", optionId } };
  };
}

// refused wants a request to fail with a code.
export async function refused(promise, code) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code, `${error.code} ${error.message}`);
    return true;
  });
}

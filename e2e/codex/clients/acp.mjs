// The official adapter for the Agent Client Protocol drives the program that CODEX names: a session, prompts, a permission that is
// granted and one that is refused, cancel, and the same session in another process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const adapter = fileURLToPath(import.meta.resolve("@agentclientprotocol/codex-acp"));

// An Adapter is a running adapter and a client of its; answer decides on permissions, seen gets each update of a session.
class Adapter {
  constructor() {
    this.updates = [];
    this.waiting = new Map();
    this.seen = () => {};
    this.answer = () => "";
    this.child = spawn(process.execPath, [adapter], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, CODEX_PATH: process.env.CODEX, CODEX_API_KEY: process.env.MODEL_KEY, NO_BROWSER: "1" },
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.take(JSON.parse(line)));
  }

  take(message) {
    if (message.method === undefined) {
      const { resolve, reject } = this.waiting.get(message.id);
      return message.error ? reject(new Error(JSON.stringify(message.error))) : resolve(message.result);
    }
    if (message.method === "session/update") {
      this.updates.push(message.params.update);
      return this.seen(message.params.update);
    }
    if (message.method === "session/request_permission") {
      this.permission = message.params;
      const option = message.params.options.find((each) => each.kind === this.answer(message.params));
      assert.ok(option, JSON.stringify(message.params.options));
      return this.send({ id: message.id, result: { outcome: { outcome: "selected", optionId: option.optionId } } });
    }
    if (message.id !== undefined) this.send({ id: message.id, error: { code: -32601, message: "not here" } });
  }

  send(message) {
    this.child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }

  request(method, params) {
    const id = this.waiting.size + 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  async prompt(sessionId, text) {
    this.updates = [];
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  text() {
    return this.updates.filter((each) => each.sessionUpdate === "agent_message_chunk").map((each) => each.content.text).join("");
  }

  async initialize() {
    const answer = await this.request("initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "journey", version: "1" } });
    assert.equal(answer.protocolVersion, 1);
    return answer;
  }

  async end() {
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin.end();
    await gone;
  }
}

const first = new Adapter();
const { agentCapabilities } = await first.initialize();
assert.ok(agentCapabilities.loadSession);
const { sessionId } = await first.request("session/new", { cwd: process.env.WORK, mcpServers: [] });
assert.equal((await first.prompt(sessionId, "say hello")).stopReason, "end_turn");
assert.equal(first.text(), "Hello from Parley.");

first.answer = () => "allow_once";
assert.equal((await first.prompt(sessionId, "make the first file")).stopReason, "end_turn");
assert.ok(first.permission, "no permission was requested");
assert.equal(first.text(), "The first file is there.");

first.answer = () => "reject_once";
const declined = await first.prompt(sessionId, "make the second file");
assert.ok(["end_turn", "cancelled"].includes(declined.stopReason), declined.stopReason);

const running = first.prompt(sessionId, "wait");
await new Promise((resolve) => {
  first.seen = (update) => update.sessionUpdate === "agent_message_chunk" && resolve();
});
first.send({ method: "session/cancel", params: { sessionId } });
assert.equal((await running).stopReason, "cancelled");
await first.end();

const second = new Adapter();
await second.initialize();
await second.request("session/load", { sessionId, cwd: process.env.WORK, mcpServers: [] });
assert.match(second.text(), /Hello from Parley\.[^]*The first file is there\./);
const list = await second.request("session/list", { cwd: process.env.WORK });
assert.deepEqual(list.sessions.map((each) => each.sessionId), [sessionId]);
assert.equal((await second.prompt(sessionId, "are you there")).stopReason, "end_turn");
assert.equal(second.text(), "Loaded and well.");
await second.end();

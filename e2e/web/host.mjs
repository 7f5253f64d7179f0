// A host of the built program with a scripted model, and a second client of it. PARLEY is the program.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = process.env.PARLEY;

/** How long a test waits for something that has to come, in milliseconds. */
export const patience = 60_000;

/** Waits until a function returns something true, and returns that. */
export async function until(what, get) {
  const end = Date.now() + patience;
  for (let failure; ; ) {
    try {
      const value = await get();
      if (value) {
        return value;
      }
    } catch (error) {
      failure = error;
    }
    if (Date.now() > end) {
      throw new Error(`still not: ${what}`, { cause: failure });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const cleanups = new WeakMap();

/** Calls a function after a test: what was registered last comes first, so that pages are checked before their host ends. */
export function cleanup(t, end) {
  if (!cleanups.has(t)) {
    const all = [];
    cleanups.set(t, all);
    t.after(async () => {
      const failures = [];
      for (const one of all.reverse()) {
        try {
          await one();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) {
        throw failures[0];
      }
    });
  }
  cleanups.get(t).push(end);
}

/** A host in folders of its own, which go with the test. */
export class Host {
  #t;
  #process;

  /** Starts a host. options: script (default: the demo model), env, config, state (a folder to copy), args. */
  static async start(t, options = {}) {
    const host = new Host();
    host.#t = t;
    host.root = realpathSync(mkdtempSync(join(tmpdir(), "parley-web-")));
    host.work = process.env.PARLEY_PICTURES_WORKSPACE || join(host.root, "shop"); // which pictures show
    mkdirSync(host.work);
    if (options.state) {
      cpSync(options.state, join(host.root, "state"), { recursive: true });
    }
    host.env = {
      PATH: process.env.PATH,
      HOME: host.root,
      TMPDIR: host.root,
      LANG: "C.UTF-8",
      PARLEY_HOME: join(host.root, "state"),
      ...(options.script === undefined ? {} : { PARLEY_MODEL: "offline/script", PARLEY_OFFLINE_SCRIPT: join(host.root, "model.script") }),
      ...options.env,
    };
    host.play(options.script ?? "");
    host.args = options.args ?? [];
    cleanup(t, async () => {
      await host.kill();
      for (const folder of [host.root, host.work]) {
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    });
    await host.#launch([]);
    return host;
  }

  /** Replaces the script of the model, which the next start plays. */
  play(script) {
    writeFileSync(join(this.root, "model.script"), script);
  }

  /** Writes a file of the workspace. */
  write(name, text) {
    writeFileSync(join(this.work, name), text);
  }

  async #launch(args) {
    this.#process = spawn(program, ["serve", "--json", "--web", ...args, ...this.args], { cwd: this.work, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.messages = "";
    this.#process.stderr.setEncoding("utf8").on("data", (text) => (this.messages += text));
    this.ended = once(this.#process, "close");
    for await (const line of createInterface({ input: this.#process.stdout })) {
      this.ready = JSON.parse(line);
      this.url = this.ready.urls[0];
      return;
    }
    throw new Error(`the host does not start: ${this.messages}`);
  }

  /** Ends the host at once. */
  async kill() {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  /** Starts the host again at the same address. */
  async restart() {
    await this.#launch(["--listen", this.url.replace("http://", "")]);
  }

  /** Runs a command of the program and returns what it prints. */
  run(...args) {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: this.work, env: this.env, encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`parley ${args.join(" ")}: exit ${status}, ${stderr}`);
    }
    return stdout;
  }

  /** Returns a new link for a role. */
  link(role = "owner") {
    return JSON.parse(this.run("host", "link", "--role", role, "--json")).web;
  }

  /** Connects a client at the socket. */
  async client(name = "other") {
    const client = new Client(createConnection(this.ready.socket));
    cleanup(this.#t, () => client.close());
    await client.begin(this.work, name);
    return client;
  }

  /** Makes a session by a client. Returns its id. */
  async session(client, settings = { mode: "prompt" }, more = {}) {
    const { session } = await client.request("session/create", { workspace: this.work, settings, ...more });
    return session;
  }
}

/** A client of the native protocol at a socket. */
class Client {
  #socket;
  #calls = new Map();
  #next = 1;
  #lines;
  #handlers = [];
  records = [];

  constructor(socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    this.#lines = createInterface({ input: socket });
  }

  async begin(cwd, name) {
    this.#socket.write(JSON.stringify({ parley: 1, dialect: "native", cwd }) + "\n");
    const [answer] = await once(this.#lines, "line");
    if (!JSON.parse(answer).ok) {
      throw new Error(answer);
    }
    this.#lines.on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === "record") {
        this.records.push(message.params.record);
        this.#handlers.forEach((handle) => handle(message.params.record));
      }
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error) {
        call?.reject(Object.assign(new Error(message.error.message), message.error));
      } else {
        call?.resolve(message.result);
      }
    });
    this.hello = await this.request("initialize", { protocol: 1, client: { name } });
  }

  request(method, params = {}) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#calls.set(id, { resolve, reject });
      this.#socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  }

  follow(session) {
    return this.request("session/follow", { session, from: 1 });
  }

  /** Waits for a record. */
  record(what, matches) {
    return until(what, () => this.records.find(matches));
  }

  /** Sends a prompt and waits until its turn has ended. */
  async prompt(session, text, id = `p-${this.#next}`) {
    await this.request("turn/prompt", { session, id, blocks: [{ kind: "text", text }] });
    await until("the turn has ended", async () => (await this.request("session/state", { session })).status === "idle");
  }

  close() {
    this.#socket.destroy();
  }
}

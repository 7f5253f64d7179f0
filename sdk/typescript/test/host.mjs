// What the tests share: a folder, the program, a proxy. PARLEY is the program.

import { spawn as start } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const program = process.env.PARLEY ?? "parley";

/** Returns an environment with a model that plays a script; it goes with the test. */
export function place(t, script) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-ts-")));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const work = join(root, "work");
  mkdirSync(work);
  writeFileSync(join(work, "model.script"), script);
  return {
    root,
    work,
    env: {
      PATH: process.env.PATH,
      HOME: root,
      TMPDIR: root,
      LANG: "C.UTF-8",
      PARLEY_HOME: join(root, "state"),
      PARLEY_MODEL: "offline/script",
      PARLEY_OFFLINE_SCRIPT: join(work, "model.script"),
    },
  };
}

/** Starts a host and waits until clients can connect. */
export async function serve(t, { work, env }, ...args) {
  const child = start(program, ["serve", "--json", ...args], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (messages += text));
  const ended = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  t.after(kill);
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...JSON.parse(line), kill };
  }
  throw new Error(`the host does not start: ${messages}`);
}

/** A random number generator: the same numbers for the same seed (mulberry32). */
export function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Listens, and copies to another address. Of what the other sends, a connection gets as many bytes as limit says when it begins,
 * and is cut then; cutNext cuts it before the next byte.
 */
export async function proxy(t, from, to, limit = () => Infinity) {
  let connections = 0;
  let cut = false;
  let sent = "";
  const sockets = new Set();
  const server = createServer((near) => {
    connections++;
    const far = createConnection(to);
    let left = limit();
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    near.on("data", (data) => (sent += data)).pipe(far);
    far.on("data", (data) => {
      if (cut) {
        cut = false;
        end();
        return;
      }
      near.write(data.subarray(0, left));
      if ((left -= data.length) <= 0) {
        near.end();
        far.destroy();
      }
    });
  });
  server.listen(from);
  await once(server, "listening");
  t.after(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return { address: server.address(), connections: () => connections, sent: () => sent, cutNext: () => (cut = true) };
}

/** Follows a session up to a record of that kind, the last one returned; the numbers must be 1, 2, 3 … */
export async function until(session, kind, options = {}) {
  const all = [];
  for await (const record of session.follow(options)) {
    all.push(record);
    if (record.seq !== all.length) {
      throw new Error(`record ${all.length} has the number ${record.seq}`);
    }
    if (record.kind === kind) {
      break;
    }
  }
  return all;
}

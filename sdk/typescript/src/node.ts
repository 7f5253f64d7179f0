import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import type { Readable } from "node:stream";

import { onAbort, orAbort, type Dial } from "./lines.js";
import type { MakeSocket, Socket } from "./websocket.js";

/** How a process is started. */
export interface ProcessOptions {
  /** Default: parley. */
  program?: string | undefined;
  /** After rpc. */
  args?: string[] | undefined;
  /** Default: the folder of this process. */
  cwd?: string | undefined;
  /** Default: that of this process. */
  env?: { [name: string]: string | undefined } | undefined;
  /** Where its messages go; default: where those of this process go. */
  stderr?: "inherit" | "ignore" | undefined;
}

/** Calls a function with each line of a stream, without its end. */
function eachLine(stream: Readable, take: (line: string) => void): void {
  let pieces: Buffer[] = [];
  stream.on("data", (data: Buffer) => {
    let from = 0;
    for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, from)) {
      pieces.push(data.subarray(from, end));
      const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      pieces = [];
      from = end + 1;
      take(line.toString("utf8"));
    }
    if (from < data.length) {
      pieces.push(data.subarray(from));
    }
  });
}

/** Returns how to connect to the socket of a host. */
export function dialUnix(path: string): Dial {
  return async (receiver, signal) => {
    const socket = createConnection({ path });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    let take = (_: string) => {};
    const preamble = new Promise<string>((resolve, reject) => {
      take = resolve;
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the host has closed the connection")));
    });
    eachLine(socket, (line) => take(line));
    socket.on("error", () => {}); // close comes after it
    socket.write('{"parley":1,"dialect":"native"}\n');
    const takeBack = onAbort(signal, () => socket.destroy());
    try {
      const answer = JSON.parse(await orAbort(preamble, signal)) as { ok?: boolean; error?: string };
      if (answer.ok !== true) {
        throw new Error(`the host refuses: ${answer.error ?? "it has not said why"}`);
      }
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      takeBack();
    }
    take = (line) => receiver.line(line);
    socket.once("close", () => receiver.lost());
    return {
      send: (line) => void socket.write(line + "\n"),
      close: () => {
        socket.destroy();
        return closed;
      },
    };
  };
}

/** Returns how to start parley rpc. */
export function start({ program = "parley", args = [], cwd, env, stderr = "inherit" }: ProcessOptions): Dial {
  return async (receiver, signal) => {
    signal.throwIfAborted();
    const child = spawn(program, ["rpc", ...args], { cwd, env: env as NodeJS.ProcessEnv | undefined, stdio: ["pipe", "pipe", stderr] });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    eachLine(child.stdout, (line) => receiver.line(line));
    child.stdin.on("error", () => {}); // close comes after it
    await once(child, "spawn");
    void closed.then(() => receiver.lost());
    return {
      send: (line) => void child.stdin.write(line + "\n"),
      close: () => {
        child.stdin.end();
        return closed;
      },
    };
  };
}

/** Returns how to make a socket with a token: a global WebSocket, or that of the package ws where Node.js has none. */
export function makeSocket(token: string | undefined): MakeSocket {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return async (url, protocol) => {
    if (typeof globalThis.WebSocket === "function") {
      return new (globalThis.WebSocket as unknown as new (url: string, options: object) => Socket)(url, { protocols: [protocol], headers });
    }
    type Package = { WebSocket: new (url: string, protocols: string[], options: object) => Socket };
    const name = "ws"; // no declarations are needed
    const ws = (await import(name).catch((error: unknown) => {
      throw new Error("this version of Node.js has no WebSocket: install the package ws, or Node.js 22", { cause: error });
    })) as Package;
    return new ws.WebSocket(url, [protocol], { headers, maxPayload: 0 });
  };
}

// The line to the program that started this one: requests with ids in both directions on
// descriptors 3 and 4, and on 5 and 6 questions that are answered while all else stands still.
import fs from "node:fs";
import net from "node:net";

const IN = 3, OUT = 4, ASK = 5, TOLD = 6;
const pause = new Int32Array(new SharedArrayBuffer(4));

let said = 0; // lines on OUT

function write(fd, text) {
  if (fd === OUT) said++;
  const data = Buffer.from(text + "\n");
  for (let done = 0; done < data.length; ) {
    try {
      done += fs.writeSync(fd, data, done);
    } catch (err) {
      if (err.code !== "EAGAIN") throw err;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

let serial = 0;
const waiting = new Map(); // our requests, by id

export function notify(method, params) {
  write(OUT, JSON.stringify({ method, params }));
}

// request asks for something that may take a while. When signal fires, the other side is told
// and answers all the same.
export function request(method, params, signal) {
  return new Promise((resolve, reject) => {
    const id = ++serial;
    const text = JSON.stringify({ id, method, params });
    const cancel = () => notify("cancel", { id });
    waiting.set(id, (answer) => {
      signal?.removeEventListener("abort", cancel);
      if (answer.error !== undefined) reject(new Error(answer.error));
      else resolve(answer.result ?? undefined);
    });
    write(OUT, text);
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}

const chunk = Buffer.alloc(64 << 10);

// ask is a question whose answer is there at once. It is answered behind all that was said before.
export function ask(method, params) {
  write(ASK, JSON.stringify({ method, params, after: said }));
  const parts = [];
  for (;;) {
    let n;
    try {
      n = fs.readSync(TOLD, chunk, 0, chunk.length, null);
    } catch (err) {
      if (err.code !== "EAGAIN") throw err;
      Atomics.wait(pause, 0, 0, 1);
      continue;
    }
    if (n === 0) throw new Error("the session is over");
    parts.push(Buffer.from(chunk.subarray(0, n)));
    if (chunk[n - 1] === 0x0a) break;
  }
  const answer = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.result ?? undefined;
}

// messageOf is what an error says.
export function messageOf(err) {
  if (err instanceof Error || typeof err?.message === "string") return err.message || err.name || "an error without a message";
  try {
    return typeof err === "string" ? err : JSON.stringify(err) ?? String(err);
  } catch {
    return String(err);
  }
}

// listen reads until the other side has hung up. methods are what it may ask for:
// (params, signal) => result.
export function listen(methods, hungUp) {
  const running = new Map(); // its requests, by id

  async function serve({ id, method, params }) {
    const stop = new AbortController();
    running.set(id, stop);
    let answer;
    try {
      const result = await methods[method](params ?? {}, stop.signal, id);
      answer = JSON.stringify({ id, result: result ?? null });
    } catch (err) {
      answer = JSON.stringify({ id, error: messageOf(err) });
    }
    running.delete(id);
    write(OUT, answer);
  }

  function take(line) {
    const message = JSON.parse(line);
    if (message.method === undefined) {
      const settle = waiting.get(message.id);
      waiting.delete(message.id);
      settle?.(message);
    } else if (message.method === "cancel") {
      running.get(message.params.id)?.abort();
    } else {
      serve(message);
    }
  }

  let parts = [];
  function read(data) {
    for (let from = 0; ; ) {
      const end = data.indexOf(0x0a, from);
      if (end < 0) {
        if (from < data.length) parts.push(data.subarray(from));
        return;
      }
      parts.push(data.subarray(from, end));
      const line = Buffer.concat(parts).toString("utf8");
      parts = [];
      from = end + 1;
      take(line);
    }
  }

  const stream = process.versions.bun
    ? fs.createReadStream("", { fd: IN })
    : new net.Socket({ fd: IN, readable: true, writable: false });
  stream.on("data", read);
  stream.on("end", hungUp);
  stream.on("error", hungUp);
}

import { RecordBuffer } from "./buffer.js";
import { RequestError } from "./errors.js";
import { onAbort, type Dial, type Lines, type Receiver } from "./lines.js";
import type { ErrorData, Notification, RecordNote, SessionClosed } from "./protocol.js";

/** What a request rejects with when its connection is lost before the answer. */
export class ConnectionLost extends Error {}

/** A request that waits for its answer. */
interface PendingRequest {
  /** Called with a result before anything that comes after it. */
  accepted?: ((result: unknown) => void) | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Any line of the host. */
interface Line {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: ErrorData };
}

/** One connection to a host, until it is lost. */
export class Connection implements Receiver {
  #lines: Lines | undefined;
  #last = 0;
  #pending = new Map<number, PendingRequest>();
  #followed = new Map<string, RecordBuffer>();
  #notify: (notification: Notification) => void;
  #end = () => {};
  /** Nothing more comes. */
  isLost = false;
  /** Resolved when nothing more comes. */
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  private constructor(notify: (notification: Notification) => void) {
    this.#notify = notify;
  }

  static async open(dial: Dial, notify: (notification: Notification) => void, signal: AbortSignal): Promise<Connection> {
    const connection = new Connection(notify);
    connection.#lines = await dial(connection, signal);
    return connection;
  }

  line(line: string): void {
    let message: Line;
    try {
      message = JSON.parse(line) as Line;
    } catch {
      return; // no line of this protocol
    }
    if (message.method === undefined) {
      this.#answer(message);
    } else if (message.method === "record") {
      this.#record(message.params as RecordNote, line.length);
    } else {
      if (message.method === "session/closed") {
        const { session, reason } = message.params as SessionClosed;
        this.#followed.get(session)?.end(reason);
        this.#followed.delete(session);
      }
      this.#notify(message as Notification);
    }
  }

  #record({ session, record }: RecordNote, size: number): void {
    const buffer = this.#followed.get(session);
    if (buffer === undefined || buffer.ended) {
      return;
    }
    buffer.add(record, size);
    if (buffer.ended) {
      this.#stop(session);
    }
  }

  #answer({ id, result, error }: Line): void {
    const request = this.#pending.get(id ?? 0);
    if (request === undefined) {
      return;
    }
    this.#pending.delete(id ?? 0);
    if (error !== undefined) {
      request.reject(new RequestError(error.code, error.message, error.data));
      return;
    }
    request.accepted?.(result);
    request.resolve(result);
  }

  lost(): void {
    if (this.isLost) {
      return;
    }
    this.isLost = true;
    for (const request of this.#pending.values()) {
      request.reject(new ConnectionLost());
    }
    for (const buffer of this.#followed.values()) {
      buffer.end();
    }
    this.#pending.clear();
    this.#followed.clear();
    this.#end();
  }

  /** Sends a request and waits for its result. */
  request(method: string, params: unknown, signal?: AbortSignal, accepted?: (result: unknown) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.isLost || this.#lines === undefined) {
        reject(new ConnectionLost());
        return;
      }
      signal?.throwIfAborted();
      const id = ++this.#last;
      const takeBack = onAbort(signal, () => {
        this.#pending.delete(id);
        reject(signal?.reason);
      });
      this.#pending.set(id, {
        accepted,
        resolve: (result) => {
          takeBack();
          resolve(result);
        },
        reject: (error) => {
          takeBack();
          reject(error);
        },
      });
      this.#lines.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: params ?? {} }));
    });
  }

  /** Follows a session: from the answer on, its records go to the buffer. */
  async follow(params: { session: string }, buffer: RecordBuffer, signal: AbortSignal | undefined): Promise<void> {
    await this.request("session/follow", params, signal, () => this.#followed.set(params.session, buffer));
  }

  /** Ends what follow has begun, without waiting for the answer. */
  unfollow(session: string, buffer: RecordBuffer): void {
    if (this.#followed.get(session) === buffer) {
      this.#followed.delete(session);
      if (!buffer.ended) {
        this.#stop(session);
      }
    }
    buffer.end();
  }

  /** Requests that no more records are sent. */
  #stop(session: string): void {
    this.request("session/unfollow", { session }).catch(() => {}); // a connection that is lost sends none
  }

  async close(): Promise<void> {
    this.lost();
    await this.#lines?.close();
  }
}

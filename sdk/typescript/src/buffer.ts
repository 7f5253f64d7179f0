import { onAbort } from "./lines.js";
import type { SessionRecord } from "./protocol.js";

/**
 * The records of a followed session that wait for a loop. There is one for each session/follow: it ends when the connection is
 * lost, the session is closed, or more waits than the limit.
 */
export class RecordBuffer {
  #waiting: SessionRecord[] = [];
  #size = 0;
  #wake = () => {};
  #limit: number;
  ended = false;
  /** The reason of session/closed; undefined: it has ended otherwise. */
  reason: string | undefined;

  /** The limit is in characters of lines. One record may always wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a record whose line has so many characters, or ends the buffer if there is no room for it. */
  add(record: SessionRecord, size: number): void {
    this.#size += size;
    if (this.#size > this.#limit && this.#waiting.length > 0) {
      this.end();
      return;
    }
    this.#waiting.push(record);
    this.#wake();
  }

  end(reason?: string): void {
    this.ended = true;
    this.reason ??= reason;
    this.#wake();
  }

  /** Waits for records, and returns all that wait; none: it has ended. Throws the reason of the signal. */
  async take(signal: AbortSignal | undefined): Promise<SessionRecord[]> {
    if (this.#waiting.length === 0 && !this.ended) {
      await new Promise<void>((resolve) => {
        const takeBack = onAbort(signal, resolve);
        this.#wake = () => {
          takeBack();
          resolve();
        };
      });
      this.#wake = () => {};
    }
    signal?.throwIfAborted();
    const records = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    return records;
  }
}

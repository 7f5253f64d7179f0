import { RecordBuffer } from "./buffer.js";
import type { CallOptions, Client, Method, ParamsOf, ResultOf } from "./client.js";
import { ConnectionLost, type Connection } from "./connection.js";
import { FollowedError, isKind } from "./errors.js";
import { orAbort } from "./lines.js";
import type {
  DurableRecord,
  Kind,
  PromptBlock,
  SessionRecord,
  SettingsPatch,
  State,
  Thinking,
  TransientKind,
  TurnPromptResult,
} from "./protocol.js";
import { randomId } from "./random.js";

/** What the user says. A string is the same as { text }. */
export interface Prompt {
  /** Repeats with the same id do nothing; default: one is made up. */
  id?: string | undefined;
  /** A block before blocks. */
  text?: string | undefined;
  blocks?: PromptBlock[] | undefined;
}

/** A prompt that begins a turn. */
export interface TurnPrompt extends Prompt {
  /** What is done with it while another turn runs; default: refuse. */
  ifBusy?: "refuse" | "steer" | "queue" | undefined;
  /** For the model, during this turn. */
  instructions?: string | undefined;
  thinking?: Thinking | undefined;
}

/** Which records to follow. */
export interface FollowOptions extends CallOptions {
  /** The first number; default: all. */
  from?: number | undefined;
  /** Kinds of records that are not stored, such as text_delta; default: none. */
  transient?: TransientKind[] | undefined;
  /** Deltas within so many milliseconds are merged. */
  paceMs?: number | undefined;
}

/** Which records to read. */
export interface RecordsOptions extends CallOptions {
  from?: number | undefined;
  before?: number | undefined;
  limit?: number | undefined;
  kinds?: Kind[] | undefined;
}

/** What sessions need of their client. */
interface Follower {
  maxWaiting: number;
  followed: Set<string>;
  current(signal: AbortSignal | undefined): Promise<Connection>;
}

/** Methods whose params have a session. */
type SessionMethod = { [M in Method]: ParamsOf<M> extends { session: string } ? M : never }[Method];

/** A session of the host. */
export class Session {
  #client: Client;
  #follower: Follower;
  readonly id: string;

  /** Use Client.session, create or open. */
  constructor(client: Client, id: string, follower: Follower) {
    this.#client = client;
    this.id = id;
    this.#follower = follower;
  }

  /** Sends any request about the session: Client.request without the member session. */
  request<M extends SessionMethod>(method: M, params: Omit<ParamsOf<M>, "session">, options?: CallOptions): Promise<ResultOf<M>> {
    return this.#client.request(method, { ...params, session: this.id } as unknown as ParamsOf<M>, options);
  }

  /** Returns what the session is now. */
  state(options?: CallOptions): Promise<State> {
    return this.request("session/state", {}, options);
  }

  /** Begins a turn, or does with the prompt what ifBusy says. */
  prompt(prompt: string | TurnPrompt, options?: CallOptions): Promise<TurnPromptResult> {
    const { ifBusy: if_busy, instructions, thinking } = typeof prompt === "string" ? ({} as TurnPrompt) : prompt;
    return this.request("turn/prompt", { ...promptParams(prompt), ...withoutUndefined({ if_busy, instructions, thinking }) }, options);
  }

  /** Adds to the running turn. A RequestError of kind idle: none runs. */
  async steer(prompt: string | Prompt, options?: CallOptions): Promise<void> {
    await this.request("turn/steer", promptParams(prompt), options);
  }

  /** Queues a prompt after the running turn. A RequestError of kind idle: none runs. */
  async followUp(prompt: string | Prompt, options?: CallOptions): Promise<void> {
    await this.request("turn/follow_up", promptParams(prompt), options);
  }

  /** Ends a turn; without an id, whichever runs. False: it did not run. */
  async interrupt(turn?: string, options?: CallOptions): Promise<boolean> {
    return (await this.request("turn/interrupt", withoutUndefined({ turn }), options)).interrupted;
  }

  /** Allows the call of an approval_asked. A RequestError of kind answered: another client was first. */
  async approve(approval: string, options?: CallOptions): Promise<void> {
    await this.request("approval/answer", { approval, allow: true }, options);
  }

  /** Allows the call of an approval_asked, and the same for as long as the session is open. */
  async approveAll(approval: string, options?: CallOptions): Promise<void> {
    await this.request("approval/answer", { approval, allow: true, remember: "session" }, options);
  }

  /** Denies the call of an approval_asked; the reason is for the model. */
  async deny(approval: string, reason?: string, options?: CallOptions): Promise<void> {
    await this.request("approval/answer", { approval, allow: false, ...withoutUndefined({ reason }) }, options);
  }

  /** Answers a question_asked, with the chosen labels or a free text for each question; null declines. */
  async answer(question: string, answers: string[][] | null, options?: CallOptions): Promise<void> {
    await this.request("question/answer", { question, answers }, options);
  }

  /**
   * Changes settings by a merge patch, such as { model: "…" }. With expected, which is State.changed as last seen, a RequestError
   * of kind stale reports that another client was first.
   */
  async change(settings: SettingsPatch, { expected, signal }: CallOptions & { expected?: number | undefined } = {}): Promise<void> {
    await this.request("session/change", { settings, ...withoutUndefined({ expected }) }, { signal });
  }

  /** Returns a page of records, in ascending order, and whether there are more. */
  async records({ signal, ...which }: RecordsOptions = {}): Promise<{ records: DurableRecord[]; head: number; more: boolean }> {
    return this.request("session/records", withoutUndefined(which), { signal });
  }

  /** Returns an image or a large output, by the address that a record has. */
  async blob(address: string, options?: CallOptions): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let offset = 0; ; ) {
      const { data, size } = await this.request("session/blob", { address, offset }, options);
      const piece = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      pieces.push(piece);
      offset += piece.length;
      if (offset >= size || piece.length === 0) {
        const whole = new Uint8Array(offset);
        pieces.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
        return whole;
      }
    }
  }

  /** Leaves the session. What happens when no client is left depends on the configuration of the host. */
  async close(options?: CallOptions): Promise<void> {
    await this.request("session/close", {}, options);
  }

  /**
   * Yields the records of the session: first those that exist, then each that comes, until the session is ended or removed for
   * all. Each record that is stored comes exactly once and in order: after the loss of a connection the client connects again and
   * goes on with the next one. Transient records may be missed then.
   *
   * The loop throws the reason of the signal when that is aborted, and a ClosedError when the client is closed. A client follows
   * a session once at a time; a second loop throws a FollowedError.
   */
  async *follow({ from = 1, transient, paceMs, signal }: FollowOptions = {}): AsyncGenerator<SessionRecord, void, void> {
    const { followed } = this.#follower;
    if (followed.has(this.id)) {
      throw new FollowedError();
    }
    followed.add(this.id);
    try {
      let next = Math.max(from, 1);
      let reason: string | undefined;
      while (reason !== "ended" && reason !== "removed") {
        const connection = await this.#follower.current(signal);
        const buffer = new RecordBuffer(this.#follower.maxWaiting);
        try {
          if (await this.#begin(connection, buffer, { from: next, transient, pace_ms: paceMs }, signal)) {
            for (let records = await buffer.take(signal); records.length > 0; records = await buffer.take(signal)) {
              for (const record of records) {
                if (record.seq !== undefined && record.seq !== 0) {
                  if (record.seq < next) {
                    continue;
                  }
                  next = record.seq + 1;
                }
                yield record;
                signal?.throwIfAborted();
              }
            }
          }
        } finally {
          reason = buffer.reason;
          connection.unfollow(this.id, buffer);
        }
      }
    } finally {
      followed.delete(this.id);
    }
  }

  /** Requests records. False: the connection is lost. */
  async #begin(connection: Connection, buffer: RecordBuffer, options: Record<string, unknown>, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await connection.follow({ session: this.id, ...withoutUndefined(options) }, buffer, signal);
      return true;
    } catch (error) {
      if (isKind(error, "closing")) {
        await orAbort(connection.ended, signal); // soon
      } else if (!(error instanceof ConnectionLost)) {
        throw error;
      }
      return false;
    }
  }
}

/** Returns the params that all prompts have. */
function promptParams(prompt: string | Prompt): { id: string; blocks: [PromptBlock, ...PromptBlock[]] } {
  const { id = randomId(8), text, blocks = [] } = typeof prompt === "string" ? ({ text: prompt } as Prompt) : prompt;
  const all = text === undefined ? blocks : [{ kind: "text" as const, text }, ...blocks];
  return { id, blocks: all as [PromptBlock, ...PromptBlock[]] }; // the host refuses an empty one
}

/** Returns the members that are there. */
function withoutUndefined<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

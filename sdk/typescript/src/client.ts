import { Connection, ConnectionLost } from "./connection.js";
import { ClosedError, ConnectError, LostError, isKind } from "./errors.js";
import { onAbort, orAbort, sleep, type Dial } from "./lines.js";
import type { InitializeResult, Listed, Notification, Requests, SessionsListParams, SettingsPatch } from "./protocol.js";
import { randomId } from "./random.js";
import { Session } from "./session.js";

/** How a client connects. */
export interface Options {
  /** How others see the client; default: typescript. */
  name?: string | undefined;
  /** The version of the program; default: none. */
  version?: string | undefined;
  /** How long a lost connection is tried again before requests fail, in milliseconds; default: a minute. */
  patienceMs?: number | undefined;
  /** How many characters of records wait for a slow loop over follow; default: 16 Mi. */
  maxWaiting?: number | undefined;
  /** Aborts the first connection. */
  signal?: AbortSignal | undefined;
  /** Called after each connection that is made, the first one included: what holds for a connection, such as host/watch, is requested here. */
  onConnect?: ((host: InitializeResult) => void) | undefined;
  /** Called with each notification but those of records, for which Session.follow is. */
  onNotification?: ((notification: Notification) => void) | undefined;
}

/** What a single request takes besides its params. */
export interface CallOptions {
  /** Ends the wait for the answer; the promise is rejected with the reason. */
  signal?: AbortSignal | undefined;
}

/** The methods that can be requested. */
export type Method = Exclude<keyof Requests, "initialize">;

/** The params of a method. */
export type ParamsOf<M extends Method> = Requests[M]["params"];

/** The result of a method. */
export type ResultOf<M extends Method> = Requests[M]["result"];

/** What to create. */
export interface NewSession {
  /** Default: one is made up. */
  id?: string | undefined;
  /** A folder, absolute, or relative to that of a process that was started. */
  workspace: string;
  /** As in docs/native.md, such as { mode: "workspace-write", model: "…" }. */
  settings?: SettingsPatch | undefined;
  /** For the model, in addition to the system prompt. */
  instructions?: string | undefined;
  /** Whose tools and approvals it has; default: native. */
  profile?: string | undefined;
}

/** The pauses between attempts to connect again, in milliseconds. */
const firstPause = 20;
const longestPause = 2000;

/** The requests that must not be sent twice: a repeat does something else. */
const once = new Set<string>(["session/fork", "session/compact", "session/branch", "token/create"]);

/** A client is connected to a host. It connects again by itself. */
export class Client {
  #options: Options;
  #dial: Dial;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #closing = new AbortController();
  #host: InitializeResult | undefined;
  /** The sessions that are followed. */
  #followed = new Set<string>();

  private constructor(dial: Dial, options: Options) {
    this.#dial = dial;
    this.#options = options;
  }

  /** Makes the first connection. Use connect or spawn. */
  static async open(dial: Dial, options: Options): Promise<Client> {
    const client = new Client(dial, options);
    client.#connection = await client.#connect(options.signal ?? client.#closing.signal);
    return client;
  }

  /** What the host has said of itself when the last connection was made: its methods, the role of the client, limits. */
  get host(): InitializeResult {
    if (this.#host === undefined) {
      throw new ClosedError(); // open has set it
    }
    return this.#host;
  }

  /** Makes a connection and initializes it. */
  async #connect(signal: AbortSignal): Promise<Connection> {
    let connection: Connection | undefined;
    try {
      signal.throwIfAborted();
      connection = await Connection.open(this.#dial, (notification) => this.#options.onNotification?.(notification), signal);
      const { name = "typescript", version } = this.#options;
      this.#host = (await connection.request("initialize", { protocol: 1, client: { name, version } }, signal)) as InitializeResult;
    } catch (error) {
      await connection?.close();
      throw signal.aborted ? signal.reason : new ConnectError(`connect to Parley: ${text(error)}`, { cause: error });
    }
    this.#options.onConnect?.(this.#host);
    return connection;
  }

  /** Returns the connection, made again if it is lost. */
  async #current(signal: AbortSignal | undefined): Promise<Connection> {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) {
      throw new ClosedError();
    }
    if (this.#connection !== undefined && !this.#connection.isLost) {
      return this.#connection;
    }
    if (this.#connecting === undefined) {
      this.#connecting = this.#reconnect().finally(() => {
        this.#connecting = undefined;
      });
      this.#connecting.catch(() => {}); // those who wait for it have the error; they may all have gone
    }
    return orAbort(this.#connecting, signal);
  }

  /** Connects again, and again until the patience ends. */
  async #reconnect(): Promise<Connection> {
    await this.#connection?.close();
    this.#connection = undefined;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.#options.patienceMs ?? 60_000);
    const takeBack = onAbort(this.#closing.signal, () => patience.abort());
    let failure: unknown = new ConnectError("connect to Parley: no attempt was made in time");
    try {
      for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
        try {
          this.#connection = await this.#connect(patience.signal);
        } catch (error) {
          failure = patience.signal.aborted ? failure : error;
          await sleep(pause, patience.signal);
          continue;
        }
        if (this.#closing.signal.aborted) {
          await this.#connection.close();
          throw new ClosedError();
        }
        return this.#connection;
      }
    } catch {
      throw this.#closing.signal.aborted ? new ClosedError() : failure;
    } finally {
      clearTimeout(timer);
      takeBack();
    }
  }

  /**
   * Sends a request and returns its result. It is sent again if the connection is lost before the answer comes, except for
   * methods whose repeat does something else: they throw a LostError.
   */
  async request<M extends Method>(method: M, params: ParamsOf<M>, { signal }: CallOptions = {}): Promise<ResultOf<M>> {
    for (;;) {
      const connection = await this.#current(signal);
      try {
        return (await connection.request(method, params, signal)) as ResultOf<M>;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) {
          throw error;
        }
        if (this.#closing.signal.aborted) {
          throw new ClosedError();
        }
        if (once.has(method)) {
          throw new LostError();
        }
      }
    }
  }

  /** Returns the session of that id. Nothing is sent: if there is no such session, its first use throws. */
  session(id: string): Session {
    return new Session(this, id, {
      maxWaiting: this.#options.maxWaiting ?? 16 << 20,
      followed: this.#followed,
      current: (signal) => this.#current(signal),
    });
  }

  /** Creates a session. */
  async create(session: NewSession, options: CallOptions = {}): Promise<Session> {
    const id = session.id ?? newSessionId();
    try {
      await this.request("session/create", { ...session, id }, options);
    } catch (error) {
      if (session.id !== undefined || !isKind(error, "exists")) {
        throw error;
      } // else it was created by the first of two requests
    }
    return this.session(id);
  }

  /** Opens a session, or joins it if it is open. */
  async open(id: string, options: CallOptions = {}): Promise<Session> {
    await this.request("session/open", { session: id }, options);
    return this.session(id);
  }

  /** Yields the sessions, those first that were used last, page by page. */
  async *sessions(query: Omit<SessionsListParams, "cursor" | "count"> = {}, options: CallOptions = {}): AsyncGenerator<Listed, void, void> {
    let cursor: string | undefined;
    do {
      const page: ResultOf<"sessions/list"> = await this.request("sessions/list", cursor === undefined ? query : { ...query, cursor }, options);
      yield* page.sessions;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /**
   * Ends the connection, and every request and loop with a ClosedError. Sessions go on as the host is configured; of a process
   * that was started, running turns end before the promise is resolved.
   */
  async close(): Promise<void> {
    this.#closing.abort(new ClosedError());
    await this.#connecting?.catch(() => {});
    await this.#connection?.close();
  }
}

/** A random id that begins with the date, as the host makes them. */
function newSessionId(): string {
  const [date, time] = new Date().toISOString().split(/[T.]/) as [string, string];
  return `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomId(3)}`;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

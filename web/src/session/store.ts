import { signal } from "@preact/signals";
import { client } from "../connection.js";
import { ClosedError, isKind, type Session, type State } from "../sdk.js";

/** One open session as the page shows it, from its opening until close. */
export class SessionStore {
  readonly id: string;
  readonly session: Session;
  /** What the session is now; undefined until it is open. */
  readonly state = signal<State | undefined>(undefined);
  /** Its name, or the first line of its first prompt. */
  readonly title = signal("");
  /** Why it cannot be shown: a sentence for the user. */
  readonly failure = signal("");
  #end = new AbortController();

  constructor(id: string) {
    this.id = id;
    if (client.value === undefined) {
      throw new ClosedError();
    }
    this.session = client.value.session(id);
  }

  /** Opens the session. */
  async open(): Promise<void> {
    try {
      this.state.value = (await this.session.request("session/open", {}, { signal: this.#end.signal })).state;
    } catch (error) {
      if (!this.#end.signal.aborted && !(error instanceof ClosedError)) {
        this.failure.value = isKind(error, "no_session") ? "There is no such session." : error instanceof Error ? error.message : String(error);
      }
    }
  }

  /** Leaves the session. */
  close(): void {
    this.#end.abort(new ClosedError());
    this.session.close().catch(() => {}); // the connection may be lost
  }
}

import { effect, signal } from "@preact/signals";
import { client } from "../connection.js";
import { ClosedError, isKind, type Listed, type Client } from "../sdk.js";
import { UsageFold, usageKinds, type UsageEntry } from "./fold.js";

/** How many sessions are read before the user has to request more, and how many at a time. */
const sessionsAtOnce = 200;
const parallel = 3;

/** How many records of a session are requested at once. */
const pageSize = 1000;

/** What was read of sessions, by their ids: a session that has not changed is not read again. */
const read = new Map<string, { updated: string; entries: readonly UsageEntry[] }>();

effect(() => {
  if (client.value === undefined) {
    read.clear(); // the page is signed out
  }
});

/** A UsageReader reads what the sessions since a time used. Each is opened for that, and closed again. */
export class UsageReader {
  readonly entries = signal<readonly UsageEntry[]>([]);
  /** The sessions that were found, by their ids. */
  readonly sessions = signal<ReadonlyMap<string, Listed>>(new Map());
  readonly done = signal(0);
  /** How many sessions could not be read, such as those in which another program works. */
  readonly failed = signal(0);
  readonly state = signal<"listing" | "reading" | "ready">("listing");
  /** Whether there are sessions that were not read. */
  readonly more = signal(false);
  readonly failure = signal("");
  #client: Client;
  #since: number;
  #end = new AbortController();
  #next: string | undefined;
  #archived = false;
  /** Sessions that were listed, and not read. */
  #listed: Listed[] = [];

  /** since is in milliseconds since 1970. */
  constructor(client: Client, since: number) {
    this.#client = client;
    this.#since = since;
  }

  /** Reads the next sessions, those first that were used last. */
  async readMore(): Promise<void> {
    try {
      this.state.value = "listing";
      const batch = await this.#list();
      this.state.value = "reading";
      this.sessions.value = new Map([...this.sessions.value, ...batch.map((session) => [session.id, session] as const)]);
      const waiting = batch.values();
      await Promise.all(Array.from({ length: parallel }, () => this.#readAll(waiting)));
      this.failure.value = "";
    } catch (error) {
      if (!this.#end.signal.aborted) {
        this.failure.value = error instanceof Error ? error.message : String(error);
      }
    }
    this.state.value = "ready";
  }

  close(): void {
    this.#end.abort(new ClosedError());
  }

  /** Returns the next sessions since the time: first those that are not archived, then the others. */
  async #list(): Promise<Listed[]> {
    let ended = false;
    while (this.#listed.length < sessionsAtOnce && !ended) {
      const params = { limit: 100, archived: this.#archived, ...(this.#next !== undefined && { cursor: this.#next }) };
      const page = await this.#client.request("sessions/list", params, { signal: this.#end.signal });
      const recent = page.sessions.filter((session) => Date.parse(session.updated) >= this.#since);
      this.#listed.push(...recent.filter((session) => session.turns > 0));
      this.#next = recent.length < page.sessions.length ? undefined : page.next;
      if (this.#next === undefined) {
        ended = this.#archived;
        this.#archived = true;
      }
    }
    const batch = this.#listed.splice(0, sessionsAtOnce);
    this.more.value = !ended || this.#listed.length > 0;
    return batch;
  }

  async #readAll(waiting: Iterator<Listed>): Promise<void> {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const session = next.value;
      try {
        const entries = await this.#readSession(session);
        this.entries.value = [...this.entries.value, ...entries.filter((entry) => Date.parse(`${entry.day}T23:59:59`) >= this.#since)];
      } catch (error) {
        if (!["in_use", "damaged", "no_session", "limit"].some((kind) => isKind(error, kind))) {
          throw error;
        }
        this.failed.value++;
      }
      this.done.value++;
    }
  }

  async #readSession(session: Listed): Promise<readonly UsageEntry[]> {
    const known = read.get(session.id);
    if (known?.updated === session.updated) {
      return known.entries;
    }
    const fold = new UsageFold(session);
    const { id } = session;
    try {
      for (let [from, more] = [1, true]; more; ) {
        const page = await this.#client.request("session/records", { session: id, from, limit: pageSize, kinds: [...usageKinds] }, { signal: this.#end.signal });
        page.records.forEach((record) => fold.apply(record));
        more = page.more && page.records.length > 0;
        from = (page.records.at(-1)?.seq ?? page.head) + 1;
      }
    } finally {
      this.#client.request("session/close", { session: id }).catch(() => {}); // it was not opened, or the page is signed out
    }
    read.set(id, { updated: session.updated, entries: fold.entries });
    return fold.entries;
  }
}

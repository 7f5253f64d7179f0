import { signal } from "@preact/signals";
import { onNotification } from "../connection.js";
import { ClosedError, type DurableRecord } from "../sdk.js";
import type { SessionStore } from "../session/store.js";
import { timelineKinds } from "./fold.js";

/** How many records are requested at once. They are of all kinds: a host finds the end of a journal by numbers, not by kinds. */
const pageSize = 1000;

const kinds = new Set<string>(timelineKinds);

/** The records of a session that a timeline needs, from its end backwards, and those that come. */
export class TimelineRecords {
  readonly records = signal<readonly DurableRecord[]>([]);
  readonly ready = signal(false);
  /** Whether there are earlier ones. */
  readonly more = signal(false);
  readonly failure = signal("");
  #store: SessionStore;
  #end = new AbortController();
  #endNotifications: () => void;
  /** The last request for records; the next one begins after it. */
  #reading: Promise<void>;
  /** A request for new records waits for its turn. */
  #refreshing = false;
  /** The number of the first record that was read, and that of the next one. */
  #first: number;
  #next: number;

  constructor(store: SessionStore) {
    this.#store = store;
    this.#first = this.#next = (store.state.peek()?.head ?? 0) + 1;
    this.#reading = this.#attempt(() => this.#readBefore());
    this.#endNotifications = onNotification((notification) => {
      if (notification.method === "host/session" && notification.params.session === store.id) {
        this.refresh();
      }
    });
    this.refresh();
  }

  /** Reads the records that have come. */
  refresh(): void {
    if (!this.#refreshing) {
      this.#refreshing = true;
      this.#reading = this.#reading.then(() => this.#attempt(() => this.#readNew()));
    }
  }

  /** Reads a page before the first record. */
  readEarlier(): void {
    this.#reading = this.#reading.then(() => this.#attempt(() => this.#readBefore()));
  }

  close(): void {
    this.#endNotifications();
    this.#end.abort(new ClosedError());
  }

  async #attempt(read: () => Promise<void>): Promise<void> {
    if (this.#end.signal.aborted) {
      return;
    }
    try {
      await read();
      this.failure.value = "";
    } catch (error) {
      if (!this.#end.signal.aborted) {
        this.failure.value = error instanceof Error ? error.message : String(error);
      }
    }
    this.ready.value = true;
  }

  async #readBefore(): Promise<void> {
    const { records } = await this.#store.session.records({ before: this.#first, limit: pageSize, signal: this.#end.signal });
    this.#first = records[0]?.seq ?? 1;
    this.records.value = [...shown(records), ...this.records.value];
    this.more.value = this.#first > 1;
  }

  async #readNew(): Promise<void> {
    this.#refreshing = false;
    for (let more = true; more; ) {
      const page = await this.#store.session.records({ from: this.#next, limit: pageSize, signal: this.#end.signal });
      if (page.records.length > 0) {
        this.#next = page.records.at(-1)!.seq + 1;
        this.records.value = [...this.records.value, ...shown(page.records)];
      }
      more = page.more && page.records.length > 0;
    }
  }
}

/** Returns the records that a timeline shows. */
function shown(records: readonly DurableRecord[]): DurableRecord[] {
  return records.filter(({ kind }) => kinds.has(kind)).map(withoutTexts);
}

/** Returns a record without what a timeline does not show: outputs and answers would fill the memory. */
function withoutTexts(record: DurableRecord): DurableRecord {
  switch (record.kind) {
    case "assistant_message":
      return { ...record, data: { ...record.data, blocks: [] } };
    case "tool_ended": {
      const { call, outcome, ran, shell } = record.data;
      return { ...record, data: { call, outcome, ...(ran !== undefined && { ran }), ...(shell && { shell }) } };
    }
    case "command_ran":
      return { ...record, data: { ...record.data, output: "" } };
    case "compacted":
      return { ...record, data: { ...record.data, summary: "" } };
    case "approval_asked":
      return { ...record, data: { ...record.data, input: undefined, files: [] } };
    default:
      return record;
  }
}

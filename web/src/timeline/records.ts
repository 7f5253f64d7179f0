import { signal } from "@preact/signals";
import { onNotification } from "../connection.js";
import { ClosedError, type DurableRecord } from "../sdk.js";
import type { SessionStore } from "../session/store.js";
import { timelineKinds } from "./fold.js";

/** How many records are requested at once. */
const pageSize = 1000;

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
  /** The number of the next record. */
  #next: number;

  constructor(store: SessionStore) {
    this.#store = store;
    this.#next = (store.state.peek()?.head ?? 0) + 1;
    this.#reading = this.#attempt(() => this.#readBefore(this.#next));
    this.#endNotifications = onNotification((notification) => {
      if (notification.method === "host/session" && notification.params.session === store.id) {
        this.refresh();
      }
    });
    this.refresh();
  }

  /** Reads the records that have come. */
  refresh(): void {
    this.#reading = this.#reading.then(() => this.#attempt(() => this.#readNew()));
  }

  /** Reads a page before the first record. */
  readEarlier(): void {
    this.#reading = this.#reading.then(() => this.#attempt(() => this.#readBefore(this.records.value[0]?.seq ?? this.#next)));
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

  async #readBefore(before: number): Promise<void> {
    const page = await this.#store.session.records({ before, limit: pageSize, kinds: [...timelineKinds], signal: this.#end.signal });
    this.records.value = [...page.records.map(withoutTexts), ...this.records.value];
    this.more.value = page.more;
  }

  async #readNew(): Promise<void> {
    for (let more = true; more; ) {
      const page = await this.#store.session.records({ from: this.#next, limit: pageSize, kinds: [...timelineKinds], signal: this.#end.signal });
      if (page.records.length > 0) {
        this.records.value = [...this.records.value, ...page.records.map(withoutTexts)];
      }
      more = page.more;
      this.#next = more ? (page.records.at(-1)?.seq ?? page.head) + 1 : Math.max(this.#next, page.head + 1);
    }
  }
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

import { signal } from "@preact/signals";
import { client } from "../connection.js";
import { ClosedError, type HostSession, type Listed } from "../sdk.js";
import { withNote, withPage, type Filter } from "./merge.js";

/** How many sessions are requested at once. */
const pageSize = 50;

/** A SessionList is what the host has of sessions that match a filter, page by page. */
export class SessionList {
  readonly entries = signal<readonly Listed[]>([]);
  /** How many there are on all pages; undefined until that is known. */
  readonly total = signal<number | undefined>(undefined);
  /** Whether a first page was received. */
  readonly ready = signal(false);
  readonly loading = signal(false);
  /** Why the last page could not be read. */
  readonly failure = signal("");
  readonly filter = signal<Filter>({ search: "", archived: false });
  #next: string | undefined;
  #request = new AbortController();

  /** Reads the first page again, of another filter if there is one. */
  async load(filter: Filter = this.filter.value): Promise<void> {
    this.filter.value = filter;
    await this.#read(undefined);
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** Reads the next page. */
  async loadMore(): Promise<void> {
    if (this.#next !== undefined && !this.loading.value) {
      await this.#read(this.#next);
    }
  }

  /** Follows a session that has changed. */
  note(note: HostSession): void {
    if (this.ready.value) {
      this.entries.value = withNote(this.entries.value, note, this.filter.value, this.hasMore);
    }
  }

  /** Ends what is requested. */
  close(): void {
    this.#request.abort(new ClosedError());
  }

  async #read(cursor: string | undefined): Promise<void> {
    this.#request.abort(new ClosedError());
    const { signal } = (this.#request = new AbortController());
    const { search, archived } = this.filter.value;
    this.loading.value = true;
    try {
      const params = { limit: pageSize, archived, ...(search !== "" && { search }), ...(cursor === undefined ? { count: true } : { cursor }) };
      const page = await client.value?.request("sessions/list", params, { signal });
      if (page === undefined || signal.aborted) {
        return;
      }
      this.entries.value = withPage(cursor === undefined ? [] : this.entries.value, page.sessions);
      this.total.value = page.total ?? this.total.value;
      this.#next = page.next;
      this.ready.value = true;
      this.failure.value = "";
    } catch (error) {
      if (!signal.aborted) {
        this.failure.value = error instanceof Error ? error.message : String(error);
      }
    } finally {
      if (!signal.aborted) {
        this.loading.value = false;
      }
    }
  }
}

import { computed, signal } from "@preact/signals";
import { client, connections } from "../connection.js";
import { toast } from "../kit/toast.js";
import { ClosedError, isKind, type DurableRecord, type Session, type SessionRecord, type SettingsPatch, type State, type TransientKind } from "../sdk.js";
import { readAnswered, saveAnswered } from "./answered.js";
import { Fold, isBoundary, textOf, type Move } from "./fold.js";
import { inHistory } from "./history.js";
import type { Item } from "./items.js";
import { applyRecord, type SessionState } from "./state.js";

/** What the page is sent besides the records that are stored. */
const transient: TransientKind[] = [
  "text_delta",
  "thinking_delta",
  "tool_output",
  "tool_progress",
  "command_output",
  "status_changed",
  "usage_ticked",
  "context_estimated",
  "compaction_started",
  "retry_started",
  "retry_ended",
  "tasks_progressed",
];

/** How many records are read at a time, from the end of the session upwards. */
const pageSize = 400;
/** How many items may be in memory while the user reads the newest ones, and how many stay then. */
const mostItems = 4000;
const fewerItems = 2000;
/** How long the page may wait for a frame, which hidden pages do not get, in milliseconds. */
const hiddenFrame = 200;

/** Items as they are in one frame. */
export interface View {
  items: Item[];
  /** Counts views. */
  version: number;
}

/** One open session as the page shows it, from its opening until close. */
export class SessionStore {
  readonly id: string;
  readonly session: Session;
  /** What the session is now; undefined until it is open. */
  readonly state = signal<SessionState | undefined>(undefined);
  /** Its items from the oldest that was read to the newest. */
  readonly view = signal<View>({ items: [], version: 0 });
  /** The records up to the head that the session had when it was opened are in the view. */
  readonly loaded = signal(false);
  /** There are older records than those of the view. */
  readonly hasOlder = signal(false);
  /** The first line of its first prompt. */
  readonly firstPrompt = signal("");
  /** Its name, or the first line of its first prompt. */
  readonly title = computed(() => this.state.value?.settings.name || this.firstPrompt.value);
  /** Why it cannot be shown: a sentence for the user. */
  readonly failure = signal("");
  /** The approvals and questions that were answered here. */
  readonly answeredHere = signal<ReadonlySet<string>>(new Set());
  /** A text for the prompt's field, such as that of a prompt that left the history. */
  readonly prefill = signal<{ text: string } | undefined>(undefined);
  /** The head that the session had when it was opened. */
  openedAt = 0;
  /** The user reads the newest items. */
  atEnd = true;

  #end = new AbortController();
  #fold = new Fold();
  #older: Item[] = [];
  #olderMoves: Move[] = [];
  /** The number of the first record of the view, and that of the fold. */
  #oldest = 1;
  #foldOldest = 1;
  #loadingOlder = false;
  #pending: SessionRecord[] = [];
  #scheduled = false;
  #changes: Promise<void> = Promise.resolve();
  #stopWatching = () => {};

  constructor(id: string) {
    this.id = id;
    this.answeredHere.value = readAnswered(id);
    if (client.value === undefined) {
      throw new ClosedError();
    }
    this.session = client.value.session(id);
  }

  /** Opens the session and follows it, until close. */
  async open(): Promise<void> {
    const { signal } = this.#end;
    try {
      const { state, head } = await this.session.request("session/open", {}, { signal });
      this.#setState(state);
      this.openedAt = head;
      void this.#readTitle();
      void this.refreshUsage();
      let first = true;
      this.#stopWatching = connections.subscribe(() => {
        if (!first) {
          void this.#refreshState();
        }
        first = false;
      });
      const { records } = await this.session.records({ before: head + 1, limit: pageSize, signal });
      this.#begin(records);
      for await (const record of this.session.follow({ from: head + 1, transient, signal })) {
        this.#take(record);
      }
      this.failure.value = "This session was removed or closed.";
    } catch (error) {
      if (!signal.aborted && !(error instanceof ClosedError)) {
        this.failure.value = isKind(error, "no_session") ? "There is no such session." : sentence(error);
      }
    }
  }

  /** Leaves the session. */
  close(): void {
    this.#stopWatching();
    this.#end.abort(new ClosedError());
    this.session.close().catch(() => {}); // the connection may be lost
  }

  /** Remembers that an approval or a question was answered in this tab. */
  answered(id: string): void {
    this.answeredHere.value = new Set([...this.answeredHere.value, id].slice(-200));
    saveAnswered(this.id, this.answeredHere.value);
  }

  /** Changes settings. The changes of this page follow one another, so that each expects what the one before it has made. */
  change(patch: SettingsPatch): Promise<void> {
    const change = this.#changes.then(async () => {
      await this.session.change(patch, { expected: this.state.value?.changed });
      await this.#refreshState();
    });
    this.#changes = change.catch(() => {}); // the caller has the error
    return change;
  }

  /** Reads the page of records before the view. */
  async loadOlder(): Promise<void> {
    if (this.#loadingOlder || this.#oldest <= 1) {
      return;
    }
    this.#loadingOlder = true;
    try {
      const before = this.#oldest;
      const { records } = await this.session.records({ before, limit: pageSize, signal: this.#end.signal });
      if (before === this.#oldest) {
        this.#prepend(records);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) {
        toast(sentence(error), { error: true });
      }
    } finally {
      this.#loadingOlder = false;
    }
  }

  /** Reads usage and budget again. */
  async refreshUsage(): Promise<void> {
    try {
      const { usage, cost, budget } = await this.session.request("session/usage", {}, { signal: this.#end.signal });
      const { window } = await this.session.request("session/context", {}, { signal: this.#end.signal });
      const state = this.state.value;
      if (state !== undefined) {
        this.state.value = { ...state, usage, cost, budget, window: window || state.window };
      }
    } catch {
      // the figures stay as they were
    }
  }

  /** Reads the options of the agent of the back end again, which no record has. */
  async #refreshOptions(): Promise<void> {
    try {
      const { backend_options } = await this.session.state({ signal: this.#end.signal });
      const state = this.state.value;
      if (state !== undefined) {
        this.state.value = { ...state, backend_options: backend_options ?? [] };
      }
    } catch {
      // the options stay as they were
    }
  }

  async #refreshState(): Promise<void> {
    try {
      this.#setState(await this.session.state({ signal: this.#end.signal }));
    } catch {
      // the loop over records reports it
    }
  }

  #setState(state: State): void {
    const before = this.state.value;
    this.state.value = { ...state, window: before?.window ?? 0, budget: before?.budget, failed: before?.failed ?? false };
  }

  async #readTitle(): Promise<void> {
    try {
      const { records } = await this.session.records({ from: 1, limit: 1, kinds: ["user_message"], signal: this.#end.signal });
      const [first] = records;
      if (first?.kind === "user_message") {
        this.#setTitle(textOf(first.data.blocks));
      }
    } catch {
      // without a title it is called Session
    }
  }

  #setTitle(prompt: string): void {
    this.firstPrompt.value = prompt.trim().split("\n", 1)[0]?.slice(0, 120) ?? "";
  }

  /** Shows the last records that there were when the session was opened. */
  #begin(records: DurableRecord[]): void {
    const page = fromBoundary(records);
    page.forEach((record) => this.#fold.add(record));
    this.#oldest = this.#foldOldest = page[0]?.seq ?? this.openedAt + 1;
    this.hasOlder.value = this.#oldest > 1;
    this.loaded.value = true;
    this.#show();
  }

  /** Takes a record into the next frame. */
  #take(record: SessionRecord): void {
    this.#pending.push(record);
    if (!this.#scheduled) {
      this.#scheduled = true;
      let done = false;
      const run = () => {
        if (!done) {
          done = true;
          clearTimeout(timer);
          cancelAnimationFrame(frame);
          this.#frame();
        }
      };
      const timer = setTimeout(run, hiddenFrame);
      const frame = requestAnimationFrame(run);
    }
  }

  /** Takes all records that have come since the last frame. */
  #frame(): void {
    this.#scheduled = false;
    const records = this.#pending;
    this.#pending = [];
    let state = this.state.value;
    let ended = false;
    for (const record of records) {
      this.#fold.add(record);
      if (state !== undefined && (!record.seq || record.seq > state.head)) {
        state = applyRecord(state, record);
        ended ||= record.kind === "turn_ended" || record.kind === "compacted";
      }
      if (record.kind === "user_message" && this.firstPrompt.value === "" && state?.turns === 1) {
        this.#setTitle(textOf(record.data.blocks));
      }
    }
    this.state.value = state;
    this.#trim();
    this.#show();
    if (ended) {
      void this.refreshUsage();
    }
    if (records.some(({ kind }) => kind === "backend_opened" || kind === "session_changed")) {
      void this.#refreshOptions();
    }
  }

  /** Forgets the oldest items of a long view, while the user does not look at them. */
  #trim(): void {
    if (this.atEnd && this.#older.length + this.#fold.items.length > mostItems) {
      this.#foldOldest = this.#fold.trim(fewerItems) ?? this.#foldOldest;
      this.#older = [];
      this.#olderMoves = [];
      this.#oldest = this.#foldOldest;
      this.hasOlder.value = this.#oldest > 1;
    }
  }

  #prepend(records: DurableRecord[]): void {
    const page = fromBoundary(records);
    const fold = new Fold();
    page.forEach((record) => fold.add(record));
    const known = new Set(this.#older.map(({ key }) => key));
    const items = fold.items.filter(({ key }) => !known.has(key) && !this.#fold.has(key));
    this.#olderMoves = [...fold.moves, ...this.#olderMoves];
    this.#oldest = page[0]?.seq ?? 1;
    this.#older = [...items, ...this.#older];
    this.hasOlder.value = this.#oldest > 1;
    this.#show();
  }

  #show(): void {
    const all = this.#older.length === 0 ? [...this.#fold.items] : [...this.#older, ...this.#fold.items];
    this.view.value = { items: inHistory(all, [...this.#olderMoves, ...this.#fold.moves]), version: this.view.value.version + 1 };
  }
}

/** Returns records without those of a call or an answer that began before them. */
function fromBoundary(records: DurableRecord[]): DurableRecord[] {
  return records.slice(Math.max(0, records.findIndex(isBoundary)));
}

/** Returns an error as a sentence for the user. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}


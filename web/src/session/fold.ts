import type { Block, SessionRecord, Settings, ToolEnded, ToolIntended } from "../sdk.js";
import type { CallItem, Item, Subagent, SubagentItem } from "./items.js";
import { noticeOf, settingsNotice } from "./notices.js";

/** How many characters of live output are stored: its end. */
const liveLimit = 200_000;

/** The tools whose calls are seen as something else than a call. */
const silentTools = new Set(["plan", "ask"]);
const commandTools = new Set(["shell", "background"]);
const fileTools = new Set(["edit", "write", "patch", "apply_patch"]);

/** A move of the history's head: what was said from the first prompt after `head` to the record `at` is not in the history. */
export interface Move {
  head: number;
  at: number;
}

/** A text that grows: what records have of it, and what came as deltas since. */
interface Growth {
  settled: string;
  live: string;
}

/**
 * A Fold computes the items of a conversation from its records, in their order. It knows nothing of pages and time. Records may
 * begin anywhere: what began before the first one is shown as far as it is known.
 */
export class Fold {
  /** In the order in which they began. */
  readonly items: Item[] = [];
  readonly moves: Move[] = [];
  /** Counts changes of items. */
  version = 0;
  /** The number of the last stored record. */
  head = 0;
  #index = new Map<string, number>();
  #growth = new Map<string, Growth>();
  #settings: Settings | undefined;
  /** The numbers of records at which the conversation can be cut. */
  #boundaries: number[] = [];

  /** Takes the next record. */
  add(record: SessionRecord): void {
    if (record.seq) {
      this.head = record.seq;
      if (isBoundary(record)) {
        this.#boundaries.push(record.seq);
      }
    }
    switch (record.kind) {
      case "user_message": {
        const { id, blocks, via, client } = record.data;
        if (via !== "engine") {
          this.#put({ kind: "you", key: `you:${id}`, ...begin(record), text: textOf(blocks), images: imagesOf(blocks), via, client });
        }
        break;
      }
      case "text_delta":
      case "thinking_delta":
        this.#grow(record);
        break;
      case "answer_grew": {
        const { message, pieces, restart } = record.data;
        if (restart) {
          this.#removeMessage(message);
        }
        for (const { block, thinking, text } of pieces) {
          const key = `${message}:${block}`;
          const growth = this.#growthOf(key);
          growth.settled += text;
          growth.live = "";
          this.#say(record, key, thinking === true, growth.settled, true);
        }
        break;
      }
      case "assistant_message":
        this.#finish(record);
        break;
      case "tool_intended":
        this.#intend(record);
        break;
      case "tool_started":
        this.#updateCall(record.data.call, { status: "running", waiting: false });
        break;
      case "tool_output":
        this.#appendLive(`call:${record.data.call}`, record.data.text);
        break;
      case "tool_progress": {
        const { call, done, total, text } = record.data;
        const item = this.#get(`call:${call}`);
        if (item?.kind === "tool") {
          this.#put({ ...item, progress: { done, total, text } });
        }
        break;
      }
      case "tool_ended":
        this.#endCall(record);
        break;
      case "command_started": {
        const { id, command } = record.data;
        this.#put({ kind: "command", key: `command:${id}`, ...begin(record), ...newCall(id), status: "running", command, user: true, live: "" });
        break;
      }
      case "command_output":
        this.#appendLive(`command:${record.data.command}`, record.data.text);
        break;
      case "command_ran": {
        const { id, shell, output, cancelled, unknown, ran } = record.data;
        const key = `command:${id ?? record.seq}`;
        const before = this.#get(key);
        const status = unknown ? "unknown" : cancelled ? "interrupted" : shell.exit_code === 0 ? "succeeded" : "failed";
        const item = before?.kind === "command" ? before : { kind: "command" as const, key, ...begin(record), ...newCall(key), user: true, live: "" };
        this.#put({ ...item, command: shell.command, dir: shell.dir, status, output: finalOutput(item.live, output, shell.exit_code), blob: shell.full_blob, shell, ran, live: "" });
        break;
      }
      case "subagent_started": {
        const { call, task, agent, session } = record.data;
        this.#putAgent(record, call, { task, agent, session });
        break;
      }
      case "subagent_ended": {
        const { call, task, agent, exit_code } = record.data;
        this.#putAgent(record, call, { task, agent, exitCode: exit_code });
        break;
      }
      case "tasks_progressed":
        for (const progress of record.data.tasks) {
          this.#putAgent(record, record.data.call, { task: progress.id, agent: progress.agent, progress });
        }
        break;
      case "plan_updated": {
        const before = this.#get("plan");
        this.#put({ kind: "plan", key: "plan", ...(before ?? begin(record)), items: record.data.items } as Item);
        break;
      }
      case "approval_asked":
        this.#updateCall(record.data.call, { waiting: true });
        this.#put({ kind: "approval", key: `approval:${record.data.id}`, ...begin(record), approval: record.data });
        break;
      case "approval_answered": {
        const item = this.#get(`approval:${record.data.id}`);
        if (item?.kind === "approval") {
          this.#put({ ...item, answered: record.data });
          this.#updateCall(item.approval.call, { waiting: false });
        }
        break;
      }
      case "question_asked":
        this.#put({ kind: "question", key: `question:${record.data.id}`, ...begin(record), question: record.data });
        break;
      case "question_answered": {
        const item = this.#get(`question:${record.data.id}`);
        if (item?.kind === "question") {
          this.#put({ ...item, answered: record.data });
        }
        break;
      }
      case "files_restored":
        this.#put({
          kind: "files", key: `restored:${record.seq}`, ...begin(record), ...newCall(""),
          status: "succeeded", path: "", changes: record.data.changes, restored: true,
        });
        break;
      case "branched":
        this.moves.push({ head: record.data.head, at: record.seq });
        this.#putNotice(record);
        break;
      case "session_created":
        this.#settings = record.data.settings;
        break;
      case "session_changed": {
        const { settings, client } = record.data;
        const text = this.#settings === undefined ? "" : settingsNotice(this.#settings, settings, client);
        this.#settings = settings;
        if (text !== "") {
          this.#put({ kind: "notice", key: `notice:${record.seq}`, ...begin(record), level: "info", text });
        }
        break;
      }
      case "turn_ended":
        this.#settle();
        this.#putNotice(record);
        break;
      default:
        this.#putNotice(record);
    }
  }

  /** Reports whether there is an item of that key. */
  has(key: string): boolean {
    return this.#index.has(key);
  }

  /**
   * Removes the first items, so that about `count` stay. It returns the number of the first record that the others need;
   * undefined: nothing was removed, as there is no place to cut.
   */
  trim(count: number): number | undefined {
    const from = this.items.at(-count)?.seq;
    const cut = from === undefined ? undefined : this.#boundaries.find((seq) => seq >= from);
    if (cut === undefined) {
      return undefined;
    }
    this.#boundaries = this.#boundaries.filter((seq) => seq >= cut);
    const rest = this.items.filter(({ kind, seq }) => seq >= cut || kind === "plan");
    this.items.splice(0, this.items.length, ...rest);
    this.#index = new Map(rest.map(({ key }, i) => [key, i]));
    this.version++;
    return cut;
  }

  #get(key: string): Item | undefined {
    const at = this.#index.get(key);
    return at === undefined ? undefined : this.items[at];
  }

  /** Adds an item, or replaces the one with its key. */
  #put(item: Item): void {
    this.version++;
    const at = this.#index.get(item.key);
    if (at === undefined) {
      this.#index.set(item.key, this.items.length);
      this.items.push(item);
    } else {
      this.items[at] = item;
    }
  }

  #putNotice(record: SessionRecord): void {
    const notice = noticeOf(record);
    if (notice !== undefined) {
      this.#put({ kind: "notice", key: `notice:${record.seq}`, ...begin(record), ...notice });
    }
  }

  #growthOf(key: string): Growth {
    let growth = this.#growth.get(key);
    if (growth === undefined) {
      growth = { settled: "", live: "" };
      this.#growth.set(key, growth);
    }
    return growth;
  }

  /** Takes a delta of an answer or of reasoning. */
  #grow(record: SessionRecord & { kind: "text_delta" | "thinking_delta" }): void {
    const { message, block, text } = record.data;
    const key = `${message}:${block}`;
    const before = this.#get(key);
    if ((before?.kind === "answer" || before?.kind === "reasoning") && !before.streaming) {
      return; // it is finished
    }
    const growth = this.#growthOf(key);
    growth.live += text;
    this.#say(record, key, record.kind === "thinking_delta", growth.settled + growth.live, true);
  }

  /** Puts a text of the model. */
  #say(record: SessionRecord, key: string, thinking: boolean, text: string, streaming: boolean, partial = false): void {
    const before = this.#get(key);
    const { seq, time } = before ?? { ...begin(record), seq: this.head + (record.seq ? 0 : 1) };
    this.#put(thinking ? { kind: "reasoning", key, seq, time, text, streaming } : { kind: "answer", key, seq, time, text, streaming, partial });
  }

  /** Takes a message of the model, which replaces what has grown of it. */
  #finish(record: SessionRecord & { kind: "assistant_message" }): void {
    const { id, blocks, partial, void: isVoid } = record.data;
    if (isVoid) {
      this.#removeMessage(id);
      return;
    }
    blocks.forEach((block, i) => {
      const key = `${id}:${i}`;
      if ((block.kind === "text" || block.kind === "thinking") && (block.text ?? "").trim() !== "") {
        this.#say(record, key, block.kind === "thinking", block.text ?? "", false, partial === true);
      } else if (this.#index.has(key)) {
        this.#remove(key);
      }
      this.#growth.delete(key);
    });
  }

  #removeMessage(message: string): void {
    for (const key of [...this.#growth.keys()]) {
      if (key.startsWith(`${message}:`)) {
        this.#growth.delete(key);
        this.#remove(key);
      }
    }
  }

  #remove(key: string): void {
    const at = this.#index.get(key);
    if (at === undefined) {
      return;
    }
    this.version++;
    this.items.splice(at, 1);
    this.#index.delete(key);
    for (let i = at; i < this.items.length; i++) {
      this.#index.set((this.items[i] as Item).key, i);
    }
  }

  /** Ends what still streams when a turn has ended. */
  #settle(): void {
    for (const key of this.#growth.keys()) {
      const item = this.#get(key);
      if ((item?.kind === "answer" || item?.kind === "reasoning") && item.streaming) {
        this.#put({ ...item, streaming: false });
      }
    }
    this.#growth.clear();
  }

  #intend(record: SessionRecord & { kind: "tool_intended" }): void {
    const { call, tool } = record.data;
    if (!silentTools.has(tool ?? record.data.name)) {
      this.#put(callItem(record.data, { key: `call:${call}`, ...begin(record) }));
    }
  }

  #updateCall(call: string, change: Partial<Pick<CallItem, "status" | "waiting">>): void {
    const item = this.#get(`call:${call}`);
    if (item !== undefined && "call" in item) {
      this.#put({ ...item, ...change });
    }
  }

  #appendLive(key: string, text: string): void {
    const item = this.#get(key);
    if (item?.kind === "command") {
      const live = item.live + text;
      this.#put({ ...item, live: live.length > 2 * liveLimit ? live.slice(-liveLimit) : live });
    }
  }

  #endCall(record: SessionRecord & { kind: "tool_ended" }): void {
    const end = record.data;
    const key = `call:${end.call}`;
    const item = this.#get(key);
    if (item === undefined || !("call" in item)) {
      return; // a plan, a question, or a call from before the first record
    }
    const { outcome: status, output = "", output_blob: blob, images = [], ran, changes = [] } = end;
    const ended = { ...item, status, output, blob, images, ran, waiting: false };
    if (changes.length > 0 && ended.kind !== "command") {
      const { seq, time, call } = ended;
      this.#put({ ...newCall(call), kind: "files", key, seq, time, status, output, ran, path: "", changes, restored: false });
      return;
    }
    switch (ended.kind) {
      case "command":
        this.#put({ ...ended, output: finalOutput(ended.live, output, end.shell?.exit_code), shell: end.shell, blob: end.shell?.full_blob ?? blob, live: "" });
        break;
      case "tool":
        this.#put({ ...ended, hits: end.search?.results, url: end.fetch?.url });
        break;
      case "subagent":
        this.#put({ ...ended, agents: withResults(ended.agents, end) });
        break;
      default:
        this.#put(ended);
    }
  }

  #putAgent(record: SessionRecord, call: string, agent: Subagent): void {
    const key = `call:${call}`;
    const before = this.#get(key);
    const item: SubagentItem =
      before?.kind === "subagent"
        ? before
        : { ...newCall(call), status: "running", kind: "subagent", key, seq: before?.seq ?? (record.seq || this.head + 1), time: before?.time ?? record.time, input: undefined, agents: [] };
    const at = item.agents.findIndex(({ task }) => task === agent.task);
    const agents = at < 0 ? [...item.agents, agent] : item.agents.with(at, { ...item.agents[at], ...withoutUndefined(agent) } as Subagent);
    this.#put({ ...item, agents });
  }
}

/** Returns the items of records. */
export function foldRecords(records: Iterable<SessionRecord>): Item[] {
  const fold = new Fold();
  for (const record of records) {
    fold.add(record);
  }
  return fold.items;
}

/** Reports whether nothing that began before a record goes on after it, but for answers in its own step. */
export function isBoundary({ kind, turn }: SessionRecord): boolean {
  return kind === "turn_started" || kind === "step_started" || turn === undefined || turn === "";
}

function begin({ seq, time }: SessionRecord): { seq: number; time: string } {
  return { seq: seq ?? 0, time };
}

function newCall(call: string) {
  return { call, status: "pending" as const, output: "", images: [], waiting: false };
}

/** Returns the item of a call that has not run. */
function callItem({ call, name, tool = name, server, input }: ToolIntended, base: { key: string; seq: number; time: string }): CallItem {
  const all = { ...newCall(call), ...base };
  const { command, dir, path } = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  if (server === undefined && commandTools.has(tool) && typeof command === "string") {
    return { ...all, kind: "command", command, dir: typeof dir === "string" ? dir : undefined, user: false, live: "" };
  }
  if (server === undefined && fileTools.has(tool)) {
    return { ...all, kind: "files", path: typeof path === "string" ? path : "", changes: [], restored: false };
  }
  if (server === undefined && tool === "task") {
    return { ...all, kind: "subagent", input, agents: [] };
  }
  return { ...all, kind: "tool", name: tool, server, input };
}

/** Returns the output of a command that has ended: what came live, so that its colours stay, if that is how the stored output begins. */
function finalOutput(live: string, output: string, exitCode: number | undefined): string {
  const stored = output.trimEnd().replace(`[exit code ${exitCode}]`, "").trimEnd();
  const plain = live.replace(/\x1b\[[0-9;:]*m/g, "").trimEnd();
  return plain !== "" && stored.startsWith(plain) ? live.trimEnd() + stored.slice(plain.length) : stored;
}

function withResults(agents: Subagent[], { tasks }: ToolEnded): Subagent[] {
  const all = [...agents];
  for (const result of tasks?.results ?? []) {
    const at = all.findIndex(({ task }) => task === result.id || task === `${result.index}-${result.id}`);
    const agent = { task: result.id, ...all[at], agent: result.agent, session: result.session ?? all[at]?.session, exitCode: result.exit_code, result };
    if (at < 0) {
      all.push(agent);
    } else {
      all[at] = agent;
    }
  }
  return all;
}

/** Returns the texts of blocks, one after the other. */
export function textOf(blocks: Block[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text ?? ""] : [])).join("\n");
}

function imagesOf(blocks: Block[]) {
  return blocks.flatMap((block) => (block.kind === "image" ? [block.image] : []));
}

function withoutUndefined<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

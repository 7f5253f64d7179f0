// What a session did when: a fold of its records into bars, one list for each turn.

import { showInvisibleInText } from "../content/text.js";
import type { DurableRecord, Usage } from "../sdk.js";

/** What a bar shows. A command is one that the user ran. */
export type BarKind = "model" | "tool" | "wait" | "compaction" | "command";

/** A bar is something that took time. */
export interface Bar {
  /** The record that it begins with. */
  seq: number;
  kind: BarKind;
  label: string;
  /** Milliseconds since 1970. */
  start: number;
  /** undefined: it is not at its end. */
  end: number | undefined;
  /** How it ended, in a word or two. */
  result: string;
  detail: string;
}

/** What a turn did. A command of the user is an entry of its own. */
export interface TurnBars {
  id: string;
  /** The first text of the prompt. */
  prompt: string;
  start: number;
  end: number | undefined;
  /** As in turn_ended; "": it runs. */
  reason: string;
  /** The records begin in the middle of it. */
  partial: boolean;
  bars: Bar[];
}

/** The kinds of records that timelineOf reads. */
export const timelineKinds = [
  "turn_started",
  "turn_ended",
  "user_message",
  "step_started",
  "step_ended",
  "assistant_message",
  "tool_intended",
  "tool_started",
  "tool_ended",
  "approval_asked",
  "approval_answered",
  "question_asked",
  "question_answered",
  "compacted",
  "subagent_started",
  "subagent_ended",
  "command_started",
  "command_ran",
] as const satisfies readonly DurableRecord["kind"][];

/** Returns the turns in the order of their records. */
export function timelineOf(records: readonly DurableRecord[]): TurnBars[] {
  const fold = new Fold();
  for (const record of records) {
    fold.apply(record);
  }
  return fold.turns;
}

class Fold {
  turns: TurnBars[] = [];
  #byId = new Map<string, TurnBars>();
  /** The model call of each turn that is not at its end. */
  #models = new Map<string, Bar>();
  /** Bars by the id of their call, approval, question, subagent or command. */
  #open = new Map<string, Bar>();
  #calls = new Map<string, string>();
  /** When the last record of a turn was written. */
  #last = new Map<string, number>();

  apply(record: DurableRecord): void {
    const at = Date.parse(record.time);
    if (record.kind === "command_started" || record.kind === "command_ran") {
      this.#command(record, at);
      return;
    }
    if (record.turn === undefined) {
      if (record.kind === "compacted") {
        const turn = this.#begin(`compaction-${record.seq}`, at, false);
        this.#compacted(turn, record, at);
        turn.end = at;
        turn.reason = "completed";
      }
      return;
    }
    const turn = this.#byId.get(record.turn) ?? this.#begin(record.turn, at, record.kind !== "turn_started");
    this.#applyTurn(turn, record, at);
    this.#last.set(turn.id, at);
  }

  #applyTurn(turn: TurnBars, record: DurableRecord, at: number): void {
    switch (record.kind) {
      case "user_message":
        turn.prompt ||= textOf(record.data.blocks);
        break;
      case "step_started":
        this.#models.set(turn.id, this.#bar(turn, record.seq, "model", oneLine(record.data.model), at));
        break;
      case "assistant_message":
        this.#endModel(turn, at, record.data.partial ? "cut off" : "answered", usageText(record.data.usage));
        break;
      case "step_ended":
        this.#endModel(turn, at, record.data.failure ? "failed" : "ended", oneLine(record.data.failure?.message ?? ""));
        break;
      case "compacted":
        this.#compacted(turn, record, at);
        break;
      case "turn_ended":
        this.#endTurn(turn, at, record.data.reason);
        break;
      case "subagent_started":
        this.#open.set(key(turn, "task", record.data.task), this.#bar(turn, record.seq, "tool", oneLine(`Subagent ${record.data.agent}`), at));
        break;
      case "subagent_ended":
        this.#end(key(turn, "task", record.data.task), at, record.data.exit_code === 0 ? "succeeded" : "failed", usageText(record.data.usage));
        break;
      default:
        this.#applyCall(turn, record, at);
    }
  }

  #applyCall(turn: TurnBars, record: DurableRecord, at: number): void {
    switch (record.kind) {
      case "tool_intended":
        this.#calls.set(key(turn, "call", record.data.call), callLabel(record.data.name, record.data.input));
        break;
      case "tool_started": {
        const id = key(turn, "call", record.data.call);
        this.#open.set(id, this.#bar(turn, record.seq, "tool", this.#calls.get(id) ?? "Tool", at));
        break;
      }
      case "tool_ended": {
        const id = key(turn, "call", record.data.call);
        const start = at - (record.data.ran ?? 0) / 1e6; // a tool without effects has no tool_started
        if (!this.#open.has(id)) {
          this.#open.set(id, this.#bar(turn, record.seq, "tool", this.#calls.get(id) ?? "Tool", Math.max(start, turn.start)));
        }
        const exit = record.data.shell?.exit_code;
        this.#end(id, at, record.data.outcome, exit === undefined ? "" : `exit ${exit}`);
        this.#calls.delete(id);
        break;
      }
      case "approval_asked":
        this.#open.set(key(turn, "approval", record.data.id), this.#bar(turn, record.seq, "wait", oneLine(`Approval: ${record.data.request.summary ?? record.data.request.tool}`), at));
        break;
      case "approval_answered":
        this.#end(key(turn, "approval", record.data.id), at, record.data.allowed ? "allowed" : "denied", answererText(record.data.by, record.data.client?.name));
        break;
      case "question_asked":
        this.#open.set(key(turn, "question", record.data.id), this.#bar(turn, record.seq, "wait", oneLine(`Question: ${record.data.questions[0]?.text ?? ""}`), at));
        break;
      case "question_answered":
        this.#end(key(turn, "question", record.data.id), at, "answered", answererText(record.data.by, record.data.client?.name));
        break;
    }
  }

  #command(record: Extract<DurableRecord, { kind: "command_started" | "command_ran" }>, at: number): void {
    if (record.kind === "command_started") {
      const turn = this.#begin(`command-${record.data.id}`, at, false);
      turn.prompt = `$ ${oneLine(record.data.command)}`;
      this.#open.set(turn.id, this.#bar(turn, record.seq, "command", turn.prompt, at));
      return;
    }
    const { id, shell, ran, unknown } = record.data;
    let turn = id === undefined ? undefined : this.#byId.get(`command-${id}`);
    if (turn === undefined) { // it has no begin in older records, or that is not among these
      const start = at - (ran ?? 0) / 1e6;
      turn = this.#begin(`command-${id ?? record.seq}`, start, false);
      turn.prompt = `$ ${oneLine(shell.command)}`;
      this.#open.set(turn.id, this.#bar(turn, record.seq, "command", turn.prompt, start));
    }
    this.#end(turn.id, at, unknown ? "unknown" : `exit ${shell.exit_code}`, "");
    turn.end = at;
    turn.reason = "completed";
  }

  #begin(id: string, at: number, partial: boolean): TurnBars {
    const turn: TurnBars = { id, prompt: "", start: at, end: undefined, reason: "", partial, bars: [] };
    this.turns.push(turn);
    this.#byId.set(id, turn);
    return turn;
  }

  #bar(turn: TurnBars, seq: number, kind: BarKind, label: string, start: number): Bar {
    const bar: Bar = { seq, kind, label, start, end: undefined, result: "", detail: "" };
    turn.bars.push(bar);
    return bar;
  }

  #end(id: string, at: number, result: string, detail: string): void {
    const bar = this.#open.get(id);
    if (bar !== undefined) {
      close(bar, at, result, detail);
      this.#open.delete(id);
    }
  }

  #endModel(turn: TurnBars, at: number, result: string, detail: string): void {
    const bar = this.#models.get(turn.id);
    if (bar !== undefined) {
      close(bar, at, result, detail);
      this.#models.delete(turn.id);
    }
  }

  /** A compaction has no begin in the journal: it is after the record before it. */
  #compacted(turn: TurnBars, record: Extract<DurableRecord, { kind: "compacted" }>, at: number): void {
    const { tokens_before, tokens_after } = record.data;
    const bar = this.#bar(turn, record.seq, "compaction", "Compaction", this.#last.get(turn.id) ?? at);
    close(bar, at, "compacted", `${tokens_before.toLocaleString("en")} to ${tokens_after.toLocaleString("en")} tokens`);
  }

  #endTurn(turn: TurnBars, at: number, reason: string): void {
    turn.end = at;
    turn.reason = reason;
    this.#models.delete(turn.id);
    for (const bar of turn.bars) {
      if (bar.end === undefined) {
        close(bar, at, reason === "interrupted" ? "interrupted" : "ended", "");
      }
    }
  }
}

function close(bar: Bar, at: number, result: string, detail: string): void {
  bar.end = Math.max(at, bar.start); // clocks are set back at times
  bar.result = result;
  bar.detail = detail;
}

/** Ids of calls are unique within a turn only. */
function key(turn: TurnBars, kind: string, id: string): string {
  return `${turn.id} ${kind} ${id}`;
}

/** Returns the end of a bar or a turn; what runs ends now. */
export function endOf(span: { start: number; end: number | undefined }, now: number): number {
  return Math.max(span.end ?? now, span.start);
}

/** Returns bars in as few rows as possible, so that none of a row overlap. */
export function rowsOf(bars: readonly Bar[], now: number): Bar[][] {
  const rows: Bar[][] = [];
  for (const bar of bars.toSorted((a, b) => a.start - b.start)) {
    const row = rows.find((row) => endOf(row.at(-1)!, now) <= bar.start);
    if (row === undefined) {
      rows.push([bar]);
    } else {
      row.push(bar);
    }
  }
  return rows;
}

/** Returns how long at least one of the bars ran, in milliseconds. */
export function coveredTime(bars: readonly Bar[], now: number): number {
  let total = 0;
  let covered = -Infinity;
  for (const bar of bars.toSorted((a, b) => a.start - b.start)) {
    const end = endOf(bar, now);
    total += Math.max(end - Math.max(bar.start, covered), 0);
    covered = Math.max(covered, end);
  }
  return total;
}

/** Returns steps of a scale: at most about count round times from 0 to length, in milliseconds. */
export function ticksOf(length: number, count: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5];
  const step = steps.find((step) => length / step <= count) ?? Math.ceil(length / count / 864e5) * 864e5;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step);
}

function textOf(blocks: readonly { kind: string; text?: string }[]): string {
  return oneLine(blocks.map((block) => (block.kind === "text" ? (block.text ?? "") : "")).join(" "));
}

/** Returns a text in one line of at most 200 characters, in which nothing is invisible. */
function oneLine(text: string): string {
  const line = showInvisibleInText(text.slice(0, 1000).replace(/\s+/g, " ").trim());
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** Returns the name of a tool, and what its input says most: a command, path, query or address. */
function callLabel(name: string, input: unknown): string {
  const members = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  const most = ["command", "path", "file_path", "pattern", "query", "url", "description"].map((member) => members[member]).find((value) => typeof value === "string");
  return oneLine(typeof most === "string" ? `${name} ${most}` : name);
}

function usageText(usage: Usage): string {
  return `${usage.input.toLocaleString("en")} tokens in, ${usage.output.toLocaleString("en")} out`;
}

function answererText(by: string, client: string | undefined): string {
  return by === "client" && client !== undefined ? oneLine(`by ${client}`) : by === "policy" ? "by the mode" : "";
}

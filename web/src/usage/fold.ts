// What sessions used: a fold of their records into entries, and sums of those.

import type { DurableRecord, Usage } from "../sdk.js";

/** What is summed. */
export interface Amounts {
  calls: number;
  /** Tokens sent to models, those of caches included. */
  input: number;
  /** Tokens of these that were read from a cache. */
  cached: number;
  output: number;
  /** US dollars. */
  cost: number;
  /** Some of the tokens are estimated. */
  estimated: boolean;
}

/** What one session used of one model on one day. */
export interface UsageEntry extends Amounts {
  /** As 2026-11-26, of the user's time zone. */
  day: string;
  /** As provider/model. */
  model: string;
  workspace: string;
  session: string;
}

/** A session as far as usage needs it. */
export interface UsedSession {
  id: string;
  workspace: string;
  created: string;
}

/** What usage is summed by. */
export type Grouping = "day" | "model" | "workspace" | "session";

/** The sum of a group. */
export interface UsageRow extends Amounts {
  key: string;
}

/** The kinds of records that a UsageFold reads. */
export const usageKinds = [
  "assistant_message",
  "compacted",
  "sampled",
  "subagent_started",
  "subagent_ended",
] as const satisfies readonly DurableRecord["kind"][];

/** A UsageFold sums what the records of a session used, by day and model. */
export class UsageFold {
  #session: UsedSession;
  #created: number;
  #dayOf: (time: Date) => string;
  #entries = new Map<string, UsageEntry>();
  #model = "";
  /** Subagents that are sessions of their own. */
  #sessions = new Set<string>();

  constructor(session: UsedSession, dayOf: (time: Date) => string = localDay) {
    this.#session = session;
    this.#created = Date.parse(session.created);
    this.#dayOf = dayOf;
  }

  apply(record: DurableRecord): void {
    const time = new Date(record.time);
    if (record.kind === "assistant_message") {
      this.#model = modelName(record.data.provider, record.data.model);
    }
    if (time.getTime() < this.#created) {
      return; // a fork has the records of its source, which has used it
    }
    switch (record.kind) {
      case "assistant_message":
        this.#add(time, this.#model, record.data.usage, record.data.cost);
        break;
      case "compacted":
        this.#add(time, this.#model || "compaction", record.data.usage, record.data.cost);
        break;
      case "sampled":
        this.#add(time, modelName(record.data.provider, record.data.model), record.data.usage, record.data.cost);
        break;
      case "subagent_started":
        if (record.data.session !== undefined) {
          this.#sessions.add(record.data.task);
        }
        break;
      case "subagent_ended":
        if (!this.#sessions.has(record.data.task)) {
          this.#add(time, "subagents", record.data.usage, record.data.cost);
        }
        break;
    }
  }

  get entries(): UsageEntry[] {
    return [...this.#entries.values()];
  }

  #add(time: Date, model: string, usage: Usage, cost = 0): void {
    const day = this.#dayOf(time);
    const key = `${day} ${model}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { day, model, workspace: this.#session.workspace, session: this.#session.id, ...noAmounts() };
      this.#entries.set(key, entry);
    }
    const cached = usage.cache_read ?? 0;
    add(entry, {
      calls: 1,
      input: usage.input + cached + (usage.cache_write ?? 0),
      cached,
      output: usage.output,
      cost,
      estimated: usage.estimated ?? false,
    });
  }
}

/** Returns the sums of each group, days in their order, others by cost and tokens. */
export function groupUsage(entries: Iterable<UsageEntry>, by: Grouping): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const entry of entries) {
    let row = rows.get(entry[by]);
    if (row === undefined) {
      row = { key: entry[by], ...noAmounts() };
      rows.set(row.key, row);
    }
    add(row, entry);
  }
  const list = [...rows.values()];
  return by === "day" ? list.sort((a, b) => (a.key < b.key ? -1 : 1)) : list.sort((a, b) => b.cost - a.cost || tokensOf(b) - tokensOf(a) || (a.key < b.key ? -1 : 1));
}

/** Returns the sum of everything. */
export function totalOf(entries: Iterable<Amounts>): Amounts {
  const total = noAmounts();
  for (const entry of entries) {
    add(total, entry);
  }
  return total;
}

/** Returns the rows of days with those between two days on which nothing was used, at most limit of the last. */
export function withEmptyDays(rows: readonly UsageRow[], first: string, last: string, limit = 400): UsageRow[] {
  const byDay = new Map(rows.map((row) => [row.key, row]));
  const all: UsageRow[] = [];
  for (let time = Date.parse(last); time >= Date.parse(first) && all.length < limit; time -= 86_400_000) {
    const key = new Date(time).toISOString().slice(0, 10);
    all.push(byDay.get(key) ?? { key, ...noAmounts() });
  }
  return all.reverse();
}

export function tokensOf(amounts: Amounts): number {
  return amounts.input + amounts.output;
}

/** Returns a day of the user's time zone, as 2026-11-26. */
export function localDay(time: Date): string {
  const pad = (n: number) => String(n).padStart(2, "0");
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

function modelName(provider: string | undefined, model: string): string {
  return provider === undefined || provider === "" ? model : `${provider}/${model}`;
}

function noAmounts(): Amounts {
  return { calls: 0, input: 0, cached: 0, output: 0, cost: 0, estimated: false };
}

function add(to: Amounts, amounts: Amounts): void {
  to.calls += amounts.calls;
  to.input += amounts.input;
  to.cached += amounts.cached;
  to.output += amounts.output;
  to.cost += amounts.cost;
  to.estimated ||= amounts.estimated;
}

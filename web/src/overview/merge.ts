// How the list of sessions follows what the host says of them: folds without a page.

import { isolate } from "../content/text.js";
import type { HostSession, Listed, Summary } from "../sdk.js";

/** Which sessions a list has. */
export interface Filter {
  search: string;
  archived: boolean;
}

/** The words of a session's state, as users read them. */
export type StatusWord = "idle" | "thinking" | "working" | "waiting for you" | "compacting" | "failed";

/** Returns the word for a session. */
export function statusWord(session: Pick<Listed, "status" | "waiting" | "failed">): StatusWord {
  if (session.waiting > 0 || session.status === "waiting") {
    return "waiting for you";
  }
  return session.status === "idle" && session.failed ? "failed" : session.status;
}

/** Returns the title of a session: its name, or its first prompt. */
export function titleOf(summary: Pick<Summary, "name" | "title">): string {
  return isolate(summary.name || summary.title || "New session");
}

/** Returns a page of entries after others. An entry that moved while pages were requested is there once. */
export function withPage(entries: readonly Listed[], page: readonly Listed[]): Listed[] {
  const known = new Set(entries.map((entry) => entry.id));
  return [...entries, ...page.filter((entry) => !known.has(entry.id))];
}

/**
 * Returns the entries after a notification: an entry is updated at its place, so that a list does not move below the pointer,
 * and goes to the top only when a turn begins. A session that is new to the list is put where its last change belongs, unless
 * that is on a page that was not read yet (more). Without a summary the host's list does not have it.
 */
export function withNote(entries: readonly Listed[], note: HostSession, filter: Filter, more: boolean): Listed[] {
  const { session: id, summary } = note;
  const old = entries.find((entry) => entry.id === id);
  if (note.removed || summary === undefined || (summary.archived ?? false) !== filter.archived) {
    return entries.filter((entry) => entry.id !== id);
  }
  const { open, status, waiting, clients } = note;
  const entry: Listed = { ...summary, open, status, waiting, clients };
  if (old !== undefined && old.turns >= entry.turns) {
    return entries.map((other) => (other.id === id ? entry : other));
  }
  if (old !== undefined) {
    return [entry, ...entries.filter((other) => other.id !== id)];
  }
  const older = entries.findIndex((other) => Date.parse(other.updated) <= Date.parse(entry.updated));
  if (!matches(summary, filter.search) || (older < 0 && more)) {
    return [...entries];
  }
  return entries.toSpliced(older < 0 ? entries.length : older, 0, entry);
}

/** Reports whether the host would find a session by a search. */
function matches({ id, name = "", title = "" }: Summary, search: string): boolean {
  return [id, name, title].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

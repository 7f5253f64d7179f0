/** The approvals and questions that were answered in this tab, by session: each session numbers its own. They end with the tab. */
const prefix = "parley-answered:";

/** Returns the ids of a session's approvals and questions that were answered in this tab. */
export function readAnswered(session: string): Set<string> {
  try {
    return new Set(JSON.parse(sessionStorage.getItem(prefix + session) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

/** Stores what readAnswered returns. */
export function saveAnswered(session: string, ids: ReadonlySet<string>): void {
  sessionStorage.setItem(prefix + session, JSON.stringify([...ids]));
}

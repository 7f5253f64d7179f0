import { isKind, type Kind } from "../sdk.js";
import type { SessionStore } from "../session/store.js";

/** The kinds of records that a history consists of, and that move its head. */
const nodes = new Set<Kind>(["user_message", "assistant_message", "compacted", "command_ran", "context_note", "objected", "reminded", "branched"]);

/** Makes a session of what was before a prompt, and returns its id. */
export async function forkBefore(store: SessionStore, prompt: number): Promise<string> {
  return (await store.session.request("session/fork", { before: prompt })).session;
}

/** Moves the head of the history to before a prompt. */
export async function goBackBefore(store: SessionStore, prompt: number): Promise<void> {
  for (let before = prompt; before > 1; ) {
    const { records } = await store.session.records({ before, limit: 200 });
    for (const record of records.filter(({ kind }) => nodes.has(kind)).reverse()) {
      try {
        await store.session.request("session/branch", { head: record.kind === "branched" ? record.data.head : record.seq });
        return;
      } catch (error) {
        if (!isKind(error, "invalid_params")) {
          throw error;
        } // a record of that kind need not be in the history
      }
    }
    before = records[0]?.seq ?? 1;
  }
  await store.session.request("session/branch", { head: 0 });
}

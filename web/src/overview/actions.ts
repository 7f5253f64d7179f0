// What the menu of a session does.

import { signal } from "@preact/signals";
import { client } from "../connection.js";
import { toast, toastError } from "../kit/toast.js";
import { navigate, sessionPath } from "../router.js";
import { isKind, type Listed, type SettingsPatch } from "../sdk.js";
import { titleOf } from "./merge.js";

/** How long a deletion can be taken back, in milliseconds. */
const undoTime = 10_000;

/** The sessions that are about to be deleted. */
export const deleted = signal<ReadonlySet<string>>(new Set());

/** Changes settings of a session. It is closed again, so that other programs can have it. */
export async function change(session: string, settings: SettingsPatch): Promise<void> {
  const current = client.value;
  await current?.request("session/change", { session, settings });
  await current?.request("session/close", { session });
}

/** Makes a copy of a session, and shows it. */
export async function fork(session: string): Promise<void> {
  try {
    const opened = await client.value?.request("session/fork", { session });
    if (opened !== undefined) {
      toast(`Forked from ${session}`);
      navigate(sessionPath(opened.session));
    }
  } catch (error) {
    if (isKind(error, "busy")) {
      toast("A turn runs in this session. Fork it when the turn has ended.", { error: true });
    } else {
      toastError(error);
    }
  }
}

/** Archives a session, or takes it back out of the archive. */
export async function archive(entry: Listed, archived: boolean): Promise<void> {
  try {
    await change(entry.id, { archived });
    toast(`${archived ? "Archived" : "Moved back"}: ${titleOf(entry)}`); // Undo is of deletions
  } catch (error) {
    toastError(error);
  }
}

/** Deletes a session when the time in which that can be taken back is over. A page that is closed earlier deletes nothing. */
export function remove(entry: Listed): void {
  const show = () => {
    deleted.value = new Set([...deleted.value].filter((id) => id !== entry.id));
  };
  deleted.value = new Set([...deleted.value, entry.id]);
  toast(`Deleted: ${titleOf(entry)}`, {
    ms: undoTime,
    action: { label: "Undo", run: show },
    onExpire: () =>
      void client.value?.request("session/remove", { session: entry.id }).catch((error: unknown) => {
        show();
        toastError(error);
      }),
  });
}

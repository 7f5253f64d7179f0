import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { hasRole } from "../connection.js";
import { Dialog } from "../kit/dialog.js";
import { formatAge } from "../kit/format.js";
import { Icon } from "../kit/icon.js";
import { MenuButton, type MenuItem } from "../kit/menu.js";
import { toastError } from "../kit/toast.js";
import { Link, sessionPath } from "../router.js";
import type { Listed } from "../sdk.js";
import { archive, change, fork, remove } from "./actions.js";
import { statusWord, titleOf } from "./merge.js";

/** An entry of the list of sessions. */
export function SessionRow({ entry }: { entry: Listed }): JSX.Element {
  const [renaming, setRenaming] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const word = statusWord(entry);
  const model = entry.model ?? entry.answered;
  const focusOther = () => {
    const other = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    other?.querySelector("a")?.focus(); // this entry leaves the list
  };
  const items: MenuItem[] = [];
  if (hasRole("driver")) {
    items.push(
      { label: "Rename", run: () => setRenaming(true) },
      { label: "Fork", run: () => void fork(entry.id) },
      {
        label: entry.archived ? "Unarchive" : "Archive",
        run: () => {
          focusOther();
          void archive(entry, !entry.archived);
        },
      },
    );
  }
  if (hasRole("owner")) {
    items.push({
      label: "Delete",
      danger: true,
      run: () => {
        focusOther();
        remove(entry);
      },
    });
  }
  return (
    <li ref={row} class="session-row">
      <Link href={sessionPath(entry.id)} class="session-link">
        <span class="session-title">{titleOf(entry)}</span>{" "}
        <span class="session-facts">
          <span class="session-workspace" title={entry.workspace}>
            {shortPath(entry.workspace)}
          </span>
          {model !== undefined && <span class="session-model">{model}</span>}
          {!entry.open && entry.owner?.live === true && <span>in another program</span>}
          <span title={new Date(entry.updated).toLocaleString()}>{age(entry.updated)}</span>
        </span>
      </Link>
      <span class="badge" data-status={word === "waiting for you" ? "waiting" : word}>
        {word}
      </span>
      {items.length > 0 && (
        <MenuButton label="More" items={items}>
          <Icon name="more" />
        </MenuButton>
      )}
      {renaming && <RenameDialog entry={entry} onClose={() => setRenaming(false)} />}
    </li>
  );
}

function RenameDialog({ entry, onClose }: { entry: Listed; onClose: () => void }): JSX.Element {
  const [name, setName] = useState(entry.name ?? entry.title ?? "");
  const form = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    const trimmed = name.trim();
    change(entry.id, { name: trimmed === "" ? null : trimmed }).catch(toastError);
    onClose();
  };
  return (
    <Dialog
      title="Rename"
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={form} class="button button-primary">
            Rename
          </button>
        </>
      }
    >
      <form id={form} class="field" onSubmit={submit}>
        <label for={`${form}-name`}>Name</label>
        <input id={`${form}-name`} class="input" autoFocus value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} onFocus={(event) => event.currentTarget.select()} />
        <p class="muted small">Without a name, a session has the beginning of its first prompt.</p>
      </form>
    </Dialog>
  );
}

/** The last folders of a path. */
export function shortPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

function age(time: string): string {
  const text = formatAge(time);
  return /^\d+[mhd]$/.test(text) ? `${text} ago` : text;
}

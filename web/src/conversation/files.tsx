import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Diff, ShowAll } from "../content/diff.js";
import { Output } from "../content/output.js";
import { showInvisible } from "../content/text.js";
import type { FileChange } from "../sdk.js";
import type { FilesItem } from "../session/items.js";
import { Block, CallState } from "./block.js";

/** How many files are shown before "Show all". */
const fewFiles = 10;

/** The changes that a call has made to files, with their diffs. */
export function Files({ item: { path, changes, status, ran, output, restored } }: { item: FilesItem }): JSX.Element {
  const [open, setOpen] = useState(false);
  const shown = open ? changes : changes.slice(0, fewFiles);
  const title =
    changes.length === 1 ? (
      <ChangeLine change={changes[0] as FileChange} />
    ) : changes.length > 1 ? (
      <span>{changes.length} files</span>
    ) : (
      <code>{showInvisible(path)}</code>
    );
  return (
    <Block
      name="File change"
      icon={restored ? "restore" : "file"}
      class={`call call-${status}`}
      title={
        restored ? (
          <>
            <span class="muted">Restored </span>
            {title}
          </>
        ) : (
          title
        )
      }
      aside={<CallState status={status} ran={ran} />}
    >
      {shown.map((change) => (
        <div key={change.path} class="change">
          {changes.length > 1 && (
            <p class="change-line">
              <ChangeLine change={change} />
            </p>
          )}
          {change.diff && <Diff diff={change.diff} cut={change.cut} />}
        </div>
      ))}
      {shown.length < changes.length && <ShowAll left={`${changes.length - shown.length} more files`} onClick={() => setOpen(true)} />}
      {changes.length === 0 && status !== "succeeded" && <Output text={output} label="Result" fromStart />}
    </Block>
  );
}

/** PATH +A -R. */
export function ChangeLine({ change: { path, op, added, removed } }: { change: Pick<FileChange, "path" | "added" | "removed"> & { op: string } }): JSX.Element {
  return (
    <span class="change-counts">
      <code>{showInvisible(path)}</code> <span class="added">+{added}</span> <span class="removed">-{removed}</span>
      {op !== "updated" && <span class="muted small"> {op}</span>}
    </span>
  );
}

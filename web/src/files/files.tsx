import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { connections, onNotification } from "../connection.js";
import { Diff } from "../content/diff.js";
import { showInvisible } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import type { ChangedFile, SessionChangesResult, UntrackedCall } from "../sdk.js";
import type { SessionStore } from "../session/store.js";
import { patchName, patchOf, type Omission } from "./patch.js";

/** How many changed lines a file may have to be shown whole at first, and all files together to be unfolded. */
const wholeLines = 200;
const unfoldedLines = 2000;

/** How long the changes of a session that works are not read again, in milliseconds. */
const readPause = 1000;

/** The files that tools of a session changed, all in all. */
export function Files({ store }: { store: SessionStore }): JSX.Element {
  const [changes, failure] = useChanges(store);
  const files = changes?.files ?? [];
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  let lines = 0;
  return (
    <section class="page files" aria-label="Files" aria-busy={changes === undefined}>
      <header class="page-header">
        <div>
          <h2>Files</h2>
          {changes !== undefined && files.length > 0 && (
            <p class="muted small">
              {files.length} {files.length === 1 ? "file" : "files"} changed, <Counts added={added} removed={removed} />
            </p>
          )}
        </div>
        {files.length > 0 && <PatchLink files={files} title={store.title.value} />}
      </header>
      {failure !== "" && (
        <p class="form-error" role="alert">
          {failure}
        </p>
      )}
      {changes !== undefined && files.length === 0 && <p class="nothing">No tool of this session has changed a file.</p>}
      {files.map((file) => {
        lines += file.added + file.removed;
        return <File key={file.path} file={file} open={lines <= unfoldedLines} />;
      })}
      {changes?.untracked !== undefined && changes.untracked.length > 0 && <Untracked calls={changes.untracked} />}
    </section>
  );
}

/** Returns the changes, read again while the session goes on, and why they could not be read. */
function useChanges(store: SessionStore): [SessionChangesResult | undefined, string] {
  const [changes, setChanges] = useState<SessionChangesResult>();
  const [failure, setFailure] = useState("");
  const connection = connections.value;
  useEffect(() => {
    const end = new AbortController();
    let head: number | undefined; // of the session when it was last notified of
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        setChanges(await store.session.request("session/changes", {}, { signal: end.signal }));
        setFailure("");
      } catch (error) {
        if (!end.signal.aborted) {
          setFailure(error instanceof Error ? error.message : String(error));
        }
      }
    };
    void read();
    const endNotifications = onNotification(({ method, params }) => {
      if (method === "host/session" && params.session === store.id && params.head !== head) {
        head = params.head;
        timer ??= setTimeout(() => {
          timer = undefined;
          void read();
        }, readPause);
      }
    });
    return () => {
      endNotifications();
      clearTimeout(timer);
      end.abort();
    };
  }, [store, connection]);
  return [changes, failure];
}

/** Why a file is not in the patch, in words. */
const reasons: Record<Omission, string> = {
  outside: "it is outside of the workspace",
  cut: "its diff is too long",
  missing: "its content before is not stored",
};

function PatchLink({ files, title }: { files: readonly ChangedFile[]; title: string }): JSX.Element {
  const patch = useMemo(() => patchOf(files), [files]);
  const [url, setURL] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([patch.text], { type: "text/x-diff" }));
    setURL(made);
    return () => URL.revokeObjectURL(made);
  }, [patch]);
  return (
    <div class="patch">
      {patch.text !== "" && (
        <a class="button" href={url} download={patchName(title)} title="For git apply, in the folder of the workspace">
          <Icon name="down" />
          Download patch
        </a>
      )}
      {patch.omitted.length > 0 && (
        <ul class="muted small">
          {patch.omitted.map(({ path, why }) => (
            <li key={path}>
              Not in the patch: <span class="mono">{showInvisible(path)}</span>, {reasons[why]}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function File({ file, open: openAtFirst }: { file: ChangedFile; open: boolean }): JSX.Element {
  const [open, setOpen] = useState(openAtFirst);
  return (
    <article class="file" aria-label={showInvisible(file.path)}>
      <h3>
        <button type="button" class="file-header" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          <span class="mono file-path">{showInvisible(file.path)}</span>
          {file.op !== "updated" && <span class="file-op">{file.op}</span>}
          <Counts added={file.added} removed={file.removed} />
        </button>
      </h3>
      {open && <Content file={file} />}
    </article>
  );
}

function Counts({ added, removed }: { added: number; removed: number }): JSX.Element {
  return (
    <span class="file-counts">
      <span class="count-added">+{added}</span> <span class="count-removed">-{removed}</span>
    </span>
  );
}

function Content({ file }: { file: ChangedFile }): JSX.Element {
  if (file.missing) {
    return <p class="file-note muted small">The content before the change is not stored, so there is no diff.</p>;
  }
  if (!file.diff.includes("\n@@ ")) {
    return <p class="file-note muted small">{file.op === "updated" ? "No line is different." : "The file has no lines."}</p>;
  }
  return <Diff diff={file.diff} all={file.added + file.removed <= wholeLines} cut={file.cut} />;
}

function Untracked({ calls }: { calls: readonly UntrackedCall[] }): JSX.Element {
  const byTool = new Map<string, number>();
  for (const call of calls) {
    byTool.set(call.tool, (byTool.get(call.tool) ?? 0) + 1);
  }
  const list = [...byTool].map(([tool, n]) => `${n} ${n === 1 ? "call" : "calls"} of ${tool}`).join(", ");
  return (
    <p class="muted small files-untracked">
      Not in this list is what commands, subagents and tools of servers changed: {list}.
    </p>
  );
}

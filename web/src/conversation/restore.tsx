import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Diff } from "../content/diff.js";
import { showInvisible } from "../content/text.js";
import { Dialog } from "../kit/dialog.js";
import { toast } from "../kit/toast.js";
import type { SessionRestoreResult } from "../sdk.js";
import { sentence, type SessionStore } from "../session/store.js";

interface RestoreProps {
  store: SessionStore;
  /** The number of the prompt before which the files were as they will be. */
  before: number;
  onClose: () => void;
}

/** Shows what putting the files back would change, and does it. */
export function RestoreDialog({ store, before, onClose }: RestoreProps): JSX.Element {
  const [result, setResult] = useState<SessionRestoreResult>();
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    store.session.request("session/restore", { before }).then(setResult, (error: unknown) => setFailure(sentence(error)));
  }, [store, before]);

  const restore = async () => {
    setBusy(true);
    try {
      const { files } = await store.session.request("session/restore", { before, apply: true });
      toast(files.length === 1 ? "1 file was restored" : `${files.length} files were restored`);
      onClose();
    } catch (error) {
      setFailure(sentence(error));
      setBusy(false);
    }
  };

  const files = result?.files ?? [];
  const actions = (
    <>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <button type="button" class="button button-primary" disabled={busy || files.length === 0} onClick={() => void restore()}>
        Restore
      </button>
    </>
  );
  return (
    <Dialog title="Restore files" wide onClose={onClose} actions={actions}>
      <p class="muted">Files that tools changed are put back as they were before this prompt. The conversation stays.</p>
      {failure !== "" && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {result !== undefined && files.length === 0 && <p>No file has to be changed.</p>}
      {files.map(({ path, op, diff, cut, missing, outside }) => (
        <section key={path} class="restored" aria-label={path}>
          <h3 class="path">
            <code>{showInvisible(path)}</code> <span class="muted small">{op}</span>
          </h3>
          {missing && <p class="failure">Its content before is not stored.</p>}
          {outside && <p class="failure">It is outside of the workspace.</p>}
          {diff !== "" && <Diff diff={diff} cut={cut} />}
        </section>
      ))}
      {(result?.untracked?.length ?? 0) > 0 && (
        <p class="muted small">What {result?.untracked?.map(({ tool }) => tool).join(", ")} may have changed is not known and is not put back.</p>
      )}
    </Dialog>
  );
}

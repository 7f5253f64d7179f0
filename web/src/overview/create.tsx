import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { client } from "../connection.js";
import { Dialog } from "../kit/dialog.js";
import { Icon } from "../kit/icon.js";
import { navigate, sessionPath } from "../router.js";

interface CreateDialogProps {
  /** Workspaces of other sessions, the last used first. */
  workspaces: readonly string[];
  onClose: () => void;
}

/** The dialog that makes a session in a workspace. */
export function CreateDialog({ workspaces, onClose }: CreateDialogProps): JSX.Element {
  const [workspace, setWorkspace] = useState(workspaces[0] ?? "");
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const id = useId();

  const create = async (event: Event) => {
    event.preventDefault();
    const folder = workspace.trim();
    if (!folder.startsWith("/")) {
      setFailure("Enter the absolute path of a folder on the computer where Parley runs, such as /home/ann/shop.");
      return;
    }
    setBusy(true);
    setFailure("");
    try {
      const session = await client.value?.create({ workspace: folder });
      if (session !== undefined) {
        onClose();
        navigate(sessionPath(session.id));
      }
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <Dialog
      title="New session"
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={id} class="button button-primary" disabled={busy}>
            Create
          </button>
        </>
      }
    >
      <form id={id} class="field" onSubmit={(event) => void create(event)}>
        <label for={`${id}-workspace`}>Workspace</label>
        <input
          id={`${id}-workspace`}
          class="input mono"
          autoFocus
          autocomplete="off"
          spellcheck={false}
          placeholder="/home/ann/shop"
          value={workspace}
          aria-invalid={failure !== ""}
          aria-describedby={`${id}-help`}
          onInput={(event) => setWorkspace(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <p id={`${id}-help`} class="muted small">
          The folder in which the session reads, writes and runs commands.
        </p>
        {failure !== "" && (
          <p class="form-error" role="alert">
            {failure}
          </p>
        )}
      </form>
      {workspaces.length > 1 && (
        <div>
          <p class="muted small">Recent</p>
          <ul class="recent" aria-label="Recent workspaces">
            {workspaces.slice(0, 5).map((folder) => (
              <li key={folder}>
                <button type="button" class="recent-item" onClick={() => setWorkspace(folder)}>
                  <Icon name="file" />
                  <span class="mono">{folder}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { client, hasRole } from "../connection.js";
import { toast, toastError } from "../kit/toast.js";
import { isTextField } from "../shortcuts.js";
import { isKind, type ApprovalAsked } from "../sdk.js";
import { grantOf, subjectOf, visible } from "./describe.js";

/** How many lines of a subject are shown at first. */
const maxLines = 8;

interface ApprovalProps {
  session: string;
  approval: ApprovalAsked;
}

/** An approval that waits, with its answers. */
export function PendingApproval({ session, approval }: ApprovalProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [granting, setGranting] = useState(false);
  const [all, setAll] = useState(false);
  const reason = useRef<HTMLInputElement>(null);
  const id = useId();
  const { request, files = [] } = approval;

  const answer = (allow: boolean, remember?: "session" | "workspace") => {
    if (busy) {
      return;
    }
    setBusy(true);
    const text = reason.current?.value.trim() ?? "";
    client.value
      ?.request("approval/answer", { session, approval: approval.id, allow, ...(remember && { remember }), ...(!allow && text !== "" && { reason: text }) })
      .catch((error: unknown) => {
        setBusy(false);
        if (isKind(error, "answered")) {
          toast("Another client has answered this approval.");
        } else {
          toastError(error);
        }
      });
  };
  const press = (event: KeyboardEvent) => {
    if (isTextField(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const keys: Record<string, () => void> = {
      y: () => answer(true),
      s: () => answer(true, "session"),
      w: () => hasRole("owner") && setGranting(true),
      n: () => reason.current?.focus(),
    };
    const run = keys[event.key];
    if (run !== undefined && hasRole("reviewer")) {
      event.preventDefault();
      run();
    }
  };

  const lines = subjectOf(request).split("\n");
  const more = all ? 0 : lines.length - maxLines;
  return (
    <div class="waiting-body" role="group" aria-label="Approval" onKeyDown={press}>
      {approval.reason !== undefined && <p class="small">{visible(approval.reason)}</p>}
      <pre class="waiting-subject">
        <code>{(more > 0 ? [...lines.slice(0, maxLines / 2), `… ${more} more lines …`, ...lines.slice(-maxLines / 2)] : lines).join("\n")}</code>
      </pre>
      {more > 0 && (
        <button type="button" class="button button-small button-quiet" onClick={() => setAll(true)}>
          Show all
        </button>
      )}
      {request.dir !== undefined && <p class="muted small">in {visible(request.dir)}</p>}
      {files.map((file) => (
        <details key={file.path} class="waiting-effect">
          <summary>
            <span class="mono">{visible(file.path)}</span>{" "}
            <span class="count-added">+{file.added ?? 0}</span> <span class="count-removed">-{file.removed ?? 0}</span>
          </summary>
          <pre>
            <code>{visible(file.diff ?? "")}</code>
          </pre>
        </details>
      ))}
      {granting ? (
        <div class="waiting-grant">
          <p>
            From now on this is allowed in this workspace without an approval: <strong>{grantOf(request)}</strong>.
          </p>
          <div class="waiting-actions">
            <button type="button" class="button button-primary" disabled={busy} autoFocus onClick={() => answer(true, "workspace")}>
              Make grant
            </button>
            <button type="button" class="button" onClick={() => setGranting(false)}>
              Back
            </button>
          </div>
        </div>
      ) : (
        hasRole("reviewer") && (
          <div class="waiting-actions">
            <button type="button" class="button button-primary" disabled={busy} aria-keyshortcuts="y" onClick={() => answer(true)}>
              Allow once
            </button>
            <button type="button" class="button" disabled={busy} aria-keyshortcuts="s" onClick={() => answer(true, "session")}>
              Allow for session
            </button>
            {hasRole("owner") && (
              <button type="button" class="button" disabled={busy} aria-keyshortcuts="w" onClick={() => setGranting(true)}>
                Allow in workspace
              </button>
            )}
            <form
              class="waiting-deny"
              onSubmit={(event) => {
                event.preventDefault();
                answer(false);
              }}
            >
              <input ref={reason} id={id} class="input" aria-label="Reason" placeholder="Reason (optional)" autocomplete="off" />
              <button type="submit" class="button button-danger" disabled={busy}>
                Deny
              </button>
            </form>
          </div>
        )
      )}
    </div>
  );
}

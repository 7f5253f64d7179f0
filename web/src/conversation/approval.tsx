import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasRole, host } from "../connection.js";
import { Diff, ShowAll } from "../content/diff.js";
import { cutMiddle, showInvisible } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import { toast, toastError } from "../kit/toast.js";
import { isKind, type ApprovalAsked } from "../sdk.js";
import { useSession } from "../session/context.js";
import type { ApprovalItem } from "../session/items.js";
import type { SessionStore } from "../session/store.js";
import { isTextField } from "../shortcuts.js";
import { CommandLine } from "./command.js";
import { grantOf } from "./grant.js";

/** How long an approval that took the focus ignores keys, in milliseconds: they were meant for something else. */
const guard = 300;

/** A call that waits for the user, and how it was answered. */
export function Approval({ item: { approval, answered } }: { item: ApprovalItem }): JSX.Element {
  const store = useSession();
  if (answered !== undefined) {
    const { allowed, reason, by, client } = answered;
    const other = client !== undefined && !store.answeredHere.value.has(approval.id) ? client.name : by === "client" ? "" : by;
    return (
      <article class="answered" aria-label="Approval">
        <Icon name={allowed ? "check" : "close"} />
        <p>
          <strong>{`${allowed ? "Allowed" : "Denied"}${other && ` by ${showInvisible(other)}`}${!allowed && reason ? `: ${showInvisible(reason)}` : ""}`}</strong>
          <span class="muted"> · {showInvisible(titleOf(approval))}</span>
        </p>
      </article>
    );
  }
  return (
    <article class="approval" aria-label="Approval">
      <ApprovalForm store={store} approval={approval} />
    </article>
  );
}

interface FormProps {
  store: Pick<SessionStore, "session" | "answered">;
  approval: ApprovalAsked;
  /** Whether it takes the focus if nothing has it, so that the keys work at once; default: yes. */
  takesFocus?: boolean;
}

/** What will run and why an approval is needed, with the buttons that answer. It is used by the overview, too. */
export function ApprovalForm({ store, approval, takesFocus = true }: FormProps): JSX.Element {
  const form = useRef<HTMLDivElement>(null);
  const reasonField = useRef<HTMLInputElement>(null);
  const grantButton = useRef<HTMLButtonElement>(null);
  const [step, setStep] = useState<"choose" | "grant">("choose");
  const [busy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const keysFrom = useRef(0);
  const id = useId();
  const mayAnswer = hasRole("reviewer");
  const mayGrant = hasRole("owner");

  useEffect(() => {
    if (takesFocus && document.activeElement === document.body && mayAnswer) {
      keysFrom.current = performance.now() + guard;
      form.current?.focus({ preventScroll: true });
    }
  }, []);
  useLayoutEffect(() => {
    grantButton.current?.focus();
  }, [step]);

  const answer = async (answer: { allow: boolean; remember?: "session" | "workspace"; reason?: string }) => {
    setBusy(true);
    try {
      store.answered(approval.id);
      await store.session.request("approval/answer", { approval: approval.id, ...answer });
    } catch (error) {
      setBusy(false);
      if (isKind(error, "answered")) {
        toast("Another client has answered first");
      } else {
        toastError(error);
      }
    }
  };
  const allow = (remember?: "session" | "workspace") => void answer({ allow: true, ...(remember === undefined ? {} : { remember }) });
  const deny = () => void answer({ allow: false, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });

  const back = () => {
    form.current?.focus();
    setStep("choose");
  };

  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && step !== "choose") {
      event.preventDefault();
      event.stopPropagation();
      back();
      return;
    }
    if (isTextField(event.target) || event.ctrlKey || event.metaKey || event.altKey || busy || !mayAnswer || performance.now() < keysFrom.current) {
      return;
    }
    const key = event.key.toLowerCase();
    if (step === "grant" && key === "y") {
      allow("workspace");
    } else if (step === "choose" && key === "y") {
      allow();
    } else if (step === "choose" && key === "s") {
      allow("session");
    } else if (step === "choose" && key === "w" && mayGrant) {
      setStep("grant");
    } else if (step === "choose" && key === "n") {
      reasonField.current?.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={form} class="approval-form" tabIndex={-1} aria-labelledby={id} role="group" onKeyDown={press}>
      <header class="approval-title">
        <Icon name="shield" />
        <p id={id}>Approval</p>
        {approval.reason && <span class="muted">{showInvisible(approval.reason)}</span>}
      </header>
      <Subject approval={approval} />
      {mayAnswer && step === "choose" && (
        <div class="approval-step">
          <div class="approval-buttons">
            <Choice name="Allow once" letter="y" primary disabled={busy} onClick={() => allow()} />
            <Choice name="Allow for session" letter="s" disabled={busy} onClick={() => allow("session")} />
            {mayGrant && <Choice name="Allow in workspace" letter="w" disabled={busy} onClick={() => setStep("grant")} />}
          </div>
          <div class="approval-denial">
            <Choice name="Deny" letter="n" disabled={busy} onClick={deny} />
            <input
              ref={reasonField}
              type="text"
              class="input"
              aria-label="Reason"
              placeholder="Reason, for the model"
              autocomplete="off"
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.isComposing) {
                  return;
                }
                if (event.key === "Enter") {
                  event.preventDefault();
                  deny();
                } else if (event.key === "Escape") {
                  event.preventDefault();
                  event.stopPropagation();
                  form.current?.focus();
                }
              }}
            />
          </div>
        </div>
      )}
      {step === "grant" && (
        <div class="approval-step">
          <p>This grant will be stored for the workspace, until it is revoked:</p>
          <pre class="command-line grant">{showInvisible(grantOf(approval.request))}</pre>
          <div class="approval-buttons">
            <button ref={grantButton} type="button" class="button button-primary" disabled={busy} onClick={() => allow("workspace")}>
              Make grant
            </button>
            <button type="button" class="button" onClick={back}>
              Back
            </button>
          </div>
        </div>
      )}
      {!mayAnswer && <p class="muted small">{host.value?.role === "viewer" ? "You may only look: another client has to answer." : ""}</p>}
    </div>
  );
}

interface ChoiceProps {
  name: string;
  letter: string;
  primary?: boolean;
  disabled: boolean;
  onClick: () => void;
}

function Choice({ name, letter, primary, disabled, onClick }: ChoiceProps): JSX.Element {
  return (
    <button type="button" class={primary ? "button button-primary" : "button"} aria-label={name} aria-keyshortcuts={letter} data-key={letter} disabled={disabled} onClick={onClick}>
      {name}
    </button>
  );
}

/** What will run: nothing of it is hidden, but the middle of what is long is folded. */
function Subject({ approval: { request, input, files } }: { approval: ApprovalAsked }): JSX.Element {
  const parts: ComponentChildren[] = [];
  if (request.command) {
    parts.push(<CommandLine command={request.command} />);
    if (request.dir) {
      parts.push(<p class="muted small mono">in {showInvisible(request.dir)}</p>);
    }
  }
  if (request.url) {
    parts.push(<pre class="command-line">{showInvisible(request.url)}</pre>);
  }
  for (const { path, op, added = 0, removed = 0, diff, invisible = [] } of files ?? []) {
    parts.push(
      <p class="change-line">
        <code>{showInvisible(path)}</code> <span class="added">+{added}</span> <span class="removed">-{removed}</span> <span class="muted small">{op}</span>
      </p>,
      diff ? <Diff diff={diff} /> : null,
      invisible.length > 0 ? <p class="failure">It has characters that cannot be seen: {invisible.map(showInvisible).join(", ")}</p> : null,
    );
  }
  for (const { path, shown, write, outside, protected: isProtected } of (files ?? []).length > 0 ? [] : (request.paths ?? [])) {
    parts.push(
      <p class="change-line">
        <span class="muted">{write ? "write" : "read"}</span> <code>{showInvisible(shown ?? path)}</code>
        {outside && <span class="failure"> outside of the workspace</span>}
        {isProtected && <span class="failure"> protected</span>}
      </p>,
    );
  }
  if (parts.length === 0) {
    const { server, tool, summary = "" } = request;
    parts.push(
      <p>
        {!summary.startsWith(tool) && <strong>{showInvisible(server ? `${server} / ${tool}` : tool)} </strong>}
        {showInvisible(summary)}
      </p>,
      <Input text={JSON.stringify(input, null, 2)} />,
    );
  }
  return <div class="approval-subject">{parts}</div>;
}

function Input({ text }: { text: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  const cut = open ? undefined : cutMiddle(text, 16, 3000);
  if (cut === undefined) {
    return <pre class="command-line">{showInvisible(text)}</pre>;
  }
  return (
    <>
      <pre class="command-line">{showInvisible(cut.head)}</pre>
      <ShowAll left={cut.left} onClick={() => setOpen(true)} />
      <pre class="command-line">{showInvisible(cut.tail)}</pre>
    </>
  );
}

/** Returns one line that says what an approval is about. */
export function titleOf({ request }: ApprovalAsked): string {
  const line = request.command ? `$ ${request.command}` : request.url || request.summary || request.paths?.map(({ shown, path }) => shown ?? path).join(", ") || request.tool;
  const first = line.split("\n", 1)[0] ?? "";
  return first.length > 120 || first !== line ? `${first.slice(0, 120)}…` : first;
}

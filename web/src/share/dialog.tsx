import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { client } from "../connection.js";
import { Dialog } from "../kit/dialog.js";
import { Icon } from "../kit/icon.js";
import { Select } from "../kit/select.js";
import { toastError } from "../kit/toast.js";
import type { Role, Token } from "../sdk.js";
import { isLocal, lifetimes, linkOf, roles, tokenFor, tokensOf } from "./link.js";

interface ShareDialogProps {
  session: string;
  title: string;
  onClose: () => void;
}

/** The dialog that makes links to one session, lists them and revokes them. */
export function ShareDialog({ session, title, onClose }: ShareDialogProps): JSX.Element {
  const [role, setRole] = useState<Role>("viewer");
  const [hours, setHours] = useState(24);
  const [link, setLink] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const [tokens, reload] = useTokens(session);

  const create = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure("");
    try {
      const made = await client.value?.request("token/create", tokenFor(session, title, role, hours));
      if (made !== undefined) {
        setLink(linkOf(location.origin, session, made.token));
        reload();
      }
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const revoke = (token: Token) => {
    setLink(""); // it may be the link of this token
    client.value?.request("token/revoke", { id: token.id }).then(reload, toastError);
  };

  return (
    <Dialog title="Share" onClose={onClose}>
      <form class="share-form" onSubmit={(event) => void create(event)}>
        <p class="muted small">A link to this session alone, for another browser. It can be opened until it expires or is revoked.</p>
        <Select label="Role" showLabel value={role} options={roles.map(({ role, label }) => ({ value: role, label }))} onChange={(value) => setRole(value as Role)} />
        <Select
          label="Expires"
          showLabel
          value={String(hours)}
          options={lifetimes.map(({ label, hours }) => ({ value: String(hours), label }))}
          onChange={(value) => setHours(Number(value))}
        />
        <button type="submit" class="button button-primary" disabled={busy}>
          Create link
        </button>
        {failure !== "" && (
          <p class="form-error" role="alert">
            {failure}
          </p>
        )}
      </form>
      {link !== "" && <NewLink link={link} />}
      {tokens.length > 0 && (
        <div>
          <h3>Links to this session</h3>
          <ul class="share-tokens" aria-label="Links to this session">
            {tokens.map((token) => (
              <li key={token.id}>
                <span>
                  <strong>{token.role}</strong> <span class="muted small">{validity(token)}</span>
                </span>
                <button type="button" class="button button-small button-danger" onClick={() => revoke(token)}>
                  Revoke
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

/** A link that was made. It is shown this once: the host stores a hash of it. */
function NewLink({ link }: { link: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const copy = async () => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      document.execCommand("copy"); // the clipboard is there for pages with TLS only
    }
    setCopied(true);
  };
  useEffect(() => {
    setCopied(false);
    input.current?.focus();
    input.current?.select();
  }, [link]);
  return (
    <div class="field">
      <label for={id}>Link</label>
      <div class="share-link">
        <input ref={input} id={id} class="input mono" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" class="button" onClick={() => void copy()}>
          {copied && <Icon name="check" />}
          {copied ? "Copied" : "Copy"}
        </button>
      </div>
      <p class="muted small" role="status">
        The link is shown this once. Give it to those only who may see the session.
        {isLocal(location.hostname) && " Its address can be opened on this computer only."}
      </p>
    </div>
  );
}

function validity({ created, expires }: Token): string {
  const time = (text: string) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return `made ${time(created)}, ${expires === undefined ? "does not expire" : `expires ${time(expires)}`}`;
}

/** Returns the tokens of links to a session, and a function that reads them again. */
function useTokens(session: string): [Token[], () => void] {
  const [tokens, setTokens] = useState<Token[]>([]);
  const reload = () => {
    client.value?.request("token/list", {}).then((list) => setTokens(tokensOf(list.tokens, session)), toastError);
  };
  useEffect(reload, [session]);
  return [tokens, reload];
}

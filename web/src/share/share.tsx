import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { host } from "../connection.js";
import { Icon } from "../kit/icon.js";
import type { SessionStore } from "../session/store.js";
import { ShareDialog } from "./dialog.js";

/** The button Share and its dialog, for users who can make tokens. */
export function ShareButton({ store }: { store: SessionStore }): JSX.Element | null {
  const [open, setOpen] = useState(false);
  if (!host.value?.methods.includes("token/create")) {
    return null;
  }
  return (
    <>
      <button type="button" class="button button-small share-button" onClick={() => setOpen(true)}>
        <Icon name="share" />
        Share
      </button>
      {open && <ShareDialog session={store.id} title={store.title.value} onClose={() => setOpen(false)} />}
    </>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { hasRole } from "../connection.js";
import { ShowAll } from "../content/diff.js";
import { SessionImage } from "../content/image.js";
import { isolate } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import { toastError } from "../kit/toast.js";
import { navigate, sessionPath } from "../router.js";
import { useSession } from "../session/context.js";
import type { YouItem } from "../session/items.js";
import { saveDraft } from "./draft.js";
import { forkBefore, goBackBefore } from "./history.js";
import { RestoreDialog } from "./restore.js";

const fewCharacters = 2_000;
const fewLines = 20;

/** A prompt, and what can be done from it. */
export function You({ item }: { item: YouItem }): JSX.Element {
  const store = useSession();
  const [open, setOpen] = useState(false);
  const [restoring, setRestoring] = useState(false);
  const { text, images, via, client } = item;
  const long = text.length > fewCharacters || text.split("\n", fewLines + 1).length > fewLines;
  const shown = long && !open ? text.slice(0, fewCharacters).split("\n").slice(0, fewLines).join("\n") : text;

  const fork = async () => {
    const id = await forkBefore(store, item.seq);
    saveDraft(id, text);
    navigate(sessionPath(id));
  };
  const goBack = async () => {
    await goBackBefore(store, item.seq);
    store.prefill.value = { text };
  };

  return (
    <article class="you" aria-label="You">
      <div class="bubble">
        {via === "steer" && <span class="via">steered</span>}
        {client !== undefined && client.name !== "parley-web" && <span class="via">by {client.name}</span>}
        {images.length > 0 && (
          <div class="images">
            {images.map((image, i) => (
              <SessionImage key={i} image={image} />
            ))}
          </div>
        )}
        <div class="you-text" dir="auto">
          {isolate(shown)}
        </div>
        {long && !open && <ShowAll onClick={() => setOpen(true)} />}
      </div>
      {hasRole("driver") && (
        <div class="you-actions">
          <button type="button" class="button button-quiet button-small" onClick={() => void fork().catch(toastError)}>
            <Icon name="fork" />
            Fork from here
          </button>
          <button type="button" class="button button-quiet button-small" onClick={() => void goBack().catch(toastError)}>
            <Icon name="back" />
            Go back to here
          </button>
          <button type="button" class="button button-quiet button-small" onClick={() => setRestoring(true)}>
            <Icon name="restore" />
            Restore files
          </button>
        </div>
      )}
      {restoring && <RestoreDialog store={store} before={item.seq} onClose={() => setRestoring(false)} />}
    </article>
  );
}

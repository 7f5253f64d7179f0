import type { JSX } from "preact";
import { isolate } from "../content/text.js";
import { toastError } from "../kit/toast.js";
import type { Block, PromptBlock, Queued } from "../sdk.js";
import { textOf } from "../session/fold.js";
import type { SessionStore } from "../session/store.js";

/** The prompts that wait for the running turn. */
export function Queue({ store, steering, followUps, removable }: { store: SessionStore; steering: Queued[]; followUps: Queued[]; removable: boolean }): JSX.Element | null {
  if (steering.length + followUps.length === 0) {
    return null;
  }
  const entry = (queued: Queued, which: "steering" | "follow_ups") => (
    <li key={queued.id}>
      <span class="muted">{which === "steering" ? "Steering: " : "Queued: "}</span>
      <span class="queue-text">{isolate(textOf(queued.blocks)) || "image"}</span>
      {removable && (
        <button type="button" class="button button-quiet button-small" onClick={() => void remove(store, which, queued.id).catch(toastError)}>
          Remove
        </button>
      )}
    </li>
  );
  return (
    <ul class="queue" aria-label="Queue">
      {steering.map((queued) => entry(queued, "steering"))}
      {followUps.map((queued) => entry(queued, "follow_ups"))}
    </ul>
  );
}

/** Takes one prompt out of a queue: all are taken out, and the others put back in their order. */
async function remove(store: SessionStore, which: "steering" | "follow_ups", id: string): Promise<void> {
  const taken = (await store.session.request("queue/clear", { which }))[which];
  for (const queued of taken.filter((one) => one.id !== id)) {
    await store.session.prompt({ blocks: queued.blocks.flatMap(promptBlock), ifBusy: which === "steering" ? "steer" : "queue" });
  }
}

function promptBlock(block: Block): PromptBlock[] {
  if (block.kind === "text") {
    return [{ kind: "text", text: block.text ?? "" }];
  }
  return block.kind === "image" ? [{ kind: "image", image: block.image as Extract<PromptBlock, { kind: "image" }>["image"] }] : [];
}

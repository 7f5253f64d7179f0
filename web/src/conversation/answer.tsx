import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { ShowAll } from "../content/diff.js";
import { Markdown } from "../content/markdown.js";
import { isolate } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import { useSession } from "../session/context.js";
import type { AnswerItem, ReasoningItem } from "../session/items.js";

/** How many characters and lines of an answer are shown before "Show all". */
const fewCharacters = 16_000;
const fewLines = 400;
/** How many characters of an answer are rendered as Markdown; a longer one is plain text, which is one element. */
const mostMarkdown = 48_000;

/** A text of the model. One that came while the page was open is announced when it is complete. */
export function Answer({ item: { seq, text, streaming, partial } }: { item: AnswerItem }): JSX.Element {
  const store = useSession();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(true);
  useEffect(() => setBusy(streaming), [streaming]);
  const { shown, cut } = open ? { shown: text, cut: false } : cutText(text, streaming);
  return (
    <article class="answer" aria-label="Answer" aria-live={seq > store.openedAt ? "polite" : undefined} aria-busy={busy}>
      {cut && streaming && <ShowAll left="The beginning is folded" onClick={() => setOpen(true)} />}
      {shown.length > mostMarkdown ? <pre class="plain">{isolate(shown)}</pre> : <Markdown text={shown} growing={streaming} />}
      {cut && !streaming && <ShowAll onClick={() => setOpen(true)} />}
      {partial && <p class="muted small">This answer was cut off</p>}
    </article>
  );
}

/** Returns the beginning of a long text, or its end while it grows. */
function cutText(text: string, streaming: boolean): { shown: string; cut: boolean } {
  if (text.length <= fewCharacters && countLines(text) <= fewLines) {
    return { shown: text, cut: false };
  }
  if (streaming) {
    // In steps, so that what is shown does not begin elsewhere with each delta.
    const step = fewCharacters / 2;
    const from = Math.max(0, Math.floor(text.length / step) * step - step);
    const end = text.slice(from);
    const line = from === 0 ? 0 : end.slice(0, step / 4).indexOf("\n") + 1;
    return { shown: end.slice(line), cut: from > 0 };
  }
  const lines = text.slice(0, fewCharacters).split("\n", fewLines).join("\n");
  return { shown: lines, cut: true };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= fewLines; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

/** The reasoning of the model, folded to a line. */
export function Reasoning({ item: { text, streaming } }: { item: ReasoningItem }): JSX.Element {
  const [open, setOpen] = useState(false);
  const id = useId();
  const title = text.trim().split("\n", 1)[0]?.replace(/^\*\*(.*)\*\*$/, "$1") ?? "";
  return (
    <article class="reasoning" aria-label="Reasoning">
      <button type="button" class="fold" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
        <Icon name="chevron" />
        <span class={streaming ? "fold-name streaming" : "fold-name"}>Reasoning</span>
        {!open && <span class="fold-text">{title}</span>}
      </button>
      {open && (
        <div id={id} class="reasoning-text">
          {text.length > mostMarkdown ? <pre class="plain">{isolate(text)}</pre> : <Markdown text={text} growing={streaming} />}
        </div>
      )}
    </article>
  );
}

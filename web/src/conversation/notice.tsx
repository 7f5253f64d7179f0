import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Markdown } from "../content/markdown.js";
import { isolate } from "../content/text.js";
import type { NoticeItem } from "../session/items.js";

/** A fact about the session, as a rule across the conversation. */
export function Notice({ item: { level, text, detail } }: { item: NoticeItem }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <article class={`notice notice-${level}`} aria-label="Notice">
      <p class="notice-line">
        <span>{isolate(text)}</span>
        {detail !== undefined && detail !== "" && (
          <button type="button" class="button button-quiet button-small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide summary" : "Show summary"}
          </button>
        )}
      </p>
      {open && (
        <div class="notice-detail">
          <Markdown text={detail ?? ""} />
        </div>
      )}
    </article>
  );
}

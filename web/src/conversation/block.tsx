import type { ComponentChildren, JSX } from "preact";
import { formatDuration } from "../kit/format.js";
import { Icon, type IconName } from "../kit/icon.js";
import type { CallStatus } from "../session/items.js";

interface BlockProps {
  /** The name of the article. */
  name: string;
  icon: IconName;
  /** The line that says what it is; it is in the name for readers of screens by itself. */
  title: ComponentChildren;
  /** The end of the line: a status, a duration. */
  aside?: ComponentChildren;
  class?: string;
  children?: ComponentChildren;
}

/** An item that is no text of the model or the user: a line, and what belongs to it. */
export function Block({ name, icon, title, aside, class: className = "", children }: BlockProps): JSX.Element {
  return (
    <article class={`block ${className}`} aria-label={name}>
      <header class="block-title">
        <Icon name={icon} />
        <div class="block-text">{title}</div>
        {aside !== undefined && <div class="block-aside">{aside}</div>}
      </header>
      {children}
    </article>
  );
}

const words: Record<CallStatus, string> = {
  pending: "pending",
  running: "running",
  succeeded: "",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
  unknown: "outcome unknown",
};

/** How far a call is, and how long it took. */
export function CallState({ status, ran }: { status: CallStatus; ran?: number | undefined }): JSX.Element {
  return (
    <>
      {words[status] !== "" && <span class={`call-state call-${status}`}>{words[status]}</span>}
      {ran !== undefined && ran > 500e6 && <span class="muted">{formatDuration(ran)}</span>}
    </>
  );
}

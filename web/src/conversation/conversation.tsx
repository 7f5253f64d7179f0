import type { JSX } from "preact";
import type { SessionStore } from "../session/store.js";

/** The conversation of a session. */
export function Conversation(_: { store: SessionStore }): JSX.Element {
  return <section class="conversation" aria-label="Conversation" />;
}

import type { JSX } from "preact";
import type { SessionStore } from "../session/store.js";

/** The button Share and its dialog. */
export function ShareButton(_: { store: SessionStore }): JSX.Element | null {
  return null;
}

import type { JSX } from "preact";
import type { SessionStore } from "../session/store.js";

export function Timeline(_: { store: SessionStore }): JSX.Element {
  return (
    <section class="page" aria-label="Timeline">
      <h1>Timeline</h1>
    </section>
  );
}

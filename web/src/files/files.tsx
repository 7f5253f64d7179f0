import type { JSX } from "preact";
import type { SessionStore } from "../session/store.js";

export function Files(_: { store: SessionStore }): JSX.Element {
  return (
    <section class="page" aria-label="Files">
      <h1>Files</h1>
    </section>
  );
}

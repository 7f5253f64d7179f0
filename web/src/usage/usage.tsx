import type { JSX } from "preact";
import { Shell } from "../shell.js";

export function Usage(): JSX.Element {
  return (
    <Shell current="usage">
      <main id="content" tabIndex={-1} class="page">
        <h1>Usage</h1>
      </main>
    </Shell>
  );
}

import type { JSX } from "preact";
import { Shell } from "../shell.js";

export function Overview(): JSX.Element {
  return (
    <Shell current="overview">
      <main id="content" tabIndex={-1} class="page">
        <h1>Overview</h1>
      </main>
    </Shell>
  );
}

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** What is shown without a valid cookie. */
export function NotSignedIn({ reason }: { reason: string }): JSX.Element {
  useLayoutEffect(() => {
    document.title = "Not signed in · Parley";
  }, []);
  return (
    <main class="empty" role="main">
      <h1>Not signed in</h1>
      {reason !== "" && <p class="muted">{reason}</p>}
      <p>Run this command on the computer where Parley runs, and open the link that it prints:</p>
      <pre class="copy-line">
        <code>parley host link</code>
      </pre>
      <p class="muted">A link works once, within 60 seconds.</p>
    </main>
  );
}

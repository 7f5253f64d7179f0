import type { ComponentChildren, JSX } from "preact";
import { safeHref } from "./text.js";

/** A link to elsewhere, in a new tab; text if the address may not be opened. */
export function ExternalLink({ href, title, children }: { href: string; title?: string | undefined; children: ComponentChildren }): JSX.Element {
  const safe = safeHref(href);
  if (safe === undefined) {
    return <span title={href}>{children}</span>;
  }
  return (
    <a href={safe} title={title ?? safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

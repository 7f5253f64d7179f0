import type { ComponentChildren, JSX } from "preact";
import { Link } from "./router.js";

interface ShellProps {
  /** The links and buttons of the page, between the name of the program and Usage. */
  header?: ComponentChildren;
  current?: "overview" | "usage";
  /** The target of the first link: the prompt, or the content. */
  skip?: { label: string; id: string };
  children: ComponentChildren;
}

/** The frame of every page: the link that skips to the content, the header, and the content. */
export function Shell({ header, current, skip = { label: "Skip to content", id: "content" }, children }: ShellProps): JSX.Element {
  return (
    <div class="shell">
      <a
        class="skip"
        href={`#${skip.id}`}
        onClick={(event) => {
          event.preventDefault();
          document.getElementById(skip.id)?.focus();
        }}
      >
        {skip.label}
      </a>
      <header class="top">
        <nav aria-label="Parley" class="top-links">
          <Link href="/" class="top-home" current={current === "overview"}>
            <span class="mark" aria-hidden="true" />
            Overview
          </Link>
          <Link href="/usage" class="top-link" current={current === "usage"}>
            Usage
          </Link>
        </nav>
        {header}
      </header>
      {children}
    </div>
  );
}

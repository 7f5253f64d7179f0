import { computed, signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";

/** What the address shows. */
export type Route =
  | { page: "overview" }
  | { page: "session" | "files" | "timeline"; session: string }
  | { page: "usage" }
  | { page: "unknown" };

const path = signal(location.pathname);

/** The route of the current address. */
export const route = computed<Route>(() => parseRoute(path.value));

/** Returns the route of a path. */
export function parseRoute(path: string): Route {
  const [, first, session, view, ...rest] = path.split("/");
  if (path === "/") {
    return { page: "overview" };
  }
  if (path === "/usage") {
    return { page: "usage" };
  }
  if (first === "s" && session && rest.length === 0) {
    const id = decodeURIComponent(session);
    if (view === undefined) {
      return { page: "session", session: id };
    }
    if (view === "files" || view === "timeline") {
      return { page: view, session: id };
    }
  }
  return { page: "unknown" };
}

/** Returns the address of a session, or of one of its views. */
export function sessionPath(session: string, view?: "files" | "timeline"): string {
  return `/s/${encodeURIComponent(session)}${view === undefined ? "" : `/${view}`}`;
}

/** Shows another address of the page. */
export function navigate(to: string): void {
  if (to !== location.pathname) {
    history.pushState(null, "", to);
    path.value = location.pathname;
    scrollTo(0, 0);
  }
}

addEventListener("popstate", () => {
  path.value = location.pathname;
});

interface LinkProps {
  href: string;
  class?: string;
  current?: boolean;
  label?: string;
  children: ComponentChildren;
}

/** A link within the page. */
export function Link({ href, class: className, current, label, children }: LinkProps): JSX.Element {
  const follow = (event: MouseEvent) => {
    if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      navigate(href);
    }
  };
  return (
    <a href={href} class={className} aria-label={label} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

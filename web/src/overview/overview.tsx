import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { client, connections, hasRole, onNotification } from "../connection.js";
import { Icon } from "../kit/icon.js";
import { Shell } from "../shell.js";
import { deleted } from "./actions.js";
import { CreateDialog } from "./create.js";
import { FirstRun } from "./firstrun.js";
import { SessionList } from "./list.js";
import { SessionRow } from "./row.js";
import { Waiting } from "./waiting.js";
import { openSessions } from "./watch.js";

/** How long the user must not have typed before a search is sent, in milliseconds. */
const searchPause = 150;

/** How often the ages of sessions are shown anew, in milliseconds. */
const ageStep = 60_000;

/** The first page: what waits for the user, and the sessions. */
export function Overview(): JSX.Element {
  const [list] = useState(() => new SessionList());
  const [creating, setCreating] = useState(false);
  const [current, connection] = [client.value, connections.value];

  useEffect(() => {
    if (current !== undefined) {
      void list.load();
    }
  }, [list, current, connection]);
  useEffect(() => {
    const end = onNotification((notification) => {
      if (notification.method === "host/session") {
        list.note(notification.params);
      }
    });
    return () => {
      end();
      list.close();
    };
  }, [list]);

  let waiting = 0;
  for (const session of openSessions.value.values()) {
    waiting += session.waiting;
  }
  useLayoutEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}Overview · Parley`;
  }, [waiting]);

  const workspaces = [...new Set(list.entries.value.map((entry) => entry.workspace))];
  return (
    <Shell current="overview">
      <main id="content" tabIndex={-1} class="page overview">
        <header class="page-header">
          <h1>Overview</h1>
          {hasRole("driver") && (
            <button type="button" class="button button-primary" onClick={() => setCreating(true)}>
              New session
            </button>
          )}
        </header>
        <Waiting />
        <FirstRun />
        <Sessions list={list} />
      </main>
      {creating && <CreateDialog workspaces={workspaces} onClose={() => setCreating(false)} />}
    </Shell>
  );
}

function Sessions({ list }: { list: SessionList }): JSX.Element {
  const { search, archived } = list.filter.value;
  const [text, setText] = useState(search);
  useEffect(() => {
    if (text.trim() === list.filter.value.search) {
      return;
    }
    const timer = setTimeout(() => void list.load({ search: text.trim(), archived: list.filter.value.archived }), searchPause);
    return () => clearTimeout(timer);
  }, [list, text]);

  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ageStep);
    return () => clearInterval(timer);
  }, []);

  const entries = list.entries.value.filter((entry) => !deleted.value.has(entry.id));
  return (
    <section aria-labelledby="sessions-heading" aria-busy={list.loading.value}>
      <div class="sessions-bar">
        <h2 id="sessions-heading">{archived ? "Archived sessions" : "Sessions"}</h2>
        <label class="search">
          <Icon name="search" />
          <input
            id="search-sessions"
            type="search"
            aria-label="Search sessions"
            aria-keyshortcuts="Control+K"
            placeholder="Search sessions"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <kbd aria-hidden="true">Ctrl K</kbd>
        </label>
        <button
          type="button"
          class="button button-small"
          aria-pressed={archived}
          onClick={() => void list.load({ search: list.filter.value.search, archived: !archived })}
        >
          Archived
        </button>
      </div>
      {list.failure.value !== "" && (
        <p class="form-error" role="alert">
          {list.failure.value}
        </p>
      )}
      <ul class="session-list" aria-label="Sessions">
        {entries.map((entry) => (
          <SessionRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {list.ready.value && entries.length === 0 && <NoSessions search={search} archived={archived} />}
      {list.hasMore && <More list={list} />}
      <p class="hidden-visually" role="status">
        {list.ready.value && search !== "" ? `${list.total.value ?? entries.length} sessions found` : ""}
      </p>
    </section>
  );
}

function NoSessions({ search, archived }: { search: string; archived: boolean }): JSX.Element {
  if (search !== "") {
    return <p class="nothing">No session has “{search}” in its title, name or id.</p>;
  }
  if (archived) {
    return <p class="nothing">No session is archived.</p>;
  }
  return (
    <div class="nothing">
      <p>There are no sessions yet.</p>
      <p class="muted small">
        A session is a conversation about one folder. It is made with “New session”, or by <code>parley</code> in a terminal, and can be continued from both.
      </p>
    </div>
  );
}

/** The end of a page: the next one is requested when it comes into view, or by its button. */
function More({ list }: { list: SessionList }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => {
      if (seen.some((entry) => entry.isIntersecting)) {
        void list.loadMore();
      }
    }, { rootMargin: "400px" });
    observer.observe(button.current!);
    return () => observer.disconnect();
  }, [list, list.entries.value]);
  return (
    <button ref={button} type="button" class="button more" disabled={list.loading.value} onClick={() => void list.loadMore()}>
      Show more
    </button>
  );
}

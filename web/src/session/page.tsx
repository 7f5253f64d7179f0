import type { ComponentType, JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { client } from "../connection.js";
import { Link, sessionPath } from "../router.js";
import { ShareButton } from "../share/share.js";
import { Shell } from "../shell.js";
import { SessionStore } from "./store.js";

interface SessionPageProps {
  id: string;
  view: "conversation" | "files" | "timeline";
  content: ComponentType<{ store: SessionStore }>;
}

/** The frame of a session's three views. The session stays open while the user goes from one to another. */
export function SessionPage({ id, view, content: Content }: SessionPageProps): JSX.Element {
  const [store, setStore] = useState<SessionStore>();
  const current = client.value;
  useEffect(() => {
    if (current === undefined) {
      return;
    }
    const opened = new SessionStore(id);
    setStore(opened);
    void opened.open();
    return () => opened.close();
  }, [current, id]);

  const state = store?.state.value;
  const title = store?.title.value || "Session";
  const waiting = state === undefined ? 0 : state.approvals.length + state.questions.length;
  useLayoutEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Parley`;
  }, [title, waiting]);

  const header = (
    <>
      <h1 class="top-title">{title}</h1>
      <nav aria-label="Session" class="top-links">
        <Link href={sessionPath(id)} current={view === "conversation"}>
          Conversation
        </Link>
        <Link href={sessionPath(id, "files")} current={view === "files"}>
          Files
        </Link>
        <Link href={sessionPath(id, "timeline")} current={view === "timeline"}>
          Timeline
        </Link>
        {store !== undefined && <ShareButton store={store} />}
      </nav>
    </>
  );
  const skip = view === "conversation" ? { label: "Skip to prompt", id: "prompt" } : { label: "Skip to content", id: "content" };
  return (
    <Shell header={header} skip={skip}>
      <main id="content" tabIndex={-1} class={`session session-${view}`}>
        {store?.failure.value ? (
          <div class="empty" role="alert">
            {store.failure.value}
          </div>
        ) : (
          store !== undefined && state !== undefined && <Content store={store} />
        )}
      </main>
    </Shell>
  );
}

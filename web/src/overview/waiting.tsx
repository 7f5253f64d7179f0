import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { client, connections } from "../connection.js";
import { ApprovalForm } from "../conversation/approval.js";
import { QuestionForm } from "../conversation/question.js";
import { Link, route, sessionPath } from "../router.js";
import type { Client, HostSession, State } from "../sdk.js";
import { SessionStore } from "../session/store.js";
import { titleOf } from "./merge.js";
import { shortPath } from "./row.js";
import { openSessions } from "./watch.js";

/** What waits for the user in any session, to be answered here. */
export function Waiting(): JSX.Element {
  const sessions = [...openSessions.value.values()].filter((session) => session.waiting > 0);
  const states = useStates(sessions);
  const items = sessions.flatMap((session) => {
    const state = states.get(session.session);
    return state === undefined ? [] : [<WaitingSession key={session.session} session={session} state={state} />];
  });
  return (
    <>
      <p class="hidden-visually" role="status">
        {items.length > 0 ? `${items.length} ${items.length === 1 ? "session waits" : "sessions wait"} for you` : ""}
      </p>
      {items.length > 0 && (
        <section aria-labelledby="waiting-heading" class="waiting">
          <h2 id="waiting-heading">Waiting for you</h2>
          <ul class="waiting-list" aria-label="Waiting for you">
            {items}
          </ul>
        </section>
      )}
    </>
  );
}

function WaitingSession({ session, state }: { session: HostSession; state: State }): JSX.Element {
  const store = useMemo(() => new SessionStore(session.session), [session.session]); // for its answers only: it is not opened
  return (
    <li class="waiting-item">
      <Link href={sessionPath(session.session)} class="waiting-title">
        <span class="session-title">{titleOf(session.summary ?? {})}</span> <span class="muted small">{shortPath(state.workspace)}</span>
      </Link>
      {state.approvals.map((approval) => (
        <ApprovalForm key={approval.id} store={store} approval={approval} takesFocus={false} />
      ))}
      {state.questions.map((question) => (
        <QuestionForm key={question.id} store={store} question={question} />
      ))}
    </li>
  );
}

/** Returns the states of sessions, read again when the host says that one has changed. They are open for as long as they are shown. */
function useStates(sessions: readonly HostSession[]): ReadonlyMap<string, State> {
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const read = useRef(new Map<string, string>());
  const [current, connection] = [client.value, connections.value];
  const key = sessions.map(({ session, head, waiting }) => `${session} ${head} ${waiting}`).join("\n");

  useEffect(() => {
    for (const { session, head, waiting } of sessions) {
      const version = `${connection} ${head} ${waiting}`;
      if (read.current.get(session) === version) {
        continue;
      }
      read.current.set(session, version);
      current?.request("session/state", { session }).then(
        (state) => setStates((states) => new Map(states).set(session, state)),
        () => {}, // it was closed meanwhile
      );
    }
    const waiting = new Set(sessions.map((session) => session.session));
    for (const id of read.current.keys()) {
      if (!waiting.has(id)) {
        read.current.delete(id);
        leave(current, id);
        setStates((states) => new Map([...states].filter(([other]) => other !== id)));
      }
    }
  }, [current, connection, key]);
  useEffect(() => () => read.current.forEach((_, id) => leave(current, id)), [current]);
  return states;
}

/** Closes a session for this page, unless its own view is shown. */
function leave(current: Client | undefined, session: string): void {
  const shown = route.peek();
  if (!("session" in shown) || shown.session !== session) {
    current?.request("session/close", { session }).catch(() => {}); // it was closed for all
  }
}

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../kit/icon.js";
import { SessionContext } from "../session/context.js";
import type { SessionStore } from "../session/store.js";
import { Composer } from "./composer.js";
import { List, type Hidden } from "./list.js";
import { models } from "./settings.js";

/** The conversation of a session, with the field of the prompt. */
export function Conversation({ store }: { store: SessionStore }): JSX.Element | null {
  const [atEnd, setAtEnd] = useState(true);
  const [toEnd, setToEnd] = useState(0);
  const [hidden, setHidden] = useState<Hidden>("");
  const [toWaiting, setToWaiting] = useState(0);
  const state = store.state.value;
  const { items } = store.view.value;
  if (state === undefined) {
    return null;
  }
  const model = state.settings.model ?? models.value.default;
  const waiting = state.approvals.length + state.questions.length;
  const first = waiting === 0 ? undefined : items.find((item) => (item.kind === "approval" || item.kind === "question") && item.answered === undefined)?.key;
  const scrollToEnd = () => setToEnd((n) => n + 1);
  return (
    <SessionContext.Provider value={store}>
      <section class="conversation" aria-label="Conversation" aria-busy={!store.loaded.value}>
        {model.startsWith("offline/") && <Demo />}
        {items.length === 0 && store.loaded.value && <Welcome workspace={state.workspace} />}
        <div class="list">
          <List
            items={items}
            hasOlder={store.hasOlder.value}
            loadOlder={() => void store.loadOlder()}
            toEnd={toEnd}
            waiting={first}
            onWaiting={setHidden}
            toWaiting={toWaiting}
            onAtEnd={(now) => {
              store.atEnd = now;
              setAtEnd(now);
            }}
          />
          {hidden !== "" ? (
            <button type="button" class={`to-end to-end-waiting to-${hidden}`} onClick={() => setToWaiting((n) => n + 1)}>
              <Icon name="down" />
              Waiting for you
            </button>
          ) : (
            !atEnd && (
              <button type="button" class="to-end" onClick={scrollToEnd}>
                <Icon name="down" />
                To the end
              </button>
            )
          )}
        </div>
      </section>
      <Composer store={store} state={state} onSent={scrollToEnd} />
      <Announcer waiting={waiting} />
    </SessionContext.Provider>
  );
}

/** Says that no model is configured. */
function Demo(): JSX.Element {
  return (
    <p class="demo">
      <strong>offline demo</strong>
      <span>
        {" "}
        · set <code>ANTHROPIC_API_KEY</code>
        <span class="demo-more"> where Parley runs, and it uses a model</span>
      </span>
    </p>
  );
}

/** What an empty session shows. */
function Welcome({ workspace }: { workspace: string }): JSX.Element {
  return (
    <div class="welcome">
      <h2>What shall be done?</h2>
      <p class="muted">
        Parley works in <code>{workspace}</code>
      </p>
    </div>
  );
}

/** Announces what waits for the user. Answers announce themselves. */
function Announcer({ waiting }: { waiting: number }): JSX.Element {
  const before = useRef(waiting);
  const [text, setText] = useState("");
  useEffect(() => {
    if (waiting > before.current) {
      setText(`Waiting for you: ${waiting}`);
    } else if (waiting === 0) {
      setText("");
    }
    before.current = waiting;
  }, [waiting]);
  return (
    <div class="hidden-visually" aria-live="polite">
      {text}
    </div>
  );
}

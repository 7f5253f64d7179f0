import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../kit/icon.js";
import { SessionContext } from "../session/context.js";
import type { SessionStore } from "../session/store.js";
import { Composer } from "./composer.js";
import { List } from "./list.js";
import { models } from "./settings.js";

/** The conversation of a session, with the field of the prompt. */
export function Conversation({ store }: { store: SessionStore }): JSX.Element | null {
  const [atEnd, setAtEnd] = useState(true);
  const [toEnd, setToEnd] = useState(0);
  const state = store.state.value;
  const { items } = store.view.value;
  if (state === undefined) {
    return null;
  }
  const model = state.settings.model ?? models.value.default;
  const waiting = state.approvals.length + state.questions.length;
  const scrollToEnd = () => setToEnd((n) => n + 1);
  return (
    <SessionContext.Provider value={store}>
      <section class="conversation" aria-label="Conversation" aria-busy={!store.loaded.value}>
        {model.startsWith("offline/") && <Demo />}
        {items.length === 0 && store.loaded.value && <Welcome workspace={state.workspace} />}
        <List
          items={items}
          hasOlder={store.hasOlder.value}
          loadOlder={() => void store.loadOlder()}
          toEnd={toEnd}
          onAtEnd={(now) => {
            store.atEnd = now;
            setAtEnd(now);
          }}
        />
        {!atEnd && (
          <button type="button" class={waiting > 0 ? "to-end to-end-waiting" : "to-end"} onClick={scrollToEnd}>
            <Icon name="down" />
            {waiting > 0 ? "Waiting for you" : "To the end"}
          </button>
        )}
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

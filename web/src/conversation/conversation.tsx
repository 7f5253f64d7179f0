import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../kit/icon.js";
import { SessionContext } from "../session/context.js";
import type { Item } from "../session/items.js";
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
      <Announcer items={items} ready={store.loaded.value} />
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
        · set <code>ANTHROPIC_API_KEY</code> where Parley runs, and it uses a model
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

/** How much of an answer is announced, in characters. */
const longest = 600;

/** Announces new answers, and what waits, to readers of screens. */
function Announcer({ items, ready }: { items: Item[]; ready: boolean }): JSX.Element {
  const announced = useRef<Set<string> | undefined>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    const now = items.slice(-20).filter((item) => (item.kind === "answer" && !item.streaming) || ((item.kind === "approval" || item.kind === "question") && item.answered === undefined));
    if (announced.current === undefined) {
      if (ready) {
        announced.current = new Set(now.map(({ key }) => key)); // they were there before
      }
      return;
    }
    const news = now.filter(({ key }) => !announced.current?.has(key));
    if (news.length > 0) {
      news.forEach(({ key }) => announced.current?.add(key));
      setText(news.map((item) => (item.kind === "answer" ? item.text.slice(0, longest) : item.kind === "approval" ? "Approval is needed" : "A question waits")).join("\n"));
    }
  }, [items, ready]);
  return (
    <div class="hidden-visually" aria-live="polite">
      {text}
    </div>
  );
}

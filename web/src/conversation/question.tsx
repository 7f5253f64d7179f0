import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { hasRole } from "../connection.js";
import { showInvisibleInText } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import { toast, toastError } from "../kit/toast.js";
import { isKind, type QuestionAsked } from "../sdk.js";
import { useSession } from "../session/context.js";
import type { QuestionItem } from "../session/items.js";
import type { SessionStore } from "../session/store.js";

/** What the model asks the user, and the answer. */
export function Question({ item: { question, answered } }: { item: QuestionItem }): JSX.Element {
  const store = useSession();
  if (answered === undefined) {
    return (
      <article class="approval" aria-label="Question">
        <QuestionForm store={store} question={question} />
      </article>
    );
  }
  const { answers, client } = answered;
  return (
    <article class="answered" aria-label="Question">
      <Icon name="question" />
      <div>
        {question.questions.map(({ text }, i) => (
          <p key={i}>
            <span class="muted">{showInvisibleInText(text)}</span> <strong>{answers?.[i]?.length ? answers[i].map(showInvisibleInText).join(", ") : "not answered"}</strong>
            {client !== undefined && !store.answeredHere.value.has(question.id) && ` by ${showInvisibleInText(client.name)}`}
          </p>
        ))}
      </div>
    </article>
  );
}

interface FormProps {
  store: Pick<SessionStore, "session" | "answered">;
  question: QuestionAsked;
}

/** The questions with their options. It is used by the overview, too. */
export function QuestionForm({ store, question }: FormProps): JSX.Element {
  const [chosen, setChosen] = useState<string[][]>(question.questions.map(() => []));
  const [other, setOther] = useState<string[]>(question.questions.map(() => ""));
  const [busy, setBusy] = useState(false);
  const id = useId();
  const mayAnswer = hasRole("reviewer");

  const send = async (answers: string[][] | null) => {
    setBusy(true);
    try {
      store.answered(question.id);
      await store.session.request("question/answer", { question: question.id, answers });
    } catch (error) {
      setBusy(false);
      if (isKind(error, "answered")) {
        toast("Another client has answered first");
      } else {
        toastError(error);
      }
    }
  };
  const answers = question.questions.map(({ multi }, i) => {
    const text = other[i]?.trim() ?? "";
    return text === "" ? (chosen[i] ?? []) : multi ? [...(chosen[i] ?? []), text] : [text];
  });
  const choose = (i: number, label: string, multi: boolean, on: boolean) => {
    const before = chosen[i] ?? [];
    setChosen(chosen.with(i, multi ? (on ? [...before, label] : before.filter((one) => one !== label)) : [label]));
  };

  return (
    <div class="approval-form" role="group" aria-labelledby={id}>
      <header class="approval-title">
        <Icon name="question" />
        <p id={id}>Question</p>
      </header>
      <form
        class="question-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send(answers);
        }}
      >
      {question.questions.map(({ text, header, options = [], multi = false }, i) => (
        <fieldset key={i} class="question" disabled={!mayAnswer || busy}>
          <legend>
            {header && <span class="badge-plain">{showInvisibleInText(header)}</span>} {showInvisibleInText(text)}
          </legend>
          {options.map(({ label, description }) => (
            <label key={label} class="option">
              <input
                type={multi ? "checkbox" : "radio"}
                name={`${id}-${i}`}
                aria-label={showInvisibleInText(label)}
                value={label}
                checked={chosen[i]?.includes(label) ?? false}
                onChange={(event) => choose(i, label, multi, event.currentTarget.checked)}
              />
              <span>
                {showInvisibleInText(label)}
                {description && <span class="muted small"> {showInvisibleInText(description)}</span>}
              </span>
            </label>
          ))}
          {mayAnswer && (
            <input
              class="input"
              type="text"
              aria-label="Other answer"
              placeholder="Other answer"
              value={other[i]}
              onInput={(event) => setOther(other.with(i, event.currentTarget.value))}
            />
          )}
        </fieldset>
      ))}
      {mayAnswer && (
        <div class="approval-buttons">
          <button type="submit" class="button button-primary" disabled={busy || answers.some((one) => one.length === 0)}>
            Answer
          </button>
          <button type="button" class="button" disabled={busy} onClick={() => void send(null)}>
            Do not answer
          </button>
        </div>
      )}
      </form>
    </div>
  );
}

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { client, hasRole } from "../connection.js";
import { toast, toastError } from "../kit/toast.js";
import { isKind, type Question, type QuestionAsked } from "../sdk.js";
import { visible } from "./describe.js";

interface QuestionProps {
  session: string;
  question: QuestionAsked;
}

/** What the user has chosen and written for one of several questions. */
interface Choice {
  labels: string[];
  other: string;
}

/** Questions that wait, with their options. */
export function PendingQuestion({ session, question }: QuestionProps): JSX.Element {
  const [choices, setChoices] = useState<Choice[]>(() => question.questions.map(() => ({ labels: [], other: "" })));
  const [busy, setBusy] = useState(false);
  const answers = choices.map(({ labels, other }) => (other.trim() === "" ? labels : [...labels, other.trim()]));

  const send = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    client.value?.request("question/answer", { session, question: question.id, answers }).catch((error: unknown) => {
      setBusy(false);
      if (isKind(error, "answered")) {
        toast("Another client has answered this question.");
      } else {
        toastError(error);
      }
    });
  };

  return (
    <div role="group" aria-label="Question">
      <form class="waiting-body" onSubmit={send}>
        {question.questions.map((one, i) => (
          <OneQuestion
            key={i}
            question={one}
            choice={choices[i]!}
            disabled={!hasRole("reviewer")}
            onChange={(choice) => setChoices(choices.map((old, at) => (at === i ? choice : old)))}
          />
        ))}
        {hasRole("reviewer") && (
          <div class="waiting-actions">
            <button type="submit" class="button button-primary" disabled={busy || answers.some((answer) => answer.length === 0)}>
              Answer
            </button>
          </div>
        )}
      </form>
    </div>
  );
}

interface OneQuestionProps {
  question: Question;
  choice: Choice;
  disabled: boolean;
  onChange: (choice: Choice) => void;
}

function OneQuestion({ question, choice, disabled, onChange }: OneQuestionProps): JSX.Element {
  const id = useId();
  const options = question.options ?? [];
  const choose = (label: string, on: boolean) => {
    if (question.multi) {
      onChange({ ...choice, labels: on ? [...choice.labels, label] : choice.labels.filter((other) => other !== label) });
    } else {
      onChange({ labels: [label], other: "" });
    }
  };
  return (
    <fieldset class="waiting-question" disabled={disabled}>
      <legend>{visible(question.text)}</legend>
      {options.map(({ label, description }) => (
        <label key={label} class="waiting-option">
          <input
            type={question.multi ? "checkbox" : "radio"}
            name={id}
            checked={choice.labels.includes(label)}
            onChange={(event) => choose(label, event.currentTarget.checked)}
          />
          <span>
            {visible(label)}
            {description !== undefined && <span class="muted small"> {visible(description)}</span>}
          </span>
        </label>
      ))}
      <input
        class="input"
        aria-label="Other answer"
        placeholder="Other answer"
        autocomplete="off"
        value={choice.other}
        onInput={(event) => onChange({ labels: question.multi ? choice.labels : [], other: event.currentTarget.value })}
      />
    </fieldset>
  );
}

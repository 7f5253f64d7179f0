import type { JSX } from "preact";
import { showInvisibleInText } from "../content/text.js";
import { Icon } from "../kit/icon.js";
import type { PlanItemView } from "../session/items.js";
import { Block } from "./block.js";

const words = { pending: "pending", in_progress: "in progress", completed: "completed", abandoned: "abandoned" };

/** The plan as a checklist. */
export function Plan({ item: { items } }: { item: PlanItemView }): JSX.Element {
  const done = items.filter(({ status }) => status === "completed").length;
  return (
    <Block name="Plan" icon="plan" title="Plan" aside={<span class="muted">{`${done} of ${items.length}`}</span>}>
      <ul class="plan">
        {items.map(({ text, active, status }, i) => (
          <li key={i} class={`plan-${status}`}>
            <span class="plan-mark">
              {status === "completed" && <Icon name="check" />}
              <span class="hidden-visually">{words[status]}: </span>
            </span>
            <span>{showInvisibleInText(status === "in_progress" && active ? active : text)}</span>
          </li>
        ))}
      </ul>
    </Block>
  );
}

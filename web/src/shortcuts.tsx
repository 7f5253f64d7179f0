import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Dialog } from "./kit/dialog.js";
import { navigate } from "./router.js";

const open = signal(false);

const keys: [string, string][] = [
  ["Enter", "Send the prompt; while a turn runs, steer it"],
  ["Shift+Enter", "New line"],
  ["Alt+Enter", "Queue the prompt while a turn runs"],
  ["Esc", "Interrupt the turn; in a dialog, close it"],
  ["y", "In an approval: allow once"],
  ["s", "In an approval: allow for session"],
  ["w", "In an approval: allow in workspace"],
  ["n", "In an approval: deny, with a reason"],
  ["Ctrl+K", "Search sessions"],
  ["?", "This list"],
];

/** Reports whether what has the focus takes text. */
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=button])"));
}

/** Opens the search of the overview with the focus in it: at once if the overview is shown, so that the next key is for it. */
function search(): void {
  navigate("/");
  const field = () => document.getElementById("search-sessions");
  const now = field();
  if (now !== null) {
    now.focus();
  } else {
    requestAnimationFrame(() => field()?.focus());
  }
}

/** The keys that work everywhere, and the dialog that lists all. */
export function Shortcuts(): JSX.Element | null {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        search();
      } else if (event.key === "?" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTextField(event.target)) {
        event.preventDefault();
        open.value = true;
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (!open.value) {
    return null;
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (open.value = false)}>
      <dl class="shortcuts">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split("+").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { parseDiff } from "./parsediff.js";
import { showInvisibleInText } from "./text.js";

const fewLines = 60;

/** A unified diff with the numbers of its lines. A long one is cut until "Show all". */
export function Diff({ diff, all = false, cut = 0 }: { diff: string; all?: boolean; cut?: number | undefined }): JSX.Element {
  const [open, setOpen] = useState(all);
  const { before, after, runs, left } = useMemo(() => parseDiff(diff, open ? Infinity : fewLines), [diff, open]);
  return (
    <>
      <div class="diff" tabIndex={0} role="group" aria-label="Diff">
        <pre class="diff-numbers" aria-hidden="true">
          {before}
        </pre>
        <pre class="diff-numbers" aria-hidden="true">
          {after}
        </pre>
        <pre class="diff-lines">
          {runs.map(({ sort, text }, i) => (
            <span key={i} class={`diff-${sort}`}>
              {showInvisibleInText(text)}
            </span>
          ))}
        </pre>
      </div>
      {left > 0 && <ShowAll left={`${left} more lines`} onClick={() => setOpen(true)} />}
      {left === 0 && cut > 0 && <p class="muted small">{cut} more lines are not in the record</p>}
    </>
  );
}

/** The button that unfolds what is cut. */
export function ShowAll({ left, onClick }: { left?: string; onClick: () => void }): JSX.Element {
  return (
    <p class="show-all">
      {left !== undefined && <span class="muted small">{left}</span>}
      <button type="button" class="button button-quiet button-small" onClick={onClick}>
        Show all
      </button>
    </p>
  );
}

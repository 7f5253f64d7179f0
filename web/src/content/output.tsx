import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { parseAnsi } from "./ansi.js";
import { ShowAll } from "./diff.js";

const fewLines = 20;
const fewCharacters = 8_000;
/** How many styles of one output are rendered; the rest of a longer one is one text. */
const mostSpans = 400;

/** The output of a command or a tool: its last lines, all on demand. */
export function Output({ text, label, fromStart = false }: { text: string; label: string; fromStart?: boolean }): JSX.Element | null {
  const [open, setOpen] = useState(false);
  const { shown, left } = useMemo(() => cutLines(text.replace(/\s+$/, ""), open ? Infinity : fewLines, fromStart), [text, open, fromStart]);
  const spans = useMemo(() => parseAnsi(shown), [shown]);
  if (shown === "") {
    return null;
  }
  const styled = spans.slice(0, mostSpans);
  const rest = spans.slice(mostSpans);
  const more = left > 0 && <ShowAll left={`${left} more ${left === 1 ? "line" : "lines"}`} onClick={() => setOpen(true)} />;
  return (
    <>
      {!fromStart && more}
      <pre class="output" tabIndex={0} aria-label={label} role="group">
        {styled.map(({ text, classes, color, background }, i) =>
          classes === "" && color === undefined && background === undefined ? (
            text
          ) : (
            <span key={i} class={classes} style={{ color, backgroundColor: background }}>
              {text}
            </span>
          ),
        )}
        {rest.map(({ text }) => text).join("")}
      </pre>
      {fromStart && more}
    </>
  );
}

/** Returns the first or last lines of a text, and how many are left out. */
function cutLines(text: string, lines: number, fromStart: boolean): { shown: string; left: number } {
  if (lines === Infinity) {
    return { shown: text, left: 0 };
  }
  const all = text.split("\n");
  let visible = fromStart ? all.slice(0, lines) : all.slice(-lines);
  let shown = visible.join("\n");
  if (shown.length > fewCharacters) {
    shown = fromStart ? shown.slice(0, fewCharacters) : shown.slice(-fewCharacters);
    visible = shown.split("\n");
    return { shown, left: Math.max(1, all.length - visible.length) };
  }
  return { shown, left: all.length - visible.length };
}

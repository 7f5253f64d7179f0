import type { JSX } from "preact";
import { endOf, type TurnBars } from "./fold.js";
import { isBad, kindNames, spanText } from "./text.js";

interface TurnTableProps {
  turn: TurnBars;
  now: number;
  /** Whether only screen readers see it: the chart is shown. */
  hidden: boolean;
}

/** The bars of a turn as a table. */
export function TurnTable({ turn, now, hidden }: TurnTableProps): JSX.Element {
  return (
    <div class={hidden ? "hidden-visually" : "table-scroll"} tabIndex={hidden ? undefined : 0} role="group" aria-label={`Table of ${turn.prompt || "the turn"}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Kind</th>
            <th scope="col" class="number">
              After
            </th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {turn.bars.map((bar) => (
            <tr key={`${bar.seq} ${bar.label}`}>
              <th scope="row">{bar.label}</th>
              <td class="nowrap">
                <span class="swatch" data-kind={bar.kind} />
                {kindNames[bar.kind].replace(/s$/, "")}
              </td>
              <td class="number">{spanText(bar.start - turn.start)}</td>
              <td class="number">{spanText(endOf(bar, now) - bar.start)}</td>
              <td>
                <span class={isBad(bar) ? "bad" : undefined}>{bar.result || "running"}</span>
                {bar.detail !== "" && <span class="muted small"> {bar.detail}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {turn.bars.length === 0 && !hidden && <p class="muted small turn-nothing">Nothing took time in it.</p>}
    </div>
  );
}

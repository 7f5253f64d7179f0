import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { formatCost, formatCount } from "../kit/format.js";
import { tokensOf, type UsageRow } from "./fold.js";

/** How many rows are shown before "Show all". */
const maxRows = 10;

interface UsageTableProps {
  caption: string;
  head: string;
  rows: readonly UsageRow[];
  /** Whether the bars show the cost, else the tokens. */
  byCost: boolean;
  label: (row: UsageRow) => ComponentChildren;
}

/** Sums as a table with a bar in each row. */
export function UsageTable({ caption, head, rows, byCost, label }: UsageTableProps): JSX.Element {
  const [all, setAll] = useState(false);
  const valueOf = (row: UsageRow) => (byCost ? row.cost : tokensOf(row));
  const most = Math.max(...rows.map(valueOf), 0) || 1;
  const shown = all ? rows : rows.slice(0, maxRows);
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={caption}>
        <table class="table usage-table">
          <caption class="hidden-visually">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number">
                Tokens in
              </th>
              <th scope="col" class="number">
                Tokens out
              </th>
              <th scope="col" class="number">
                Calls
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <span class="usage-label">{label(row)}</span>
                  <span class="usage-bar" style={{ width: `${(100 * valueOf(row)) / most}%` }} />
                </th>
                <td class="number">{formatCost(row.cost)}</td>
                <td class="number" title={row.input.toLocaleString("en")}>
                  {formatCount(row.input)}
                </td>
                <td class="number" title={row.output.toLocaleString("en")}>
                  {formatCount(row.output)}
                </td>
                <td class="number">{row.calls}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length && (
        <button type="button" class="button button-small button-quiet table-all" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
    </>
  );
}

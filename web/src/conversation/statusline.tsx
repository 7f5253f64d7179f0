import type { JSX } from "preact";
import { formatCost, formatCount } from "../kit/format.js";
import { statusWords, type SessionState } from "../session/state.js";

/** The status of the session, and what it has used. */
export function StatusLine({ state }: { state: SessionState }): JSX.Element {
  const { usage, cost, turnUsage, context, window, budget, retry } = state;
  const tokens = usage.input + usage.output + (turnUsage === undefined ? 0 : turnUsage.usage.input + turnUsage.usage.output);
  const dollars = cost + (turnUsage?.cost ?? 0);
  return (
    <div class="status-line">
      <span role="status" aria-label="Status" class="badge" data-status={state.status}>
        {statusWords(state.status)}
      </span>
      {retry !== undefined && (
        <span class="status-retry">
          Attempt {retry.attempt} of {retry.max}: {retry.failure.message}
        </span>
      )}
      {window > 0 && <span title={`${formatCount(context)} of ${formatCount(window)} tokens`}>{Math.round((100 * context) / window)}% context</span>}
      <span>{formatCount(tokens)} tokens</span>
      {dollars > 0 && <span>{formatCost(dollars)}</span>}
      {budget !== undefined && <span class={budget.status === "ok" ? undefined : "status-budget"}>{budgetText(budget)}</span>}
    </div>
  );
}

function budgetText({ limits, used }: NonNullable<SessionState["budget"]>): string {
  if (limits.cost !== undefined && limits.cost > 0) {
    return `${formatCost(Math.max(0, limits.cost - (used.cost ?? 0)))} budget left`;
  }
  if (limits.total_tokens !== undefined && limits.total_tokens > 0) {
    return `${formatCount(Math.max(0, limits.total_tokens - (used.total_tokens ?? 0)))} tokens of the budget left`;
  }
  return "budget";
}

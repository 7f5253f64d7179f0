import type { Budget, Failure, SessionRecord, State, Status, Usage } from "../sdk.js";

/** What the page shows of a session besides its conversation. */
export interface SessionState extends State {
  /** How many tokens the model can read; 0: not known. */
  window: number;
  budget?: Budget | undefined;
  /** What the running turn has used, which usage and cost do not have. */
  turnUsage?: { usage: Usage; cost: number } | undefined;
  /** A failed request of the model waits to be sent again. */
  retry?: { attempt: number; max: number; failure: Failure } | undefined;
  /** The last turn has failed. */
  failed: boolean;
}

/** Returns the state after a record. */
export function applyRecord(state: SessionState, record: SessionRecord): SessionState {
  const head = record.seq ?? 0;
  const next = head > 0 ? { ...state, head } : state;
  switch (record.kind) {
    case "session_changed":
      return { ...next, settings: record.data.settings, changed: head };
    case "turn_started":
      return { ...next, turn: record.turn ?? "", turns: state.turns + 1, busy: true, failed: false };
    case "turn_ended": {
      const { turn: _, ...idle } = next;
      return {
        ...idle,
        context: record.data.context,
        window: record.data.window || state.window,
        status: "idle",
        busy: false,
        failed: record.data.reason === "failed",
        retry: undefined,
        usage: addUsage(state.usage, record.data.usage),
        cost: state.cost + (record.data.cost ?? 0),
        turnUsage: undefined,
      };
    }
    case "plan_updated":
      return { ...next, plan: record.data.items };
    case "queue_changed":
      return { ...next, steering: record.data.steering, follow_ups: record.data.follow_ups };
    case "approval_asked":
      return { ...next, approvals: [...without(state.approvals, record.data.id), record.data], status: "waiting" };
    case "approval_answered":
      return { ...next, approvals: without(state.approvals, record.data.id) };
    case "question_asked":
      return { ...next, questions: [...without(state.questions, record.data.id), record.data], status: "waiting" };
    case "question_answered":
      return { ...next, questions: without(state.questions, record.data.id) };
    case "status_changed":
      return { ...next, status: record.data.status };
    case "compaction_started":
      return { ...next, status: record.data.failure === undefined ? "compacting" : state.status };
    case "compacted":
      return { ...next, context: record.data.tokens_after };
    case "usage_ticked":
      return { ...next, turnUsage: record.data };
    case "context_estimated":
      return { ...next, context: record.data.tokens, window: record.data.window || state.window };
    case "retry_started":
      return { ...next, retry: record.data };
    case "retry_ended":
      return { ...next, retry: undefined };
    default:
      return next;
  }
}

function addUsage(a: Usage, b: Usage): Usage {
  return { ...a, input: a.input + b.input, output: a.output + b.output };
}

function without<T extends { id: string }>(list: T[], id: string): T[] {
  return list.filter((one) => one.id !== id);
}

const words: Record<Status, string> = {
  idle: "idle",
  thinking: "thinking",
  working: "working",
  waiting: "waiting for you",
  compacting: "compacting",
};

/** Returns the words of a status. */
export function statusWords(status: Status): string {
  return words[status];
}

// What the declarations promise to somebody who writes a controller; compiling it is the test.

import type { Inbound, Outbound } from "./scaiflux.js";

// The type of a message tells its fields, and this list of types is complete.
export function answer(message: Outbound): Inbound | undefined {
  switch (message.type) {
    case "permission_request":
      return {
        type: "permission_response",
        request_id: message.request_id,
        decision: message.required_mode === "read-only" ? "allow" : "deny",
        reason: message.details.reason,
      };
    case "turn_complete":
      return message.mutations.some(([tool, target]) => tool === "bash" && target === "") ? { type: "interrupt" } : { type: "shutdown" };
    case "error":
      return message.turn_id === undefined ? { type: "slash", command: "status" } : undefined;
    case "state_changed":
      return { type: "prompt", text: `${message.model ?? "the same model"}, ${message.context_pct ?? 0} %` };
    case "slash_result":
      return message.data?.["error"] === undefined ? undefined : { type: "slash", command: "help", args: "" };
    case "ready":
    case "turn_started":
    case "text_delta":
    case "tool_start":
    case "tool_result":
      return undefined;
    default:
      return message satisfies never;
  }
}

// @ts-expect-error: decisions are allow and deny
export const mistyped: Inbound = { type: "permission_response", request_id: "r-1", decision: "yes" };

// @ts-expect-error: objects are closed
export const extra: Inbound = { type: "interrupt", turn_id: "5be01c77a210" };

// @ts-expect-error: the text of a prompt is required
export const missing: Inbound = { type: "prompt" };

// @ts-expect-error: null is not left out
export const nothing: Inbound = { type: "slash", command: "model", args: null };

// Written by 'make schema' from scaiflux.schema.json; not by hand.

/**
 * A line of ScaiFlux serve mode, protocol 1.
 */
export type Message = Inbound | Outbound;
export type Inbound = Prompt | Slash | Interrupt | PermissionResponse | Shutdown;
export type Outbound =
  | Ready
  | TurnStarted
  | TextDelta
  | ToolStart
  | ToolResult
  | PermissionRequest
  | TurnComplete
  | SlashResult
  | StateChanged
  | Error;

export interface Prompt {
  type: "prompt";
  text: string;
}
export interface Slash {
  type: "slash";
  command: string;
  args?: string;
}
export interface Interrupt {
  type: "interrupt";
}
export interface PermissionResponse {
  type: "permission_response";
  request_id: string;
  decision: "allow" | "deny";
  reason?: null | string;
}
export interface Shutdown {
  type: "shutdown";
}
export interface Ready {
  type: "ready";
  protocol: 1;
  version: string;
  session_id: string;
  model: string;
  mode: "read-only" | "plan" | "workspace-write" | "prompt" | "danger-full-access";
  tools: string[];
  context_window: number;
  max_tokens: number;
  gadgets: string[];
}
export interface TurnStarted {
  type: "turn_started";
  turn_id: string;
}
export interface TextDelta {
  type: "text_delta";
  turn_id: string;
  delta: string;
}
export interface ToolStart {
  type: "tool_start";
  turn_id: string;
  tool_id: string;
  name: string;
  input: {
    [k: string]: unknown;
  };
}
export interface ToolResult {
  type: "tool_result";
  turn_id: string;
  tool_id: string;
  output: string;
  is_error: boolean;
  duration_s: number;
}
export interface PermissionRequest {
  type: "permission_request";
  request_id: string;
  tool: string;
  active_mode: "read-only" | "plan" | "workspace-write" | "prompt" | "danger-full-access";
  required_mode: "read-only" | "workspace-write" | "danger-full-access";
  details: {
    tool_input: {
      [k: string]: unknown;
    };
    reason: null | string;
  };
}
export interface TurnComplete {
  type: "turn_complete";
  turn_id: string;
  stop_reason: "end_turn" | "interrupted" | "max_iterations" | "max_tokens" | "error";
  iterations: number;
  input_tokens: number;
  output_tokens: number;
  mutations: [string, string][];
}
export interface SlashResult {
  type: "slash_result";
  command: string;
  text: string;
  data: {
    [k: string]: unknown;
  } | null;
  clear_session: boolean;
  exit: boolean;
}
export interface StateChanged {
  type: "state_changed";
  model?: string;
  mode?: "read-only" | "plan" | "workspace-write" | "prompt" | "danger-full-access";
  context_pct?: number;
  context_window?: number;
  gadgets?: string[];
}
export interface Error {
  type: "error";
  code: string;
  message: string;
  origin: "local" | "remote" | "unknown";
  turn_id?: string;
}

// What the declarations promise to somebody who writes a client; compiling it is the test.

import type { Grant, Inbound, Outbound, PermissionRequest, Question, UiMessage } from "./agentair.js";

// Everything that a client can say.
export const said: Inbound[] = [
  { session_id: 1, content: "Hi", turn_id: { role: "User", sequence: 1 } },
  { session_id: 1, content: "Hi", turn_id: { role: "User", sequence: 2 }, metadata: { client_version: "1.2.3" }, input_type: "Data" },
  { input_type: "Control", session_id: 1, content: "", control_cmd: "Interrupt", turn_id: null },
  { PermissionResponse: { tool_use_id: "t", response: { granted: true } } },
  { PermissionResponse: { tool_use_id: "t", response: { granted: false, message: "no" }, session_id: 1 } },
  { PermissionResponse: { tool_use_id: "t", response: { granted: true, scope: "Session", grant: null } } },
  { PermissionResponse: { tool_use_id: "t", response: { granted: true, grant: { target: { type: "path", path: "/p", recursive: true }, level: "Write" } } } },
  { BatchPermissionResponse: { batch_id: "b" } },
  { BatchPermissionResponse: { batch_id: "b", approved_grants: [{ target: { type: "command", pattern: "git *" }, level: "Execute" }], approved_requests: ["t"], denied_requests: ["u"], auto_approved: [] } },
  { UserInteractionResponse: { tool_use_id: "t", response: { answers: [{ question: "q1", answer: ["A"] }] } } },
  { CancelPermission: { tool_use_id: "t" } },
  { CancelBatchPermission: { batch_id: "b" } },
  { CancelUserInteraction: { tool_use_id: "t" } },
  { Interrupt: { session_id: 1 } },
  { Clear: { session_id: 1 } },
  { Compact: { session_id: 1 } },
  { Shutdown: {} },
  { Shutdown: null },
  "Shutdown",
  { CreateSession: {} },
  { CreateSession: { model: "m", working_dir: "/w" } },
  { RemoveSession: { session_id: 2 } },
];

// The one member tells what is in a message, and this list of messages is complete.
export function told(m: UiMessage): string {
  if ("TextChunk" in m) {
    return `${m.TextChunk.session_id} ${m.TextChunk.turn_id.sequence} ${m.TextChunk.text}`;
  } else if ("ToolExecuting" in m) {
    return `${m.ToolExecuting.tool_use_id} ${m.ToolExecuting.tool_name} ${Object.keys(m.ToolExecuting.input).join()} ${m.ToolExecuting.display_title ?? ""}`;
  } else if ("ToolCompleted" in m) {
    return `${m.ToolCompleted.tool_use_id} ${m.ToolCompleted.result} ${m.ToolCompleted.status ?? "unknown"}`;
  } else if ("Complete" in m) {
    return m.Complete.stop_reason === "MaxTokens" ? "cut" : m.Complete.turn_id.role;
  } else if ("PermissionRequired" in m) {
    return asked(m.PermissionRequired.request);
  } else if ("BatchPermissionRequired" in m) {
    return m.BatchPermissionRequired.batch_id + m.BatchPermissionRequired.requests.map(asked).join();
  } else if ("UserInteractionRequired" in m) {
    return m.UserInteractionRequired.request.questions.map(shown).join();
  } else if ("TokenUpdate" in m) {
    return String(m.TokenUpdate.input_tokens + m.TokenUpdate.output_tokens);
  } else if ("Error" in m) {
    return `${m.Error.session_id ?? "everywhere"} ${m.Error.message}`;
  } else if ("System" in m) {
    return `${m.System.session_id ?? "everywhere"} ${m.System.message}`;
  } else if ("Display" in m) {
    return m.Display.content;
  } else if ("CommandComplete" in m) {
    return m.CommandComplete.command;
  }
  return m satisfies never;
}

function asked(r: PermissionRequest): string {
  return `${r.id} ${r.tool_name} ${r.level} ${r.target_type} ${r.target} ${r.recursive} ${r.description} ${r.reason ?? ""}`;
}

function shown(q: Question): string {
  return `${q.id} ${q.text} ${q.question_type} ${q.options?.join() ?? "any text"} ${q.required} ${q.defaultValue ?? ""}`;
}

// A request's own members make a grant.
export function kept(r: PermissionRequest): Grant {
  return r.target_type === "Path" ? { ...r, target_type: "Path" } : { ...r, target_type: r.target_type };
}

// Whatever comes is a message.
export const heard = (line: Outbound): string => told(line);

// @ts-expect-error: a message has to have a turn id
export const unnumbered: Inbound = { session_id: 1, content: "Hi" };

// @ts-expect-error: roles are two
export const mistyped: Inbound = { session_id: 1, content: "Hi", turn_id: { role: "user", sequence: 1 } };

// @ts-expect-error: no such request
export const unknown: Inbound = { Frob: { session_id: 1 } };

// @ts-expect-error: lists may be left out, and not null
export const nothing: Inbound = { BatchPermissionResponse: { batch_id: "b", denied_requests: null } };

// @ts-expect-error: a path has to say whether it is recursive
export const vague: Grant = { target: { type: "path", path: "/p" }, level: "Read" };

// What the declarations promise to somebody who writes a client; compiling it is the test.

import type {
  AssistantMessage,
  AssistantMessageEvent,
  Command,
  Event,
  ExtensionUIRequest,
  ExtensionUIResponse,
  Failure,
  Inbound,
  Message,
  Outbound,
  Response,
} from "./pisces.js";

const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

// Everything that a client can say.
export const said: Inbound[] = [
  { id: "1", type: "prompt", message: "Hello" },
  { id: 2, type: "prompt", message: "Look", images: [picture], streamingBehavior: "followUp" },
  { type: "steer", message: "in French" },
  { type: "follow_up", message: "and then?", images: [picture] },
  { type: "abort" },
  { type: "abort_and_prompt", message: "Do the other thing" },
  { type: "new_session", parentSession: "/s.jsonl" },
  { type: "get_state" },
  { type: "set_model", provider: "acme", modelId: "otter-2" },
  { type: "cycle_model" },
  { type: "get_available_models" },
  { type: "set_thinking_level", level: "xhigh" },
  { type: "cycle_thinking_level" },
  { type: "set_steering_mode", mode: "all" },
  { type: "set_follow_up_mode", mode: "one-at-a-time" },
  { type: "set_interrupt_mode", mode: "wait" },
  { type: "compact", customInstructions: "Keep the API decisions" },
  { type: "set_auto_compaction", enabled: false },
  { type: "set_auto_retry", enabled: true },
  { type: "abort_retry" },
  { type: "bash", command: "ls" },
  { type: "abort_bash" },
  { type: "get_session_stats" },
  { type: "export_html", outputPath: "page.html" },
  { type: "switch_session", sessionPath: "/s.jsonl" },
  { type: "branch", entryId: "0000000a" },
  { type: "get_branch_messages" },
  { type: "get_last_assistant_text" },
  { type: "set_session_name", name: "Cart" },
  { type: "get_messages" },
  { type: "fork", entryId: "0000000a" },
  { type: "get_fork_messages" },
  { type: "clone" },
  { type: "get_commands" },
  { type: "extension_ui_response", id: "u", value: "eu" },
];

// The type tells an event, and this list is complete.
export function told(e: Event): string {
  switch (e.type) {
    case "ready":
    case "agent_start":
    case "todo_auto_clear":
    case "session_settled":
      return e.type;
    case "agent_settled":
      return `${e.aborted}`;
    case "prompt_result":
      return `${e.status} ${e.error?.message ?? ""} ${e.sessionSettled}`;
    case "agent_end":
      return `${e.sessionId} ${e.sessionFile ?? "nowhere"} ${e.messages.map(shown).join()}`;
    case "turn_start":
      return `${e.turnIndex} ${e.timestamp}`;
    case "turn_end":
      return `${e.message.stopReason} ${e.toolResults.map(shown).join()}`;
    case "message_start":
    case "message_end":
      return shown(e.message);
    case "message_update":
      return grown(e.assistantMessageEvent) + answered(e.message);
    case "tool_execution_start":
      return `${e.toolCallId} ${e.toolName} ${JSON.stringify(e.args)} ${e.intent ?? ""}`;
    case "tool_execution_update":
      return e.partialResult.content.map((c) => (c.type === "text" ? c.text : c.mimeType)).join();
    case "tool_execution_end":
      return `${e.isError} ${e.result.content.length}`;
    case "auto_compaction_start":
      return `${e.reason} ${e.action}`;
    case "auto_compaction_end":
      return `${e.result?.summary ?? "none"} ${e.aborted} ${e.willRetry}`;
    case "auto_retry_start":
      return `${e.attempt}/${e.maxAttempts} in ${e.delayMs}: ${e.errorMessage}`;
    case "auto_retry_end":
      return `${e.success} ${e.finalError ?? ""}`;
    case "retry_fallback_applied":
      return `${e.from} ${e.to}`;
    case "retry_fallback_succeeded":
      return e.model;
    case "ttsr_triggered":
      return e.rules.map((rule) => rule._source.path).join();
    case "todo_reminder":
      return e.todos.map((todo) => todo.status).join();
    case "extension_error":
      return `${e.extensionPath} ${e.event} ${e.error}`;
    case "subagent_start":
      return e.agent;
    case "subagent_end":
      return e.verification?.status ?? "unverified";
    case "subagent_verification_start":
      return e.profile ?? "";
    case "subagent_verification_command_start":
    case "subagent_verification_command_end":
      return e.commandName;
    case "subagent_verification_end":
      return e.status;
    case "budget_warning":
    case "budget_exceeded":
      return `${e.scope} ${e.snapshot.costUsd}`;
    case "host_tool_call":
      return `${e.toolName} ${JSON.stringify(e.arguments)}`;
    case "host_tool_cancel":
      return e.targetId;
    default:
      return e satisfies never;
  }
}

function grown(e: AssistantMessageEvent): string {
  switch (e.type) {
    case "text_start":
    case "thinking_start":
    case "toolcall_start":
      return String(e.contentIndex);
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return e.delta;
    case "text_end":
    case "thinking_end":
      return e.content;
    case "toolcall_end":
      return e.toolCall.name;
    default:
      return e satisfies never;
  }
}

// The role tells a message.
function shown(m: Message): string {
  switch (m.role) {
    case "user":
    case "developer":
      return typeof m.content === "string" ? m.content : m.content.map((c) => (c.type === "text" ? c.text : c.data)).join();
    case "assistant":
      return answered(m);
    case "toolResult":
      return `${m.toolName} ${m.isError}`;
    case "bashExecution":
      return `${m.command} ${m.exitCode ?? "cancelled"} ${m.output}`;
    case "custom":
      return m.customType;
    case "fileMention":
      return m.files.map((file) => file.path).join();
    case "branchSummary":
    case "compactionSummary":
      return m.summary;
    default:
      return m satisfies never;
  }
}

function answered(m: AssistantMessage): string {
  const text = m.content.map((c) => (c.type === "text" ? c.text : c.type === "thinking" ? c.thinking : c.type === "toolCall" ? c.name : "")).join("");
  return `${text} ${m.usage.cost.total} ${m.errorMessage ?? m.stopReason}`;
}

// The method tells what an extension wants.
export function asked(r: ExtensionUIRequest): ExtensionUIResponse | undefined {
  switch (r.method) {
    case "select":
      return { type: "extension_ui_response", id: r.id, value: r.options[0] ?? "" };
    case "confirm":
      return { type: "extension_ui_response", id: r.id, confirmed: r.message !== "" };
    case "input":
      return { type: "extension_ui_response", id: r.id, value: r.placeholder ?? "" };
    case "editor":
      return { type: "extension_ui_response", id: r.id, cancelled: true };
    case "cancel":
    case "notify":
    case "setStatus":
    case "setWidget":
    case "setTitle":
    case "set_editor_text":
      return undefined;
    default:
      return r satisfies never;
  }
}

// Whatever comes is one of three.
export function heard(line: Outbound): string {
  switch (line.type) {
    case "response":
      return line.success ? line.command : failed(line);
    case "extension_ui_request":
      return line.method;
    default:
      return told(line);
  }
}

function failed(line: Failure): string {
  return `${line.id} ${line.command ?? "unknown"} ${line.error}`;
}

// A command tells its data.
type Data<C extends Command["type"]> = Extract<Response, { command: C }> extends { data: infer D } ? D : undefined;
export declare function call<C extends Command["type"]>(command: Extract<Command, { type: C }>): Promise<Data<C>>;

export async function used(): Promise<string> {
  const state = await call<"get_state">({ type: "get_state" });
  const next = await call<"cycle_model">({ type: "cycle_model" });
  const run = await call<"bash">({ type: "bash", command: "ls" });
  const { text } = await call<"get_last_assistant_text">({ type: "get_last_assistant_text" });
  const { messages } = await call<"get_messages">({ type: "get_messages" });
  const { cancelled } = await call<"new_session">({ type: "new_session" });
  return `${state.model?.id ?? "none"} ${next?.model.cost.input ?? 0} ${run.exitCode ?? -1} ${text ?? "nothing"} ${messages.map(shown).join()} ${cancelled}`;
}

// @ts-expect-error: a message has to be there
export const missing: Inbound = { type: "prompt" };

// @ts-expect-error: no such command
export const unheard: Inbound = { type: "frobnicate" };

// @ts-expect-error: modes are two
export const mistyped: Inbound = { type: "set_steering_mode", mode: "some" };

// @ts-expect-error: a typing mistake is none of the members
export const misspelt: Inbound = { type: "prompt", message: "x", streamingBehaviour: "steer" };

// @ts-expect-error: null is left out
export const nothing: Inbound = { type: "compact", customInstructions: null };

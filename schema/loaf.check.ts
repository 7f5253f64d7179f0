// What the declarations promise to somebody who writes a client; compiling it is the test.

import type {
  AuthConnectResult,
  AuthConnectStarted,
  CommandCompressed,
  CompactionCompleted,
  ErrorData,
  Event,
  EventEnvelope,
  Failure,
  HistoryGetResult,
  HistoryListResult,
  Inbound,
  LimitsResult,
  Message,
  Model,
  ModelListResult,
  Outbound,
  QueueItem,
  Request,
  Result,
  SessionCreateResult,
  SessionInterruptResult,
  SessionQueueListResult,
  SessionSendResult,
  SessionState,
  State,
} from "./loaf.js";

// Everything that a client can say.
export const said: Inbound[] = [
  { jsonrpc: "2.0", id: 1, method: "rpc.handshake", params: { client_name: "my_client", client_version: "1.0.0", protocol_version: "1.0.0" } },
  { jsonrpc: "2.0", id: "two", method: "rpc.handshake", params: { strict: true, event_format: "envelope", event_scope: "all" } },
  { jsonrpc: "2.0", id: null, method: "system.ping" },
  { jsonrpc: "2.0", id: 4, method: "system.shutdown", params: { reason: "client_exit" } },
  { jsonrpc: "2.0", id: 5, method: "state.get", params: {} },
  { jsonrpc: "2.0", id: 6, method: "session.create", params: { title: "My Session" } },
  { jsonrpc: "2.0", id: 7, method: "session.get", params: { session_id: "abc123" } },
  { jsonrpc: "2.0", id: 8, method: "session.send", params: { session_id: "abc123", text: "Hello, loaf!", enqueue: true } },
  { jsonrpc: "2.0", id: 9, method: "session.send", params: { session_id: "abc123", images: [{ path: "/path/to/screenshot.png" }, { data_url: "data:image/png;base64,iVBORw0KGgo...", mime_type: "image/png" }] } },
  { jsonrpc: "2.0", id: 10, method: "session.steer", params: { session_id: "abc123", text: "answer in French" } },
  { jsonrpc: "2.0", id: 11, method: "session.interrupt", params: { session_id: "abc123" } },
  { jsonrpc: "2.0", id: 12, method: "session.queue.list", params: { session_id: "abc123" } },
  { jsonrpc: "2.0", id: 13, method: "session.queue.clear", params: { session_id: "abc123" } },
  { jsonrpc: "2.0", id: 14, method: "command.execute", params: { session_id: "abc123", raw_command: "/help" } },
  { jsonrpc: "2.0", id: 15, method: "auth.status" },
  { jsonrpc: "2.0", id: 16, method: "auth.connect.openai", params: { mode: "device_code", originator: "me", wait: false } },
  { jsonrpc: "2.0", id: 17, method: "auth.connect.antigravity" },
  { jsonrpc: "2.0", id: 18, method: "auth.set.openrouter_key", params: { api_key: "k" } },
  { jsonrpc: "2.0", id: 19, method: "auth.set.exa_key", params: { api_key: "skip" } },
  { jsonrpc: "2.0", id: 20, method: "onboarding.status" },
  { jsonrpc: "2.0", id: 21, method: "onboarding.complete" },
  { jsonrpc: "2.0", id: 22, method: "model.list", params: { provider: "openrouter" } },
  { jsonrpc: "2.0", id: 23, method: "model.select", params: { model_id: "demo/crumb", provider: "openrouter", thinking_level: "XHIGH", openrouter_provider: "any", session_id: "abc123", compress_immediately: true } },
  { jsonrpc: "2.0", id: 24, method: "model.openrouter.providers", params: { model_id: "demo/crumb" } },
  { jsonrpc: "2.0", id: 25, method: "limits.get" },
  { jsonrpc: "2.0", id: 26, method: "history.list", params: { limit: 5, cursor: 10 } },
  { jsonrpc: "2.0", id: 27, method: "history.get", params: { last: true } },
  { jsonrpc: "2.0", id: 28, method: "history.clear_session", params: { session_id: "abc123" } },
  { jsonrpc: "2.0", id: 29, method: "skills.list" },
  { jsonrpc: "2.0", id: 30, method: "tools.list" },
  { jsonrpc: "2.0", id: 31, method: "debug.set", params: { super_debug: true } },
];

// The method of an event tells its params, and this list of events is complete.
export function told(e: Event): string {
  switch (e.method) {
    case "session.status":
      return `${e.params.session_id} ${e.params.pending} ${e.params.status_label} ${e.params.turn_id ?? ""}`;
    case "session.message.appended":
      return shown(e.params.message);
    case "session.stream.chunk":
      return e.params.chunk.answerText + e.params.chunk.thoughts.join() + e.params.chunk.segments.map((s) => (s.kind === "thought" ? `(${s.text})` : s.text)).join("");
    case "session.tool.call.started":
      return `${e.params.data.tool_name} ${e.params.data.call_id} ${JSON.stringify(e.params.data.call.input)} ${e.params.data.toolRound}`;
    case "session.tool.call.completed":
      return `${e.params.data.tool_name} ${e.params.data.ok} ${e.params.data.executed.error ?? JSON.stringify(e.params.data.executed.result)}`;
    case "session.tool.results":
      return e.params.data.executed.map((call) => call.name).join();
    case "session.context.estimate":
      return `${e.params.provider ?? "none"} ${e.params.total_tokens_estimate} ${e.params.breakdown.pinned_tokens}`;
    case "session.completed":
      return String(e.params.answer_length);
    case "session.interrupted":
      return String(e.params.partial_output);
    case "session.error":
    case "auth.flow.failed":
      return e.params.message;
    case "session.debug":
      return e.params.stage + JSON.stringify(e.params.data);
    case "compaction.started":
      return `${e.params.reason} ${e.params.event_count} ${e.params.context_window_tokens}`;
    case "compaction.anchor_selected":
      return String(e.params.delta_event_count);
    case "compaction.summary_merged":
      return e.params.summary_updated_at;
    case "compaction.completed":
      return saved(e.params);
    case "compaction.failed":
      return `${e.params.reason} ${e.params.message} ${e.params.turn_id ?? ""}`;
    case "auth.flow.started":
      return e.params.provider;
    case "auth.flow.url":
      return e.params.url;
    case "auth.flow.device_code":
      return `${e.params.verification_url} ${e.params.user_code} ${e.params.interval_seconds} ${e.params.expires_in_seconds}`;
    case "auth.flow.completed":
      return `${e.params.login_method} ${e.params.account_id ?? "nobody"}`;
    case "state.changed":
      return e.params.reason + selected(e.params.snapshot);
    default:
      return e satisfies never;
  }
}

function saved(done: CompactionCompleted | CommandCompressed): string {
  return `${done.estimated_tokens_before} -> ${done.estimated_tokens_after}`;
}

function selected(state: State): string {
  return `${state.model.selectedModel} ${state.model.selectedProvider ?? "none"} ${state.auth.antigravityProfile?.email ?? ""} ${state.sessions.ids.join()}`;
}

function shown(message: Message): string {
  return `${message.id} ${message.kind} ${message.text} ${message.images.map((image) => `${image.path} ${image.byteSize}`).join()}`;
}

// In the other format the type tells the payload.
export function enveloped(e: EventEnvelope): string {
  return e.type === "session.error" ? `${e.timestamp} ${e.payload.message}` : e.type;
}

// Whatever comes is one of four.
export function heard(line: Outbound): string {
  if ("error" in line) {
    return failed(line);
  }
  if ("result" in line) {
    return `answer to ${line.id}`;
  }
  return line.method === "event" ? enveloped(line.params) : told(line);
}

function failed(line: Failure): string {
  const data: ErrorData = line.error.data;
  return `${line.id} ${line.error.code} ${line.error.message} ${data.reason} ${data.field ?? data.kind ?? ""}`;
}

// What answers a request; which, the client knows by its id.
type Params<M extends Request["method"]> = Extract<Request, { method: M }>["params"];
export declare function call<R extends Result["result"]>(method: Request["method"], params: Params<Request["method"]>): Promise<R>;

// An event by its name.
type Payload<T extends Event["method"]> = Extract<Event, { method: T }>["params"];
export declare function on<T extends Event["method"]>(type: T, then: (payload: Payload<T>) => void): void;

export async function used(): Promise<string> {
  const { session_id, state } = await call<SessionCreateResult>("session.create", { title: "Test" });
  const fresh: SessionState = state;
  on("session.stream.chunk", (payload) => payload.chunk.answerText.length);
  const prompt: Params<"session.send"> = { session_id, text: "Hello!" };
  const sent = await call<SessionSendResult>("session.send", prompt);
  const { interrupted } = await call<SessionInterruptResult>("session.interrupt", { session_id });
  const { queue } = await call<SessionQueueListResult>("session.queue.list", { session_id });
  const waiting: QueueItem[] = queue;
  const { models } = await call<ModelListResult>("model.list", {});
  const first: Model | undefined = models[0];
  const limits = await call<LimitsResult>("limits.get", {});
  const page = await call<HistoryListResult>("history.list", { limit: 1 });
  const chat = await call<HistoryGetResult>("history.get", { id: page.sessions[0]?.id ?? "" });
  const signIn = await call<AuthConnectResult | AuthConnectStarted>("auth.connect.openai", {});
  const how = "started" in signIn ? signIn.login_method : (signIn.account_id ?? "nobody");
  return `${fresh.conversationProvider ?? "none"} ${sent.turn_id} ${interrupted} ${waiting.length} ${first?.contextWindowTokens ?? 0} ${limits.openai?.snapshot?.primary?.usedPercent ?? 0} ${page.next_cursor ?? "end"} ${chat.title} ${chat.messages.length} ${how}`;
}

// @ts-expect-error: the version has to be there
export const unversioned: Inbound = { id: 1, method: "system.ping" };

// @ts-expect-error: a session has to be named
export const missing: Inbound = { jsonrpc: "2.0", id: 1, method: "session.send", params: { text: "x" } };

// @ts-expect-error: params that are demanded
export const bare: Inbound = { jsonrpc: "2.0", id: 1, method: "session.get" };

// @ts-expect-error: no such method
export const forked: Inbound = { jsonrpc: "2.0", id: 1, method: "session.fork", params: {} };

// @ts-expect-error: modes are three
export const mistyped: Inbound = { jsonrpc: "2.0", id: 1, method: "auth.connect.openai", params: { mode: "telepathy" } };

// @ts-expect-error: a typing mistake is none of the members
export const misspelt: Inbound = { jsonrpc: "2.0", id: 1, method: "session.create", params: { titel: "x" } };

// @ts-expect-error: null is left out
export const nothing: Inbound = { jsonrpc: "2.0", id: 1, method: "session.create", params: { title: null } };

// What the declarations promise to somebody who writes a client; compiling it is the test.

import type {
  AgentMessageItem,
  AgentNotification,
  AgentRequest,
  CommandExecutionApprovalResponse,
  ConfigListResult,
  ConfigReadResult,
  ConfigSetResult,
  FileChangeApprovalResponse,
  FileUpdateChange,
  FileUpdateChangeSDK,
  Inbound,
  InitializeResult,
  JsonRpcError,
  KnownItem,
  ModelListResult,
  Outbound,
  PlanEntry,
  SandboxPolicy,
  Thread,
  ThreadItem,
  ThreadListResult,
  ThreadResumeResult,
  ThreadStartResult,
  Turn,
  TurnStartResult,
  UserInput,
} from "./flint.js";

// Everything that a client can say.
export const said: Inbound[] = [
  { id: 1, method: "initialize", params: { clientInfo: { name: "example", title: "Example", version: "1" }, capabilities: { experimentalApi: false } } },
  { method: "initialized" },
  { id: "two", method: "thread/start" },
  { id: 3, method: "thread/start", params: { model: "m", cwd: "/srv", approvalPolicy: "unlessTrusted", sandbox: { type: "workspaceWrite", writableRoots: ["/tmp/x"], networkAccess: true } } },
  { id: 4, method: "thread/start", params: { approvalPolicy: "on-request", sandbox: "workspace-write", developerInstructions: "Be brief.", config: { "mcp_servers.memory.command": "bun" } } },
  { id: 5, method: "thread/start", params: { mcpServers: { memory: { command: "bun", args: ["m.ts"], env: { A: "1" } }, web: { type: "http", url: "https://example.org", headers: {} } } } },
  { id: 6, method: "thread/resume", params: { threadId: "T1", cwd: "/srv", model: "m", excludeTurns: true } },
  { id: 7, method: "thread/list", params: { cursor: "abc", limit: 50, archived: true } },
  { id: 8, method: "thread/archive", params: { threadId: "T1" } },
  { id: 9, method: "turn/start", params: { threadId: "T1", input: [{ type: "text", text: "hi", _meta: { from: "editor" } }], config: { reasoning_effort: "high" }, sandboxPolicy: { type: "readOnly" } } },
  { id: 10, method: "turn/interrupt", params: { threadId: "T1", turnId: "U1" } },
  { id: 11, method: "model/list", params: { limit: 5 } },
  { id: 12, method: "config/list" },
  { id: 13, method: "config/set", params: { id: "reasoning_effort", value: "low" } },
  { id: 14, method: "config/read", params: {} },
  { id: 1000001, result: { decision: "accept" } },
  { id: 1000002, error: { code: -32601, message: "Not supported" } },
];

export const inputs: UserInput[] = [
  { type: "text", text: "a" },
  { type: "image", url: "https://example.org/a.png" },
  { type: "localImage", path: "/a.png" },
];

export const sandboxes: SandboxPolicy[] = [
  { type: "dangerFullAccess" },
  { type: "readOnly" },
  { type: "workspaceWrite" },
  { type: "externalSandbox", networkAccess: "restricted" },
];

// The method of a notification tells its params, and this list of methods is complete.
export function told(n: AgentNotification): string {
  switch (n.method) {
    case "thread/started":
      return n.params.thread.id;
    case "turn/started":
    case "turn/completed":
      return n.params.turn.status + (n.params.turn.error?.message ?? "");
    case "turn/plan/updated":
      return n.params.explanation + n.params.plan.map(step).join();
    case "thread/tokenUsage/updated":
      return String(n.params.usage.inputTokens + n.params.usage.outputTokens + (n.params.usage.cacheReadTokens ?? 0));
    case "item/started":
    case "item/completed":
      return shown(n.params.item);
    case "item/agentMessage/delta":
    case "item/commandExecution/outputDelta":
    case "item/fileChange/outputDelta":
    case "item/plan/delta":
      return n.params.itemId + n.params.delta;
    case "item/reasoning/textDelta":
      return n.params.delta + String(n.params.contentIndex);
    case "item/reasoning/summaryTextDelta":
      return n.params.delta + String(n.params.summaryIndex);
    case "error":
      return n.params.error.message + String(n.params.willRetry);
    default:
      return n satisfies never;
  }
}

function step(entry: PlanEntry): string {
  return entry.status === "inProgress" ? `> ${entry.step}` : entry.step;
}

// Of a known item the type tells the members; an item of another type has an id, and perhaps a text.
function shown(item: ThreadItem): string {
  const known = item as KnownItem;
  switch (known.type) {
    case "userMessage":
      return known.content.map((input) => (input.type === "text" ? input.text : input.type === "image" ? input.url : input.path)).join();
    case "agentMessage":
      return known.text;
    case "reasoning":
      return known.summary ?? known.content ?? "";
    case "commandExecution":
      return `${known.cwd}$ ${known.command}: ${known.exitCode ?? known.status} ${known.aggregatedOutput ?? ""} ${known.durationMs ?? 0}`;
    case "fileChange":
      return known.changes.map(changed).join();
    case "mcpToolCall":
      return `${known.server}.${known.tool} ${JSON.stringify(known.arguments ?? {})}: ${known.error ?? JSON.stringify(known.result)}`;
    case "webSearch":
      return known.query;
    case "plan":
      return known.text + (known.entries ?? []).map(step).join();
    case "dynamicToolCall":
      return known.text + (known.contentItems ?? []).map((part) => part.text).join();
    case "contextCompaction":
      return known.text;
    default:
      known satisfies never;
      return item.id;
  }
}

function changed(change: FileUpdateChange | FileUpdateChangeSDK): string {
  const kind: "add" | "modify" | "delete" | "update" = typeof change.kind === "string" ? change.kind : change.kind.type;
  return `${kind} ${change.path}\n${change.diff}`;
}

// What is asked, and how it is answered.
export function answered(ask: AgentRequest): Inbound {
  switch (ask.method) {
    case "item/commandExecution/requestApproval": {
      const verdict: CommandExecutionApprovalResponse = { decision: ask.params.command === "ls" ? "accept" : "decline" };
      return { id: ask.id, result: verdict };
    }
    case "item/fileChange/requestApproval": {
      const verdict: FileChangeApprovalResponse = { decision: ask.params.reason === undefined ? "acceptForSession" : "cancel" };
      return { id: ask.id, result: verdict };
    }
    default:
      return ask satisfies never;
  }
}

// What answers a request; which, the client knows by its id.
const turn: Turn = { id: "U1", status: "inProgress", items: [] };
const thread: Thread = { id: "T1", preview: "", modelProvider: "p", createdAt: 1, model: "m", cwd: "/srv", updatedAt: 1, cliVersion: "1", source: "appServer", turns: [turn] };
const options: ConfigListResult["options"] = [{ type: "select", id: "a", name: "A", options: [{ id: "x", name: "X" }], value: "x" }];
const results: [
  InitializeResult,
  ThreadStartResult,
  ThreadResumeResult,
  ThreadListResult,
  TurnStartResult,
  ModelListResult,
  ConfigListResult,
  ConfigSetResult,
  ConfigReadResult,
] = [
  { agentInfo: { name: "n", version: "1", provider: "p" }, capabilities: { streaming: true, configOptions: true, reasoning: true, plans: true, review: false } },
  { thread, modelProvider: "p", model: "m", cwd: "/srv" },
  { thread, model: "m", cwd: "/srv" },
  { data: [thread], nextCursor: "abc" },
  { turn },
  { data: [{ id: "m", displayName: "M", isDefault: true, meta: { provider: "p", reasoning: true, vision: false } }] },
  { options },
  { options },
  { model: "m", cwd: "/srv", approvalPolicy: "never", sandboxPolicy: { type: "readOnly" }, options, modelProvider: "p" },
];
const failure: JsonRpcError = { code: -32001, message: "Thread not found: T9" };
export const heard: Outbound[] = [
  ...results.map((result) => ({ id: 1, result })),
  { id: 2, result: {} },
  { id: null, error: failure },
  { method: "anthropic/rate_limits_updated", params: { left: 7 } },
];

// Any object may carry _meta, and items of any type may come.
export const message: AgentMessageItem = { type: "agentMessage", id: "i1", text: "Hello", _meta: { session: "s" } };
export const unheardOf: ThreadItem = { type: "hologram", id: "i2", text: "…" };

// @ts-expect-error: decisions are four
export const mistyped: CommandExecutionApprovalResponse = { decision: "yes" };

// @ts-expect-error: a thread has to be named
export const missing: Inbound = { id: 1, method: "turn/start", params: { input: [{ type: "text", text: "x" }] } };

// @ts-expect-error: a prompt is not empty
export const empty: Inbound = { id: 1, method: "turn/start", params: { threadId: "T1", input: [] } };

// @ts-expect-error: null is left out
export const nothing: Inbound = { id: 1, method: "thread/list", params: { cursor: null } };

// @ts-expect-error: no such method
export const forked: Inbound = { id: 1, method: "thread/fork", params: { threadId: "T1" } };

// @ts-expect-error: the network of a workspace is on or off
export const network: SandboxPolicy = { type: "workspaceWrite", networkAccess: "enabled" };

// @ts-expect-error: a typing mistake is none of the members
export const misspelt: Inbound = { id: 1, method: "thread/start", params: { workdir: "/srv" } };

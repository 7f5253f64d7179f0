// What the declarations promise to the author of a client; compiling it is the test.

import type {
  AgentNotification,
  AgentRequest,
  CommandExecutionRequestApprovalResponse,
  FileChangeRequestApprovalResponse,
  Inbound,
  JSONRPCErrorError,
  Outbound,
  ThreadItem,
  ThreadStartResponse,
  TurnStartResponse,
} from "./codex.js";

export const inbound: Inbound[] = [
  { id: 1, method: "initialize", params: { clientInfo: { name: "example", title: null, version: "1" }, capabilities: { experimentalApi: true } } },
  { method: "initialized" },
  { id: "two", method: "thread/start", params: { cwd: "/srv", approvalPolicy: "on-request", sandbox: "workspace-write" } },
  { id: 3, method: "turn/start", params: { threadId: "T1", input: [{ type: "text", text: "hi" }, { type: "localImage", path: "/a.png" }] } },
  { id: 4, method: "turn/interrupt", params: { threadId: "T1", turnId: "U1" } },
  { id: 5, method: "thread/loaded/list", params: {} },
  { id: 0, result: { decision: "accept" } },
  { id: 1, error: { code: -32601, message: "Not supported" } },
];

// The method of a notification determines its params.
export function text(n: AgentNotification): string {
  switch (n.method) {
    case "thread/started":
      return n.params.thread.id;
    case "turn/completed":
      return n.params.turn.status + (n.params.turn.error?.message ?? "");
    case "item/completed":
      return item(n.params.item);
    case "item/agentMessage/delta":
      return n.params.itemId + n.params.delta;
    case "thread/tokenUsage/updated":
      return String(n.params.tokenUsage.total.totalTokens);
    default:
      return n.method;
  }
}

// The type of an item determines its members.
function item(i: ThreadItem): string {
  switch (i.type) {
    case "agentMessage":
      return i.text;
    case "commandExecution":
      return `${i.cwd}$ ${i.command}: ${i.exitCode ?? i.status} ${i.aggregatedOutput ?? ""}`;
    case "fileChange":
      return i.changes.map((change) => `${change.kind.type} ${change.path}\n${change.diff}`).join();
    default:
      return i.id;
  }
}

// What is requested, and how it is answered.
export function answer(request: AgentRequest): Inbound {
  switch (request.method) {
    case "item/commandExecution/requestApproval": {
      const verdict: CommandExecutionRequestApprovalResponse = { decision: request.params.command === "ls" ? "accept" : "decline" };
      return { id: request.id, result: verdict };
    }
    case "item/fileChange/requestApproval": {
      const verdict: FileChangeRequestApprovalResponse = { decision: "acceptForSession" };
      return { id: request.id, result: verdict };
    }
    default:
      return { id: request.id, error: { code: -32601, message: "not supported" } };
  }
}

// What answers a request; which, the client knows by its id.
export function started(thread: ThreadStartResponse, turn: TurnStartResponse, failure: JSONRPCErrorError): Outbound[] {
  return [{ id: 1, result: thread }, { id: "two", result: turn }, { id: 3, error: failure }];
}

// @ts-expect-error: decisions are words of a list
export const mistyped: CommandExecutionRequestApprovalResponse = { decision: "yes" };

// @ts-expect-error: a thread has to be named
export const missing: Inbound = { id: 1, method: "turn/start", params: { input: [{ type: "text", text: "x" }] } };

// @ts-expect-error: this method is refused here
export const refused: Inbound = { id: 1, method: "thread/realtime/stop", params: { threadId: "T1" } };

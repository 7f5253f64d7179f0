// What the declarations promise to somebody who writes a client; compiling it is the test.

import type { ApprovalAsked, Block, DurableRecord, ErrorData, Inbound, Notification, Opened, Outbound, PromptBlock, SessionRecord, State, TransientKind } from "./native.js";

// What a client sends.
export const said: Inbound[] = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocol: 1, client: { name: "me", version: "1" } } },
  { jsonrpc: "2.0", id: "two", method: "ping" },
  { jsonrpc: "2.0", id: 3, method: "session/create", params: { workspace: ".", id: "first", settings: { mode: "prompt", model: null } } },
  { jsonrpc: "2.0", id: 4, method: "session/follow", params: { session: "first", from: 1, transient: ["text_delta"], pace_ms: 50 } },
  { jsonrpc: "2.0", id: 5, method: "session/records", params: { session: "first", before: 9, kinds: ["turn_ended"] } },
  { jsonrpc: "2.0", id: 6, method: "turn/prompt", params: { session: "first", id: "p-1", blocks: [{ kind: "text", text: "hi" }], if_busy: "queue" } },
  { jsonrpc: "2.0", id: 7, method: "approval/answer", params: { session: "first", approval: "a-1", allow: true, remember: "session" } },
  { jsonrpc: "2.0", id: 8, method: "question/answer", params: { session: "first", question: "q-1", answers: [["A"], ["a text"]] } },
  { jsonrpc: "2.0", id: 9, method: "question/answer", params: { session: "first", question: "q-1", answers: null } },
  { jsonrpc: "2.0", id: 10, method: "sessions/list" },
];

export const image: PromptBlock = { kind: "image", image: { mime: "image/png", data: "aGVsbG8=" } };

// The kind of a record determines its data.
export function shown(record: SessionRecord): string {
  switch (record.kind) {
    case "session_created":
      return `${record.seq} ${record.data.workspace} ${record.data.settings.mode ?? ""}`;
    case "user_message":
    case "assistant_message":
      return record.data.blocks.map(text).join("");
    case "text_delta":
      return record.data.text;
    case "approval_asked":
      return waiting(record.data);
    case "approval_answered":
      return `${record.data.allowed} by ${record.data.client?.name ?? record.data.by}`;
    case "tool_ended":
      return `${record.data.outcome}: ${record.data.shell?.exit_code ?? 0} ${(record.data.changes ?? []).map((change) => change.op + change.path).join()}`;
    case "turn_ended":
      return record.data.reason === "failed" ? (record.data.failure?.message ?? "") : String(record.data.usage.output);
    default:
      return record.kind;
  }
}

// The list of kinds of blocks is complete.
function text(block: Block): string {
  switch (block.kind) {
    case "text":
    case "thinking":
      return block.text ?? "";
    case "image":
      return block.image.mime;
    case "tool_call":
      return block.call.name + JSON.stringify(block.call.input);
    case "tool_result":
      return block.result.text;
    default:
      return block satisfies never;
  }
}

function waiting(asked: ApprovalAsked): string {
  return asked.request.command ?? asked.request.summary ?? (asked.request.paths ?? []).map((path) => path.path).join();
}

// A record that is stored has a number; the method of a notification determines its params.
export function last(records: DurableRecord[]): number {
  return records.reduce((seq, record) => Math.max(seq, record.seq), 0);
}

export function noticed(n: Notification): string {
  switch (n.method) {
    case "record":
      return n.params.session + shown(n.params.record);
    case "session/closed":
      return n.params.reason + n.params.head;
    case "host/closing":
      return String(n.params.in_ms);
    default:
      return "client" in n.params ? n.params.client.name : "";
  }
}

export function heard(line: Outbound): ErrorData | undefined {
  return "error" in line ? line.error.data : undefined;
}

export function status(opened: Opened): State["status"] {
  return opened.state.approvals.length > 0 ? "waiting" : opened.state.status;
}

// @ts-expect-error: the version has to be there
export const unversioned: Inbound = { id: 1, method: "ping" };

// @ts-expect-error: a prompt has an id
export const anonymous: Inbound = { jsonrpc: "2.0", id: 1, method: "turn/prompt", params: { session: "s", blocks: [{ kind: "text", text: "x" }] } };

// @ts-expect-error: a prompt is not empty
export const empty: Inbound = { jsonrpc: "2.0", id: 1, method: "turn/prompt", params: { session: "s", id: "p", blocks: [] } };

// @ts-expect-error: no such method
export const unknown: Inbound = { jsonrpc: "2.0", id: 1, method: "session/teleport", params: {} };

// @ts-expect-error: a typing mistake is none of the members
export const misspelt: Inbound = { jsonrpc: "2.0", id: 1, method: "session/create", params: { workspce: "." } };

// @ts-expect-error: records that are stored are always sent
export const stored: TransientKind = "turn_ended";

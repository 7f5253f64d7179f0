// What the declarations promise to somebody who writes a client; compiling it is the test.

import type { Inbound, Outbound, Update } from "./acp.js";

// What a client sends in a turn.
export const sent: Inbound[] = [
  { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } } },
  { jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } },
  { jsonrpc: "2.0", id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text: "Hi" }] } },
  { jsonrpc: "2.0", id: 0, result: { outcome: { outcome: "selected", optionId: "allow-once" } } },
  { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } },
];

// An update says by its member sessionUpdate what it is.
export function shown(u: Update): string {
  switch (u.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk":
      return u.content.text ?? "";
    case "tool_call":
    case "tool_call_update":
      return `${u.toolCallId} ${u.status ?? ""}`;
    case "plan":
      return u.entries.map((e) => e.content).join();
    case "usage_update":
      return `${u.used} of ${u.size}`;
  }
  return "";
}

// The end of a turn is the answer to its prompt.
export function ended(line: Outbound): boolean {
  return "result" in line && "stopReason" in line.result;
}

// A tool server over standard input and output with one tool, note.
import readline from "node:readline";

const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [{ name: "note", description: "Returns a note", inputSchema: { type: "object", properties: { about: { type: "string" } }, required: ["about"] } }],
  }),
  "tools/call": ({ arguments: { about } }) => ({ content: [{ type: "text", text: `${about}: ${process.env.NOTE}` }] }),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: "unknown method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n");
}

// A client of the Agent Client Protocol with the official SDK: "acp.mjs DIR PROMPT COMMAND…" starts an agent, prompts once in a session in a folder,
// allows each call once, ends the input, and prints what it gets, one JSON value a line.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const { agent, client } = acp.methods;
const [cwd, text, program, ...args] = process.argv.slice(2);
const print = (value) => console.log(JSON.stringify(value));

const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
const application = acp.client({ name: "test" });
application.onNotification(client.session.update, ({ params }) => print({ update: params.update }));
application.onRequest(client.session.requestPermission, ({ params }) => {
  print({ permission: params.toolCall });
  const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
  return { outcome: { outcome: "selected", optionId } };
});
const connection = application.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const request = (method, params) => connection.agent.request(method, params);

await request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientInfo: { name: "test", version: "1" }, clientCapabilities: {} });
const { sessionId } = await request(agent.session.new, { cwd, mcpServers: [] });
const { stopReason } = await request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
child.stdin.end();
print({ stopReason, code: await ended });

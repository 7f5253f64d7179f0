// @mcpc-tech/acp-ai-provider, which makes a model of the AI SDK of an agent.
import assert from "node:assert/strict";
import { createACPProvider } from "@mcpc-tech/acp-ai-provider";
import { streamText } from "ai";
import { Place, agent, journey, toolServer } from "./place.mjs";

journey("acp-ai-provider: a stream of text with a tool server", async (t) => {
  const place = new Place('call mcp__notes__note {"about":"climbing"}', "expect climbing: rope\ntext A rope.");
  const server = { type: "stdio", name: "notes", command: process.execPath, args: [toolServer], env: [{ name: "NOTE", value: "rope" }] };
  const provider = createACPProvider({
    command: process.execPath,
    args: [agent],
    env: place.env,
    session: { cwd: place.work, mcpServers: [server] },
  });
  t.after(() => provider.cleanup());
  const errors = [];
  const { textStream } = streamText({
    model: provider.languageModel(),
    tools: provider.tools,
    prompt: "What do I need?",
    onError: ({ error }) => errors.push(error),
  });
  let text = "";
  for await (const piece of textStream) text += piece;
  assert.deepEqual(errors, []);
  assert.match(text, /A rope\./);
});

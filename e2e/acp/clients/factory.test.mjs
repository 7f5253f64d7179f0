// acp-factory, a library that starts agents.
import assert from "node:assert/strict";
import { AgentFactory } from "acp-factory";
import { Place, agent, journey, write } from "./place.mjs";

// start starts the agent with a client that treats permissions in a way.
async function start(t, place, options) {
  AgentFactory.register("parley", { command: process.execPath, args: [agent], env: place.env });
  const handle = await AgentFactory.spawn("parley", { env: place.env, ...options });
  t.after(() => handle.close());
  return handle;
}

journey("acp-factory: a permission that the user answers, in the client's files", async (t) => {
  const place = new Place(...write("todo.md", "- rope\n"));
  const handle = await start(t, place, { permissionMode: "interactive" });
  assert.equal(handle.capabilities.loadSession, true);
  const session = await handle.createSession(place.work, { mode: "ask" });
  assert.ok(session.modes.includes("ask"));
  const seen = [];
  for await (const update of session.prompt("Make a note")) {
    seen.push(update.sessionUpdate);
    if (update.sessionUpdate === "permission_request") {
      const { optionId } = update.options.find((o) => o.kind === "allow_once");
      session.respondToPermission(update.requestId, optionId);
    }
  }
  assert.ok(seen.includes("tool_call") && seen.includes("agent_message_chunk"), `${seen}`);
  assert.equal(seen.filter((kind) => kind === "permission_request").length, 1);
  assert.equal(place.read("todo.md"), "- rope\n");
});

journey("acp-factory: interrupted with another prompt", async (t) => {
  const place = new Place("text Working.\nhang", "text Turned round.");
  const handle = await start(t, place, { permissionMode: "auto-deny" });
  const session = await handle.createSession(place.work);
  let text = "";
  const read = (update) => {
    if (update.sessionUpdate === "agent_message_chunk") text += update.content.text;
  };
  for await (const update of session.prompt("Work for long")) {
    read(update);
    if (text === "Working.") break;
  }
  for await (const update of session.interruptWith("Do another thing")) read(update);
  assert.equal(text, "Working.Turned round.");
});

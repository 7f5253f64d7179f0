import assert from "node:assert/strict";
import { Place, choose, journey, methods, refused, said, states } from "./client.mjs";

const { session: calls } = methods.agent;

journey("list, load with replay, resume, close, delete", async (t) => {
  const place = new Place();
  const script = 'text I write it down.\ncall write {"path":"todo.md","content":"- rope\\n"}\ntext Done.\n';
  const first = await place.agent(t, script, { permission: choose("allow-once") });
  const made = await first.session();
  const live = await first.prompt(made, "Make a note: rope");
  assert.equal(live.stopReason, "end_turn");
  await first.close();

  const second = await place.agent(t, "text Still here.\nnext\ntext And here.\n");
  const { sessions } = await second.request(calls.list, { cwd: place.work });
  assert.deepEqual(sessions.map((s) => [s.sessionId, s.cwd, s.title]), [[made.id, place.work, "Make a note: rope"]]);
  assert.ok(!Number.isNaN(Date.parse(sessions[0].updatedAt)));
  assert.deepEqual((await second.request(calls.list, { cwd: place.home })).sessions, []);

  const where = { sessionId: made.id, cwd: place.work, mcpServers: [] };
  const loaded = await second.request(calls.load, where);
  assert.equal(loaded.modes.currentModeId, "ask");
  const replay = second.of(made.id).filter((u) => u.sessionUpdate !== "available_commands_update");
  const ids = (updates, kind) => [...new Set(updates.filter((u) => u.sessionUpdate === kind).map((u) => u.messageId ?? u.toolCallId))];
  assert.equal(replay[0].sessionUpdate, "user_message_chunk");
  assert.equal(replay[0].content.text, "Make a note: rope");
  assert.equal(said(replay), said(live.updates));
  assert.deepEqual(states(replay), ["completed"]);
  for (const kind of ["agent_message_chunk", "tool_call"]) assert.deepEqual(ids(replay, kind), ids(live.updates, kind));
  assert.equal(replay.find((u) => u.sessionUpdate === "tool_call").content[0].newText, "- rope\n");
  const session = { id: made.id };
  assert.equal(said((await second.prompt(session, "Are you there?")).updates), "Still here.");

  await second.request(calls.close, { sessionId: made.id });
  await refused(second.prompt(session, "And now?"), -32002);
  const before = second.of(made.id).length;
  await second.request(calls.resume, { sessionId: made.id, cwd: place.work });
  const resumed = await second.prompt(session, "And now?");
  assert.equal(said(resumed.updates), "And here.");
  const between = second.of(made.id).slice(before, before + 2).map((u) => u.sessionUpdate);
  assert.ok(!between.includes("user_message_chunk") && !between.includes("tool_call"), `replayed at resume: ${between}`);

  await second.request(calls.delete, { sessionId: made.id });
  assert.deepEqual((await second.request(calls.list, {})).sessions, []);
  await refused(second.request(calls.load, where), -32002);
  await second.close();
});

journey("modes and options", async (t) => {
  const place = new Place();
  const agent = await place.agent(t, 'call write {"path":"a.txt","content":"x"}\ntext Done.\n');
  const session = await agent.session();
  const option = (list, id) => list.find((o) => o.id === id);
  assert.equal(session.modes.currentModeId, "ask");
  assert.equal(option(session.configOptions, "mode").currentValue, "ask");

  await agent.request(calls.setMode, { sessionId: session.id, modeId: "plan" });
  const [changed] = agent.of(session.id, "config_option_update");
  assert.equal(option(changed.configOptions, "mode").currentValue, "plan");

  const { configOptions } = await agent.request(calls.setConfigOption, { sessionId: session.id, configId: "mode", value: "auto-edit" });
  assert.deepEqual(configOptions.map((o) => o.id), session.configOptions.map((o) => o.id));
  assert.equal(option(configOptions, "mode").currentValue, "auto-edit");
  assert.equal(agent.of(session.id, "current_mode_update").at(-1).currentModeId, "auto-edit");

  await refused(agent.request(calls.setMode, { sessionId: session.id, modeId: "none" }), -32602);
  await refused(agent.request(calls.setConfigOption, { sessionId: session.id, configId: "mode", value: "none" }), -32602);
  await refused(agent.request(calls.setConfigOption, { sessionId: session.id, configId: "mode", type: "boolean", value: true }), -32602);
  await refused(agent.request(calls.setMode, { sessionId: "none", modeId: "ask" }), -32002);

  const turn = await agent.prompt(session, "Make a note"); // no permission is requested in this mode
  assert.equal(turn.stopReason, "end_turn");
  assert.equal(place.read("a.txt"), "x");
  await agent.close();
});

journey("slash commands", async (t) => {
  const agent = await new Place().agent(t, "expect ^/none$\ntext That is no command.\n");
  const session = await agent.session();
  const { availableCommands } = await agent.update(session.id, "available_commands_update");
  assert.ok(availableCommands.length > 0 && availableCommands.every((c) => !c.name.includes("/")));
  assert.ok(["compact", "status"].every((name) => availableCommands.some((c) => c.name === name)));
  const status = await agent.prompt(session, "/status"); // the model is not called
  assert.equal(status.stopReason, "end_turn");
  assert.match(said(status.updates), /offline\/script/);
  assert.equal(said((await agent.prompt(session, "/none")).updates), "That is no command.");
  await agent.close();
});

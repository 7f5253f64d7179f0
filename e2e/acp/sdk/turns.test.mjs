import assert from "node:assert/strict";
import { Agent, Place, choose, journey, methods, refused, said, states } from "./client.mjs";

journey("initialize", async (t) => {
  const place = new Place();
  const agent = new Agent(place, "text Hello.\n", [], {});
  t.after(() => agent.child.kill("SIGKILL"));
  await refused(agent.session(), -32600); // nothing before initialize
  for (const [asked, answered] of [[1, 1], [0, 1], [65535, 1]]) {
    const { protocolVersion, agentInfo, agentCapabilities, authMethods } = await agent.request(methods.agent.initialize, {
      protocolVersion: asked,
    });
    assert.equal(protocolVersion, answered);
    assert.equal(agentInfo.name, "parley");
    assert.equal(agentCapabilities.loadSession, true);
    assert.deepEqual(Object.keys(agentCapabilities.sessionCapabilities).sort(), ["additionalDirectories", "close", "delete", "list", "resume"]);
    assert.deepEqual(authMethods, []);
  }
  const session = await agent.session();
  const turn = await agent.prompt(session, "Hello");
  assert.equal(turn.stopReason, "end_turn");
  assert.equal(said(turn.updates), "Hello.");
  await refused(agent.request("session/none", {}), -32601);
  await agent.close();
});

const write = (name, text) => `text I write it down.\ncall write ${JSON.stringify({ path: name, content: text })}\ntext Done.\nnext\n`;

journey("permissions: once and always, allowed and rejected", async (t) => {
  const place = new Place();
  const requests = [];
  let answer;
  const permission = (params) => {
    requests.push(params);
    return choose(answer)(params);
  };
  const script = ["1", "2", "3"].map((text) => write("a.txt", text)).concat(["1", "2", "3"].map((text) => write("b.txt", text)));
  const agent = await place.agent(t, script.join(""), { permission });
  const session = await agent.session();

  const turn = async (optionId, name, requested, outcome) => {
    answer = optionId;
    const before = requests.length;
    const { stopReason, updates } = await agent.prompt(session, "Make a note");
    assert.equal(stopReason, "end_turn");
    assert.equal(requests.length - before, requested, `${optionId}: permissions requested`);
    const [call] = updates.filter((u) => u.sessionUpdate === "tool_call");
    assert.equal(call.kind, "edit");
    assert.equal(call.status, "pending");
    assert.equal(call.name, "write");
    assert.equal(call.locations[0].path, place.file(name));
    assert.equal(states(updates, call.toolCallId).at(-1), outcome);
    assert.match(said(updates), /I write it down\..*Done\./s);
    if (requested) {
      const { toolCall, options } = requests.at(-1);
      assert.equal(toolCall.toolCallId, call.toolCallId);
      assert.equal(toolCall.content[0].type, "diff");
      assert.deepEqual([...new Set(options.map((o) => o.kind))], ["allow_once", "allow_always", "reject_once", "reject_always"]);
    }
  };
  await turn("allow-once", "a.txt", 1, "completed");
  assert.equal(place.read("a.txt"), "1");
  await turn("allow-session", "a.txt", 1, "completed");
  await turn("none", "a.txt", 0, "completed");
  assert.equal(place.read("a.txt"), "3");
  await turn("reject-once", "b.txt", 1, "failed");
  await turn("reject-always", "b.txt", 1, "failed");
  await turn("none", "b.txt", 0, "failed");
  assert.ok(!place.has("b.txt"));
  await agent.close();
});

journey("cancel in mid-turn, and the next prompt", async (t) => {
  const agent = await new Place().agent(t, "text Working.\nhang\ntext Back again.\n");
  const session = await agent.session();
  const running = agent.prompt(session, "Work for long");
  await agent.update(session.id, "agent_message_chunk");
  await agent.notify(methods.agent.session.cancel, { sessionId: session.id });
  assert.equal((await running).stopReason, "cancelled");
  const next = await agent.prompt(session, "And now?");
  assert.equal(next.stopReason, "end_turn");
  assert.equal(said(next.updates), "Back again.");
  await agent.close();
});

journey("cancel in mid-permission withdraws it", async (t) => {
  const place = new Place();
  let withdrawn;
  const permission = async (params, signal, agent) => {
    withdrawn = new Promise((resolve) => signal.addEventListener("abort", resolve));
    await agent.notify(methods.agent.session.cancel, { sessionId: params.sessionId });
    await withdrawn;
    return { outcome: { outcome: "cancelled" } };
  };
  const agent = await place.agent(t, write("a.txt", "x"), { permission });
  const session = await agent.session();
  const turn = await agent.prompt(session, "Make a note");
  assert.equal(turn.stopReason, "cancelled");
  assert.deepEqual(states(turn.updates), ["pending", "failed"]);
  await withdrawn;
  assert.ok(!place.has("a.txt"));
  await agent.close();
});

journey("a prompt that is cancelled as a request", async (t) => {
  const agent = await new Place().agent(t, "text Working.\nhang\n");
  const session = await agent.session();
  const stop = new AbortController();
  const running = agent.prompt(session, "Work for long", { cancellationSignal: stop.signal });
  await agent.update(session.id, "agent_message_chunk");
  stop.abort();
  assert.equal((await running).stopReason, "cancelled");
  await agent.close();
});

journey("a second prompt waits for the first", async (t) => {
  const agent = await new Place().agent(t, "text One.\nwait 20ms\nnext\ntext Two.\n");
  const session = await agent.session();
  const order = [];
  const both = ["first", "second"].map((text) => agent.prompt(session, text).then((turn) => order.push([text, turn.stopReason])));
  await Promise.all(both);
  assert.deepEqual(order, [["first", "end_turn"], ["second", "end_turn"]]);
  assert.equal(said(agent.of(session.id)), "One.Two.");
  await agent.close();
});

journey("two sessions at once", async (t) => {
  const agent = await new Place().agent(t, "text Slow.\nhang\ntext Quick.\n");
  const slow = await agent.session();
  const quick = await agent.session();
  assert.notEqual(slow.id, quick.id);
  const running = agent.prompt(slow, "Work for long");
  await agent.update(slow.id, "agent_message_chunk");
  const turn = await agent.prompt(quick, "Be quick");
  assert.equal(turn.stopReason, "end_turn");
  assert.equal(said(turn.updates), "Quick.");
  assert.equal(said(agent.of(slow.id)), "Slow.");
  await agent.notify(methods.agent.session.cancel, { sessionId: slow.id });
  assert.equal((await running).stopReason, "cancelled");
  await agent.close();
});

journey("a provider that fails is an error of the prompt, and the session goes on", async (t) => {
  const agent = await new Place().agent(t, "fail rejected status=400 The request is wrong.\ntext Back again.\n");
  const session = await agent.session();
  await refused(agent.prompt(session, "Hello"), -32603);
  assert.equal((await agent.prompt(session, "Once more")).stopReason, "end_turn");
  await agent.close();
});

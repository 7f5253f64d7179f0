import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { Place, choose, journey, said, states } from "./client.mjs";

// Terminals runs commands as an editor does, and knows which terminals are still open.
class Terminals {
  open = new Map();
  lines = [];

  create({ command, args = [], cwd }) {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const terminal = { child, output: "" };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (terminal.output += chunk));
    terminal.ended = new Promise((resolve) => child.on("close", (exitCode, signal) => resolve((terminal.exitStatus = { exitCode, signal }))));
    const terminalId = `terminal-${this.lines.push([command, ...args])}`;
    this.open.set(terminalId, terminal);
    return { terminalId };
  }

  output({ terminalId }) {
    const { output, exitStatus } = this.open.get(terminalId);
    return { output, truncated: false, ...(exitStatus && { exitStatus }) };
  }

  waitForExit({ terminalId }) {
    return this.open.get(terminalId).ended;
  }

  kill({ terminalId }) {
    this.open.get(terminalId).child.kill("SIGKILL");
    return {};
  }

  release({ terminalId }) {
    this.kill({ terminalId });
    this.open.delete(terminalId);
    return {};
  }
}

journey("the client's files and terminals", async (t) => {
  const place = new Place();
  place.write("conf.ini", "port=80\n");
  place.write("try.sh", "cat conf.ini; exit 3\n");
  const buffers = new Map([[place.file("conf.ini"), "port=80 # unsaved\n"]]);
  const terminals = new Terminals();
  const script = [
    'call read {"path":"conf.ini"}',
    "expect # unsaved",
    'call edit {"path":"conf.ini","old":"80","new":"8080"}',
    'call shell {"command":"sh try.sh"}',
    "expect port=80\\n(.|\\n)*3", // the disk as it was, and the exit code
    "text Both are done.",
  ];
  const agent = await place.agent(t, script.join("\n"), {
    args: ["--mode", "full-access"],
    readTextFile: ({ path }) => ({ content: buffers.get(path) }),
    writeTextFile: ({ path, content }) => void buffers.set(path, content),
    terminals,
  });
  const session = await agent.session();
  const turn = await agent.prompt(session, "Fix the port and try it");
  assert.equal(turn.stopReason, "end_turn");
  assert.equal(said(turn.updates), "Both are done.");
  assert.equal(buffers.get(place.file("conf.ini")), "port=8080 # unsaved\n");
  assert.equal(place.read("conf.ini"), "port=80\n"); // the editor has not saved it
  assert.equal(terminals.lines.length, 1);
  assert.match(terminals.lines[0].join(" "), /sh try\.sh/);
  assert.equal(terminals.open.size, 0, "terminals that were not released");
  const shown = turn.updates.flatMap((u) => u.content ?? []).filter((c) => c.type === "terminal");
  assert.ok(shown.length > 0 && shown.every((c) => c.terminalId === "terminal-1"));
  const diff = turn.updates.flatMap((u) => u.content ?? []).find((c) => c.type === "diff");
  assert.deepEqual([diff.oldText, diff.newText], ["port=80 # unsaved\n", "port=8080 # unsaved\n"]);
  await agent.close();
});

journey("a terminal is released when its turn is cancelled", async (t) => {
  const place = new Place();
  const terminals = new Terminals();
  const agent = await place.agent(t, 'call shell {"command":"sleep 1000"}\n', { args: ["--mode", "full-access"], terminals });
  const waited = new Promise((resolve) => {
    const wait = terminals.waitForExit.bind(terminals);
    terminals.waitForExit = (params) => (resolve(), wait(params));
  });
  const session = await agent.session();
  const running = agent.prompt(session, "Sleep");
  await waited;
  await agent.notify("session/cancel", { sessionId: session.id });
  const turn = await running;
  assert.equal(turn.stopReason, "cancelled");
  assert.equal(states(turn.updates).at(-1), "failed");
  await agent.close();
  assert.equal(terminals.open.size, 0, "terminals that were not released");
});

journey("without capabilities nothing of the client is used", async (t) => {
  const place = new Place();
  place.write("conf.ini", "port=80\n");
  const agent = await place.agent(t, 'call read {"path":"conf.ini"}\ncall shell {"command":"cat conf.ini"}\nexpect port=80\ntext Read.\n', {
    args: ["--mode", "full-access"],
  });
  const session = await agent.session();
  assert.equal(said((await agent.prompt(session, "Read it")).updates), "Read.");
  await agent.close();
});

journey("a tool server that the client brings", async (t) => {
  const place = new Place();
  const server = { name: "notes", command: process.execPath, args: [path.resolve("server.mjs")], env: [{ name: "NOTE", value: "rope" }] };
  const requests = [];
  const permission = (params) => {
    requests.push(params.toolCall);
    return choose("allow-once")(params);
  };
  const script = 'call mcp__notes__note {"about":"climbing"}\nexpect climbing: rope\ntext Noted.\n';
  const agent = await place.agent(t, script, { permission });
  const session = await agent.session({ mcpServers: [server] });
  const turn = await agent.prompt(session, "What do I need?");
  assert.equal(turn.stopReason, "end_turn");
  assert.equal(said(turn.updates), "Noted.");
  assert.deepEqual(requests.map((c) => [c.kind, c.title]), [["other", "notes: note"]]);
  await agent.close();
});

journey("a form", async (t) => {
  const forms = [];
  const elicitation = (params) => {
    forms.push(params);
    const [id, question] = Object.entries(params.requestedSchema.properties)[0];
    return { action: "accept", content: { [id]: question.oneOf[1].const } };
  };
  const questions = [{ question: "Which colour?", header: "Colour", options: [{ label: "red" }, { label: "green" }] }];
  const script = `call ask ${JSON.stringify({ questions })}\nexpect green\ntext Green it is.\n`;
  const agent = await new Place().agent(t, script, { elicitation });
  const session = await agent.session();
  const turn = await agent.prompt(session, "Paint it");
  assert.equal(said(turn.updates), "Green it is.");
  assert.equal(forms.length, 1);
  assert.equal(forms[0].mode, "form");
  assert.equal(forms[0].sessionId, session.id);
  assert.ok(!forms[0].requestedSchema.required?.length);
  await agent.close();
});

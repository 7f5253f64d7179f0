// The client that the conformance suite tests: a session with the suite's server as its tool server,
// of parley run, or of parley scaiflux where a user has to answer. The suite appends the address of its server, and says the scenario and its
// context in the environment. PARLEY is the program.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || "{}");
const signsIn = scenario.startsWith("auth/");

// tools are the tools that scenarios want called; others have none.
const tools = {
  tools_call: ["add_numbers", { a: 2, b: 3 }],
  "elicitation-sep1034-client-defaults": ["test_client_elicitation_defaults", {}],
  "sse-retry": ["test_reconnection", {}],
};
const [tool, input] = signsIn ? ["test-tool", {}] : tools[scenario] ?? [];

const home = mkdtempSync(path.join(tmpdir(), "parley-conformance-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const server = { url };
if (scenario === "auth/basic-cimd") server.oauth = { client_id: "https://conformance-test.local/client-metadata.json" };
if (context.client_id) server.oauth = { client_id: context.client_id, client_secret: context.client_secret };
const config = path.join(home, "config.jsonc");
const script = path.join(home, "model.script");
writeFileSync(config, JSON.stringify({ mcp_servers: { suite: server }, secrets_in_file: true }), { mode: 0o600 });
writeFileSync(script, `${tool ? `call mcp__suite__${tool} ${JSON.stringify(input)}\n\n` : ""}text Done.\n`);
const env = {
  ...process.env, HOME: home, PARLEY_CONFIG: config, PARLEY_HOME: path.join(home, "state"), PARLEY_MODEL: "offline/script", PARLEY_OFFLINE_SCRIPT: script,
};

// parley runs a command of the program; line gets each line of its output.
function parley(args, line) {
  return new Promise((resolve) => {
    const child = spawn(process.env.PARLEY, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      let rest = "";
      stream.setEncoding("utf8").on("data", (text) => {
        process.stderr.write(text);
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        lines.forEach((one) => line?.(one));
      });
    }
    child.on("close", resolve);
  });
}

// login signs in as a user does who opens the printed address in a browser and agrees.
const login = () =>
  parley(["mcp", "login", "suite", "--no-browser"], (line) => {
    if (/^https?:\/\/\S+$/.test(line.trim())) fetch(line.trim()).catch((err) => console.error("browser:", err.message));
  });
const run = () => parley(["run", "--permission-mode", "danger-full-access", "Call the tool."]);

// attended runs the turn over ScaiFlux, with a user who allows everything: a form whose fields all
// have defaults is such a question.
const attended = () =>
  new Promise((resolve) => {
    const child = spawn(process.env.PARLEY, ["scaiflux", "serve"], { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
    const send = (message) => child.stdin.write(JSON.stringify(message) + "\n");
    createInterface({ input: child.stdout }).on("line", (line) => {
      process.stderr.write(line + "\n");
      const message = JSON.parse(line);
      if (message.type === "permission_request") send({ type: "permission_response", request_id: message.request_id, decision: "allow" });
      if (message.type === "turn_complete") child.stdin.end();
    });
    send({ type: "prompt", text: "Call the tool." });
    child.on("close", resolve);
  });

if (signsIn) await login();
let code = await (scenario.startsWith("elicitation-") ? attended() : run());
if (scenario === "auth/scope-step-up" || scenario === "auth/scope-retry-limit") {
  await login(); // the result of the call says that it needs more scopes
  code = await run();
}
process.exit(code);

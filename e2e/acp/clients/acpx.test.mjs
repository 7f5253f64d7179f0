// acpx, a client for the command line. Its own command starts the agent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Place, agent, journey, write } from "./place.mjs";

const cli = fileURLToPath(new URL("node_modules/acpx/dist/cli.js", import.meta.url));

// acpx runs it and returns the exit code and what it prints.
async function acpx(place, ...args) {
  const command = [process.execPath, agent].map((word) => `'${word}'`).join(" ");
  const child = spawn(process.execPath, [cli, "--agent", command, "--cwd", place.work, "--ttl", "300", ...args], {
    cwd: place.work,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

// ok is acpx that must succeed.
async function ok(place, ...args) {
  const { code, stdout, stderr } = await acpx(place, ...args);
  assert.equal(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

// close ends the session. acpx asks the system about the process that has it, and gives up soon: on a busy machine it then says that this
// process has to end by itself, which a signal makes it do.
async function close(place) {
  for (;;) {
    const { code, stdout, stderr } = await acpx(place, "sessions", "close");
    const [, pid] = /queue owner pid (\d+): its process birth identity is unverified/.exec(stdout + stderr) ?? [];
    if (pid === undefined) {
      assert.equal(code, 0, `sessions close: ${stdout}${stderr}`);
      return;
    }
    try {
      process.kill(Number(pid), "SIGTERM");
    } catch (error) {
      assert.equal(error.code, "ESRCH"); // it has ended meanwhile
    }
  }
}

journey("acpx exec: all approved", async () => {
  const place = new Place(...write("todo.md", "- rope\n"));
  const out = await ok(place, "--approve-all", "--format", "json", "--json-strict", "exec", "Make a note");
  const frames = out.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(frames.some((f) => f.result?.stopReason === "end_turn"), out);
  assert.equal(frames.filter((f) => f.method === "session/request_permission").length, 1);
});

journey("acpx exec: all denied", async () => {
  const place = new Place(...write("todo.md", "- rope\n"));
  const { stdout } = await acpx(place, "--deny-all", "--format", "text", "exec", "Make a note");
  assert.match(stdout, /I write it down\./);
  assert.match(stdout, /Done\./);
  assert.ok(!place.has("todo.md"));
});

journey("acpx with a session: prompts, modes, and its end", async (t) => {
  const place = new Place("text One.", "text Two.");
  await ok(place, "sessions", "new");
  t.after(() => acpx(place, "sessions", "close")); // ends the process that has the session
  assert.match(await ok(place, "--format", "quiet", "prompt", "First"), /One\./);
  await ok(place, "set-mode", "plan");
  assert.match(await ok(place, "--format", "quiet", "prompt", "Second"), /Two\./);
  assert.match(await ok(place, "sessions", "history"), /First[^]*Second/);
  await close(place);
});

// The agent as clients start it: "parley acp" with the arguments of this program, and a record of the lines between the two.
import { spawn } from "node:child_process";
import path from "node:path";
import { Tap } from "./record.mjs";

const record = path.join(process.env.PARLEY_RECORDS, `${path.basename(process.env.HOME)}-${process.pid}.ndjson`);
const agent = spawn(process.env.PARLEY, ["acp", ...process.argv.slice(2)], { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(new Tap(record, "client")).pipe(agent.stdin);
agent.stdout.pipe(new Tap(record, "agent")).pipe(process.stdout);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => agent.kill(signal));
agent.stdin.on("error", () => {}); // the agent has ended
agent.on("exit", (code) => process.exit(code ?? 1));

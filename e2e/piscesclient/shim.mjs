// The clients start a script: this one. It starts the program PARLEY_BIN with the same
// arguments and pipes, hands signals on, and ends as the program ends.
import { spawn } from "node:child_process";
import { openSync } from "node:fs";

const stdio = ["inherit", "inherit", "inherit"];
if (process.env.PARLEY_HOLD) stdio.push(openSync(process.env.PARLEY_HOLD, "w")); // tells when the program is gone
const child = spawn(process.env.PARLEY_BIN, ["pisces", ...process.argv.slice(2)], { stdio });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", error => {
	console.error(error.message);
	process.exit(127);
});
child.on("exit", (code, signal) => {
	if (!signal) process.exit(code);
	process.removeAllListeners(signal);
	process.kill(process.pid, signal);
});

// Starts the program CONFORM_SERVER with the same stdin and stdout, and ends with it.
import { spawn } from "node:child_process";

const server = spawn(process.env.CONFORM_SERVER, { stdio: "inherit" });
process.on("SIGTERM", () => server.kill());
server.on("exit", (code) => process.exit(code ?? 0));

// What the journeys of these clients share: a folder to work in, the environment that makes the agent play a script, and the
// command that starts it.
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// journey is a test that ends when something that it waits for does not come.
export const journey = (name, run) => test(name, { timeout: 300_000 }, run);

export const agent = fileURLToPath(new URL("agent.mjs", import.meta.url));
export const toolServer = fileURLToPath(new URL("server.mjs", import.meta.url));

export class Place {
  constructor(...answers) {
    this.home = fs.realpathSync(fs.mkdtempSync(path.join(process.env.PARLEY_SCRATCH, "home-")));
    this.work = path.join(this.home, "work");
    fs.mkdirSync(this.work);
    this.plays(...answers);
  }

  // plays sets what the model of the next process answers.
  plays(...answers) {
    fs.writeFileSync(path.join(this.home, "model.script"), answers.join("\nnext\n"));
  }

  get env() {
    const { PATH, PARLEY, PARLEY_RECORDS } = process.env;
    return {
      PATH: `${path.dirname(process.execPath)}:${PATH}`,
      HOME: this.home,
      PARLEY,
      PARLEY_RECORDS,
      PARLEY_HOME: path.join(this.home, ".parley"),
      PARLEY_MODEL: "offline/script",
      PARLEY_OFFLINE_SCRIPT: path.join(this.home, "model.script"),
      LANG: "C.UTF-8",
    };
  }

  has(name) {
    return fs.existsSync(path.join(this.work, name));
  }

  read(name) {
    return fs.readFileSync(path.join(this.work, name), "utf8");
  }
}

// write is an answer that writes a file, and what is said afterwards.
export const write = (name, text) => [`text I write it down.\ncall write ${JSON.stringify({ path: name, content: text })}`, "text Done."];

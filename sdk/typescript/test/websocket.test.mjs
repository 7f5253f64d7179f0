import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { place, serve } from "./host.mjs";

const dist = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../dist");

// The WebSocket of Node.js 22, which Node.js 20 has behind a flag, in place of the package ws; and the entry for browsers, for
// which a header stands in for the cookie.
test("the WebSocket of the platform is used, in Node.js and in browsers", { timeout: 60_000 }, async (t) => {
  const p = place(t, "text Hello.\n");
  const { urls, token_file } = await serve(t, p, "--listen", "127.0.0.1:0");
  const address = urls[0].replace("http", "ws");
  const token = readFileSync(token_file, "utf8").trim();
  const script = `
    import { connect, ConnectError } from "${join(dist, "index.js")}";
    import * as browser from "${join(dist, "browser.js")}";
    const [address, token, workspace] = process.argv.slice(1);
    const client = await connect(address, { token });
    const session = await client.create({ workspace, id: "s-1" });
    await client.close();
    await browser.connect(address).then(() => console.log("no cookie was needed"), () => {});
    globalThis.WebSocket = class extends WebSocket {
      constructor(url, protocols) {
        super(url, { protocols, headers: { Authorization: "Bearer " + token } });
      }
    };
    const page = await browser.connect(address + "/", { name: "page" });
    for await (const record of page.session("s-1").follow()) {
      console.log(record.kind, page.host.role);
      break;
    }
    await page.close();
    await browser.connect("unix:/x").catch((error) => console.log(error.name));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--experimental-websocket", "--no-warnings", "--input-type=module", "--eval", script, address, token, p.work]);
  assert.equal(stdout, "session_created owner\nTypeError\n");
});

test("the entry for browsers loads nothing of Node.js", () => {
  const seen = new Set();
  const visit = (name) => {
    if (!seen.has(name)) {
      seen.add(name);
      for (const [, imported] of readFileSync(join(dist, name), "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
        assert.match(imported, /^\.\//, `${name} imports ${imported}`);
        visit(imported.slice(2));
      }
    }
  };
  visit("browser.js");
  const rest = readdirSync(dist).filter((name) => name.endsWith(".js") && !seen.has(name));
  assert.deepEqual(rest, ["index.js", "node.js", "protocol.js"]); // the last has types only
});

// What the page must not do, whatever models, tools, files and names say, and who it must not let in.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage } from "./browser.mjs";
import { Host, until } from "./host.mjs";

before(openBrowser);
after(closeBrowser);

/** Texts that would run or load something if they were interpreted. */
const hostile = [
  `<script>document.title="pwned"</script>`,
  `<img src=x onerror="document.title='pwned'">`,
  `<svg onload="document.title='pwned'"></svg>`,
  `<iframe src="https://evil.example/"></iframe>`,
  `<style>body{display:none}</style>`,
  `![a picture](https://evil.example/pixel.png)`,
  `[click](javascript:document.title='pwned')`,
  `[data](data:text/html,<script>1</script>)`,
  `<a href="javascript:document.title='pwned'">raw</a>`,
  `<form action="https://evil.example/"><button>Send it</button></form>`,
  `[good](https://example.com/good)`,
];

test("text is text, and links are safe", async (t) => {
  const text = hostile.join("\n\n");
  const script = `think ${JSON.stringify(text)}
text ${JSON.stringify(text)}
call shell {"command":${JSON.stringify(`printf '%s\\n' "$0" '<img src=x onerror=document.title=1>' "<script>document.title=2</script>"`)}}
next
text ${JSON.stringify("After it: " + hostile[0])}
`;
  const host = await Host.start(t, { script });
  const other = await host.client(`<b>other</b>`);
  const session = await host.session(other, { mode: "prompt", name: `A name <img src=x onerror="document.title='pwned'">` });
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.prompt(hostile[0]);
  await tab.click("button", "Allow once");
  await tab.shows("After it:");
  await tab.status("idle");
  const bad = await tab.page.evaluate(() => {
    const found = [];
    for (const e of document.querySelectorAll("*")) {
      if (["SCRIPT", "IFRAME", "OBJECT", "EMBED", "FORM", "STYLE", "BASE"].includes(e.tagName) && !(e.tagName === "SCRIPT" && e.getAttribute("src") === "/app.js")) {
        if (e.tagName !== "FORM" || e.hasAttribute("action")) {
          found.push(e.outerHTML.slice(0, 200));
        }
      }
      for (const a of e.attributes) {
        if (a.name.startsWith("on")) {
          found.push(e.outerHTML.slice(0, 200));
        }
      }
      if (e.tagName === "IMG" && !/^(blob:|data:image\/)/.test(e.getAttribute("src") ?? "")) {
        found.push(e.outerHTML.slice(0, 200));
      }
      if (e.tagName === "A" && !e.href.startsWith(location.origin)) {
        const rel = (e.getAttribute("rel") ?? "").split(" ");
        if (!/^(https?|mailto):/.test(e.href) || e.target !== "_blank" || !rel.includes("noopener") || !rel.includes("noreferrer")) {
          found.push(e.outerHTML.slice(0, 200));
        }
      }
    }
    return found;
  });
  assert.deepEqual(bad, []);
  assert.ok(!/^(pwned|[12])$/.test(await tab.page.title()), await tab.page.title());
  assert.match(await tab.page.title(), /A name <img/);
  const links = await tab.page.$$eval("a", (all) => all.map((a) => a.href));
  assert.ok(links.includes("https://example.com/good"), links.join("\n"));
  await tab.go(host.url + "/");
  await tab.find("link", /^A name <img/);
});

test("characters that reverse or hide text are shown in approvals", async (t) => {
  const command = "echo safe \u202e;lla mr\u202c \u2066x\u2069 \u200bend";
  const host = await Host.start(t, { script: `call shell ${JSON.stringify({ command })}\nnext\ntext Done.\n` });
  const other = await host.client();
  const session = await host.session(other);
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.prompt("go");
  await tab.find("button", "Allow once");
  await tab.shows("<U+202E>");
  await tab.shows("<U+2066>");
  await tab.shows("<U+200B>");
  const body = await tab.body();
  assert.ok(!/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(body), JSON.stringify(body.match(/.{20}[\u200b-\u200f\u202a-\u202e\u2066-\u2069].{20}/s)?.[0]));
  await tab.go(host.url + "/");
  await tab.find("list", "Waiting for you");
  await tab.shows("<U+202E>");
  await tab.click("button", "Deny");
  await until("denied", async () => (await other.request("session/state", { session })).approvals.length === 0);
});

test("without a sign-in the page says so and has nothing of a session", async (t) => {
  const host = await Host.start(t, { script: "text A secret answer.\n" });
  const other = await host.client();
  const session = await host.session(other, { name: "A secret name" });
  await other.prompt(session, "a secret prompt");
  const tab = await openPage(t);
  tab.expected.push(/401/, /WebSocket/);
  for (const path of ["/", `/s/${session}`, "/usage", `/s/${session}#t=wrong`]) {
    await tab.go(host.url + path);
    await tab.shows("Not signed in");
    assert.ok(!(await tab.body()).includes("secret") && !(await tab.page.title()).includes("secret"));
    assert.ok(!tab.page.url().includes("#"), tab.page.url());
  }
  const stored = await tab.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
  assert.ok(!/t=|parley_/.test(stored), stored);
});

test("a shared link is for one session and a viewer, and ends", async (t) => {
  const host = await Host.start(t, { script: "text An answer.\nnext\ncall shell {\"command\":\"true\"}\n" });
  const other = await host.client();
  const session = await host.session(other, { mode: "prompt", name: "Shared" });
  const secret = await host.session(other, { name: "Other secret" });
  await other.prompt(session, "first prompt");
  const owner = await openPage(t);
  await owner.signIn(host, `/s/${session}`);
  await owner.click("button", "Share");
  const dialog = await owner.find("dialog", "Share");
  await owner.find("combobox", "Role", dialog);
  await owner.find("combobox", "Expires", dialog);
  await owner.click("button", "Create link", dialog);
  const link = await until("the link", async () => (await owner.find("textbox", "Link", dialog)).evaluate((e) => e.value));
  assert.match(link, new RegExp(`^${host.url}/s/${session}#t=.+`));
  const { tokens } = await other.request("token/list");
  const token = tokens.find((one) => one.sessions?.includes(session));
  assert.equal(token.role, "viewer");
  assert.ok(token.expires, "the token has no end");

  const viewer = await openPage(t);
  viewer.expected.push(/401/, /WebSocket/);
  await viewer.go(link);
  await viewer.shows("first prompt");
  assert.ok(!viewer.page.url().includes("#"), viewer.page.url());
  await owner.page.keyboard.press("Escape");
  await owner.gone("dialog", "Share");
  await owner.prompt("second");
  await owner.find("button", "Allow once");
  await viewer.shows("second");
  await viewer.find("article", /^Approval/);
  for (const name of ["Send", "Steer", "Allow once", "Allow for session", "Allow in workspace", "Deny", "Fork from here", "Go back to here", "Restore files", "Share"]) {
    assert.ok(!(await viewer.has("button", name)), `a viewer has ${name}`);
  }
  await viewer.go(`${host.url}/s/${secret}`);
  await until("an error", async () => /no session|not found|there is no/i.test(await viewer.body()));
  await viewer.go(host.url + "/");
  await until("the one session", async () => (await viewer.body()).includes("Shared"));
  assert.ok(!(await viewer.body()).includes("Other secret"));
  await viewer.go(`${host.url}/s/${session}`);
  await viewer.shows("first prompt");
  await other.request("token/revoke", { id: token.id });
  await viewer.shows("Not signed in");
  const body = await viewer.body();
  assert.ok(!body.includes("first prompt") && !(await viewer.page.title()).includes("Shared"), body);
  await viewer.page.reload();
  await viewer.shows("Not signed in");
});

test("an expired token signs the page out", async (t) => {
  const host = await Host.start(t, { script: "text An answer.\n" });
  const other = await host.client();
  const session = await host.session(other, { name: "Shared" });
  await other.prompt(session, "first prompt");
  // A machine that is busy may need longer for the page than the token is valid: then the next one is valid for longer.
  let viewer;
  await until("the session before its token expires", async () => {
    for (let seconds = 4; seconds < 60; seconds *= 2) {
      const expires = new Date(Date.now() + 1000 * seconds).toISOString();
      const { token } = await other.request("token/create", { role: "viewer", name: `${seconds} s`, sessions: [session], expires });
      viewer = await openPage(t);
      viewer.expected.push(/401/, /WebSocket/);
      await viewer.go(`${host.url}/s/${session}#t=${token}`);
      const seen = await until("the session or its end", async () => /first prompt|Not signed in/.exec(await viewer.body())?.[0]);
      if (seen === "first prompt") {
        return true;
      }
    }
  });
  await viewer.shows("Not signed in");
  assert.ok(!(await viewer.body()).includes("first prompt"));
});

// The journeys of users through the web console, in Chromium; one also in Firefox.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openFirefox, openPage, openTab } from "./browser.mjs";
import { Host, until } from "./host.mjs";

before(openBrowser);
after(closeBrowser);

/** Starts a host with a script, makes a session and opens it for an owner. */
async function opened(t, script, { settings = { mode: "prompt" }, files = {}, ...options } = {}) {
  const host = await Host.start(t, { script, ...options });
  for (const [name, text] of Object.entries(files)) {
    host.write(name, text);
  }
  const other = await host.client();
  const session = await host.session(other, settings);
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.find("textbox", "Prompt");
  return { host, other, session, tab };
}

test("1 first start without a key", async (t) => {
  const host = await Host.start(t);
  host.write("shop.go", "package shop\n");
  const tab = await openPage(t);
  await tab.go(host.ready.web);
  await tab.find("list", "Sessions");
  assert.ok(!tab.page.url().includes("#"), `the link stays in the address: ${tab.page.url()}`);
  await tab.click("button", "New session");
  const dialog = await tab.find("dialog", "New session");
  const workspace = await tab.find("textbox", "Workspace", dialog);
  await workspace.evaluate((e) => e.select());
  await workspace.type(host.work);
  await tab.click("button", "Create", dialog);
  await tab.find("textbox", "Prompt");
  await tab.shows("offline demo");
  await tab.shows("ANTHROPIC_API_KEY");
  await tab.prompt("list the go files");
  await tab.shows("shop.go", await tab.find("region", "Conversation"));
  await tab.status("idle");
  await tab.page.goBack();
  await tab.find("list", "Sessions");
  // The link has worked once.
  const second = await openPage(t);
  second.expected.push(/401/);
  await second.go(host.ready.web);
  await second.shows("Not signed in");
  await second.shows("parley host link");
});

/** A prompt that runs a command: approval, output, answer. */
async function runsCommand(t, browser) {
  const script = `think I look at the tests.
text I run the tests.
call shell {"command":"printf 'ok  shop  0.2s\\\\n'"}
next
expect ok  shop
text All tests **pass**.
`;
  const host = await Host.start(t, { script });
  const other = await host.client();
  const session = await host.session(other);
  const tab = await openPage(t, { browser });
  await tab.signIn(host, `/s/${session}`);
  await tab.prompt("run the tests");
  const approval = await tab.find("article", /^Approval/).catch(() => tab.find("group", /^Approval/));
  await tab.shows("printf 'ok  shop  0.2s", approval);
  await tab.status("waiting for you");
  await tab.click("button", "Allow once", approval);
  await tab.shows("All tests pass.");
  await tab.shows("All tests pass.", await tab.findLast("article", /^Answer/));
  await tab.shows("Allowed");
  await tab.gone("button", "Allow once");
  await tab.shows(/ok {2}shop {2}0\.2s/, await tab.find("article", /^Command/));
  await tab.shows("run the tests", await tab.find("article", /^You/));
  await tab.status("idle");
}

test("2 a prompt that runs a command", (t) => runsCommand(t));

test("2 a prompt that runs a command, in Firefox", async (t) => {
  const firefox = await openFirefox(t);
  if (firefox === undefined) {
    t.skip("firefox-esr is not installed");
    return;
  }
  await runsCommand(t, firefox);
});

test("3 an edit is denied with a reason", async (t) => {
  const script = `call edit {"path":"a.txt","old":"one","new":"ONE"}
next
expect not in capitals
text I try it otherwise.
call edit {"path":"a.txt","old":"one","new":"1"}
next
text Done.
`;
  const { host, tab } = await opened(t, script, { files: { "a.txt": "one\ntwo\n" } });
  await tab.prompt("change a.txt");
  await tab.shows("ONE");
  await tab.type("Reason", "not in capitals");
  await tab.click("button", "Deny");
  await tab.shows("Denied");
  await tab.shows("not in capitals");
  await tab.click("button", "Allow once");
  await tab.shows("Done.");
  const change = await tab.findLast("article", /^File change/);
  await tab.shows("a.txt", change);
  await tab.shows("+1", change);
  assert.equal(readFileSync(join(host.work, "a.txt"), "utf8"), "1\ntwo\n");
});

test("4 interrupt while the model thinks, a command runs, an approval waits", async (t) => {
  const script = `think Let me see.
hang
next
call shell {"command":"touch running; sleep 1000"}
next
call shell {"command":"touch never"}
`;
  const { host, other, session, tab } = await opened(t, script, { settings: { mode: "danger-full-access" } });
  await tab.prompt("one");
  await tab.status("thinking");
  await tab.click("button", "Interrupt");
  await tab.shows("Interrupted");
  await tab.status("idle");
  await tab.prompt("two");
  await until("the command runs", () => existsSync(join(host.work, "running")));
  await tab.status("working");
  await (await tab.find("textbox", "Prompt")).focus();
  await tab.page.keyboard.press("Escape");
  await tab.status("idle");
  await other.request("session/change", { session, settings: { mode: "prompt" } });
  await tab.prompt("three");
  await tab.status("waiting for you");
  await tab.click("button", "Interrupt");
  await tab.status("idle");
  await tab.gone("button", "Allow once");
  await until("three interrupts", async () => (await tab.body()).split("Interrupted").length > 3);
  assert.ok(!existsSync(join(host.work, "never")));
});

test("5 steer and queue while it works", async (t) => {
  const script = `call shell {"command":"while [ ! -e go ]; do sleep 0.05; done"}
next
expect be quick
text First done.
next
expect then the second
text Second done.
`;
  const { host, tab } = await opened(t, script, { settings: { mode: "danger-full-access" } });
  await tab.prompt("start");
  await tab.status("working");
  await tab.type("Prompt", "be quick");
  await tab.click("button", "Steer");
  await tab.shows("be quick");
  await tab.type("Prompt", "not this");
  await tab.click("button", "Queue");
  const queue = await tab.find("list", "Queue");
  await tab.shows("not this", queue);
  await tab.type("Prompt", "then the second");
  await tab.page.keyboard.down("Alt");
  await tab.page.keyboard.press("Enter");
  await tab.page.keyboard.up("Alt");
  await tab.shows("then the second", await tab.find("list", "Queue"));
  const entry = await until("the entry of the queue", async () => {
    for (const item of await tab.findAll("listitem", undefined, await tab.find("list", "Queue"))) {
      if ((await tab.text(item)).includes("not this")) {
        return item;
      }
    }
  });
  await tab.click("button", /^Remove/, entry);
  await until("the entry is removed", async () => !(await tab.text(await tab.find("list", "Queue"))).includes("not this"));
  host.write("go", "");
  await tab.shows("First done.");
  await tab.shows("Second done.");
  await tab.status("idle");
});

test("6 model and mode change in mid-session", async (t) => {
  const script = `text One.
next
call shell {"command":"touch made"}
next
text Two.
`;
  const { host, other, session, tab } = await opened(t, script);
  await tab.prompt("one");
  await tab.shows("One.");
  await tab.choose("Mode", "danger-full-access");
  await until("the mode", async () => (await other.request("session/state", { session })).settings.mode === "danger-full-access");
  await tab.prompt("two");
  await tab.shows("Two.");
  assert.ok(existsSync(join(host.work, "made")));
  await tab.choose("Model", "offline/demo");
  await until("the model", async () => (await other.request("session/state", { session })).settings.model === "offline/demo");
  await tab.prompt("hello");
  await tab.shows("offline demo model");
  // Two settings at once: the second does not wait until the page has seen the first.
  await tab.choose("Reasoning", "low");
  await tab.choose("Sandbox", "read-only");
  await until("the reasoning", async () => (await other.request("session/state", { session })).settings.thinking === "low");
  await until("the sandbox", async () => (await other.request("session/state", { session })).settings.sandbox?.kind === "read-only").catch(async (cause) => {
    throw new Error(await tab.body(), { cause });
  });
});

test("7 leave and come back", async (t) => {
  const script = `call shell {"command":"echo hello"}
next
text It is done.
`;
  const { host, tab, session } = await opened(t, script);
  await tab.prompt("say hello");
  await tab.status("waiting for you");
  await tab.type("Prompt", "a draft");
  await tab.page.reload();
  assert.equal(await (await tab.find("textbox", "Prompt")).evaluate((e) => e.value ?? e.innerText), "a draft");
  await tab.find("button", "Allow once");
  await tab.page.close();
  const again = await openTab(t, tab.context);
  await again.go(`${host.url}/s/${session}`);
  await again.shows("say hello");
  await again.click("button", "Allow once");
  await again.shows("It is done.");
  const body = await until("all of it", async () => {
    const text = await again.text(await again.find("region", "Conversation"));
    return text.includes("hello") && text;
  });
  assert.equal(body.split("It is done.").length, 2, body);
  await again.page.reload();
  await again.shows("It is done.");
  await again.shows("say hello");
});

test("8 two clients answer the same approval", async (t) => {
  const script = `call shell {"command":"echo a"}
next
call shell {"command":"echo b"}
next
text Done.
`;
  const { host, other, session, tab } = await opened(t, script);
  const second = await openPage(t);
  await second.signIn(host, `/s/${session}`);
  await tab.prompt("go");
  await second.find("button", "Allow once");
  await tab.find("button", "Allow once");
  await other.request("approval/answer", { session, approval: "a-1", allow: true });
  await tab.shows("Allowed by other");
  await second.shows("Allowed by other");
  await until("the second approval", async () => (await other.request("session/state", { session })).approvals[0]?.id === "a-2");
  await second.click("button", "Deny");
  await second.shows("Denied");
  await tab.shows("Denied by parley-web");
  await tab.shows("Done.");
  await tab.gone("button", "Allow once");
});

test("9 search a hundred sessions and fork one", async (t) => {
  const host = await Host.start(t, { env: { PARLEY_MODEL: "offline/demo" } });
  const other = await host.client();
  for (let n = 0; n < 100; n++) {
    const session = await host.session(other, { name: `Session ${n}` });
    await other.request("turn/prompt", { session, id: "p-1", blocks: [{ kind: "text", text: n === 42 ? "hello needle" : "hello" }] });
  }
  const { sessions } = await until("the sessions are idle", async () => {
    const page = await other.request("sessions/list", { limit: 200 });
    return page.sessions.length === 100 && page;
  });
  const needle = sessions.find((s) => s.name === "Session 42").id;
  await until("idle", async () => (await other.request("session/state", { session: needle })).status === "idle");
  await other.prompt(needle, "second");
  await other.prompt(needle, "third");
  await other.prompt(needle, "fourth");
  const tab = await openPage(t);
  await tab.signIn(host);
  await tab.find("list", "Sessions");
  await tab.page.keyboard.down("Control");
  await tab.page.keyboard.press("k");
  await tab.page.keyboard.up("Control");
  await tab.page.keyboard.type("Session 42");
  await until("one session", async () => {
    const items = await tab.findAll("listitem", undefined, await tab.find("list", "Sessions"));
    return items.length === 1 && (await tab.text(items[0])).includes("Session 42");
  });
  await tab.click("link", /^Session 42/);
  await tab.shows("fourth", await tab.find("region", "Conversation"));
  const third = await until("the third prompt", async () => {
    for (const article of await tab.findAll("article", /^You/)) {
      if ((await tab.text(article)).includes("third")) {
        return article;
      }
    }
  });
  await third.hover();
  await tab.click("button", "Fork from here", third);
  await until("the fork is opened", () => tab.session() !== undefined && tab.session() !== needle);
  await tab.shows("second", await tab.find("region", "Conversation"));
  const text = await tab.text(await tab.find("region", "Conversation"));
  assert.ok(!text.includes("third") && !text.includes("fourth"), text);
  await tab.click("link", "Overview");
  await tab.find("list", "Sessions");
  const search = await tab.find("searchbox", "Search sessions");
  await search.evaluate((e) => e.select());
  await search.type("needle");
  await until("both are in the list", async () => (await tab.findAll("link", /^(Session 42|hello needle)/, await tab.find("list", "Sessions"))).length === 2).catch(async (cause) => {
    throw new Error(await tab.body(), { cause });
  });
});

test("10 restore the files of an earlier point", async (t) => {
  const script = `call edit {"path":"a.txt","old":"one","new":"two"}
next
text Changed.
next
call edit {"path":"a.txt","old":"two","new":"three"}
next
text Changed again.
`;
  const { host, tab } = await opened(t, script, { settings: { mode: "danger-full-access" }, files: { "a.txt": "one\n" } });
  await tab.prompt("first");
  await tab.shows("Changed.");
  await tab.status("idle");
  await tab.prompt("second");
  await tab.shows("Changed again.");
  await tab.status("idle");
  const second = (await tab.findAll("article", /^You/)).at(-1);
  await second.hover();
  await tab.click("button", "Restore files", second);
  const dialog = await tab.find("dialog", "Restore files");
  await tab.shows("three", dialog);
  assert.equal(readFileSync(join(host.work, "a.txt"), "utf8"), "three\n");
  await tab.click("button", "Restore", dialog);
  await until("restored", () => readFileSync(join(host.work, "a.txt"), "utf8") === "two\n");
  await tab.gone("dialog", "Restore files");
  await (await tab.findAll("article", /^You/)).at(-1).hover();
  await tab.click("button", "Go back to here", (await tab.findAll("article", /^You/)).at(-1));
  await until("the prompt is back", async () => (await (await tab.find("textbox", "Prompt")).evaluate((e) => e.value ?? e.innerText)).trim() === "second");
  await until("what came after is gone", async () => !(await tab.text(await tab.find("region", "Conversation"))).includes("Changed again."));
});

test("11 a budget runs out", async (t) => {
  const script = `call shell {"command":"true"}
next
text One.
next
text Two.
`;
  const { tab } = await opened(t, script, { settings: { mode: "danger-full-access" }, env: { PARLEY_BUDGET: "tool_calls=1,output_tokens=1" } });
  await tab.prompt("one");
  await tab.shows(/budget is used up/i);
  await tab.status("idle");
  await tab.prompt("the refused one");
  await tab.shows(/budget is used up/i);
});

test("12 the host is killed and started again", async (t) => {
  const script = `call shell {"command":"touch running; sleep 1000"}
next
text Here again.
`;
  const { host, tab } = await opened(t, script, { settings: { mode: "danger-full-access" } });
  tab.expectLoss();
  await tab.prompt("run it");
  await until("the command runs", () => existsSync(join(host.work, "running")));
  await tab.type("Prompt", "a draft");
  await host.kill();
  await tab.shows("Connection lost", await tab.find("alert"));
  await tab.shows("run it");
  host.play("text Here again.\n");
  await host.restart();
  await until("connected", async () => !(await tab.body()).includes("Connection lost"));
  await tab.shows("Interrupted");
  await tab.status("idle");
  assert.equal(await (await tab.find("textbox", "Prompt")).evaluate((e) => e.value ?? e.innerText), "a draft");
  await tab.click("button", "Send");
  await tab.shows("Here again.");
});

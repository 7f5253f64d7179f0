// What the journeys leave out: menus of the overview, questions, attachments, the views of a session, usage, several pages.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage } from "./browser.mjs";
import { Host, until } from "./host.mjs";

before(openBrowser);
after(closeBrowser);

/** The entry of a session on the overview. */
async function entry(tab, title) {
  return until(`the entry of ${title}`, async () => {
    for (const item of await tab.findAll("listitem", undefined, await tab.find("list", "Sessions"))) {
      if (await tab.has("link", title, item)) {
        return item;
      }
    }
  }).catch(async (cause) => {
    throw new Error(await tab.body(), { cause });
  });
}

test("rename, fork, archive, delete and undo", async (t) => {
  const host = await Host.start(t, { script: "text One.\nnext\ntext Two.\n" });
  const other = await host.client();
  const session = await host.session(other);
  await other.prompt(session, "a first prompt");
  const tab = await openPage(t);
  await tab.signIn(host);
  const menu = async (title, name) => {
    await tab.click("button", /^More/, await entry(tab, title));
    await tab.click("menuitem", name);
  };
  await menu(/^a first prompt/, "Rename");
  await until("a field with the focus", () => tab.page.evaluate(() => document.activeElement.tagName === "INPUT"));
  await tab.page.evaluate(() => document.activeElement.select());
  await tab.page.keyboard.type("A new name");
  await tab.page.keyboard.press("Enter");
  await entry(tab, /^A new name/);
  await until("the name is stored", async () => (await other.request("session/state", { session })).settings.name === "A new name");
  await menu(/^A new name/, "Delete");
  await tab.gone("link", /^A new name/);
  await tab.click("button", "Undo");
  await entry(tab, /^A new name/);
  await menu(/^A new name/, "Archive");
  await until("archived", async () => (await other.request("session/state", { session })).settings.archived === true);
  await tab.gone("link", /^A new name/);
  await other.request("session/change", { session, settings: { archived: false } });
  await menu(/^A new name/, "Fork");
  await until("two sessions", async () => (await other.request("sessions/list", {})).sessions.length === 2);
});

test("a question is answered", async (t) => {
  const script = `call ask {"questions":[{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]},{"question":"Which sizes?","header":"Sizes","multi":true,"options":[{"label":"S","description":"small"},{"label":"L","description":"large"}]}]}
next
expect Blue
text Blue it is.
next
call ask {"questions":[{"question":"And now?","header":"Now","options":[{"label":"Go","description":"on"},{"label":"Stop","description":"here"}]}]}
next
expect something of my own
text As you like.
`;
  const host = await Host.start(t, { script });
  const other = await host.client();
  const session = await host.session(other, { mode: "danger-full-access" });
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.prompt("ask me");
  await tab.find("group", /^Question/);
  await until("the title says that something waits", async () => (await tab.page.title()).startsWith("(1) "));
  await tab.click("radio", /^Blue/);
  if (await tab.has("checkbox", /^S/)) {
    await tab.click("checkbox", /^S/);
    await tab.click("checkbox", /^L/);
  } else {
    await tab.click("radio", /^S/);
  }
  await tab.click("button", "Answer");
  await tab.shows("Blue it is.");
  await until("nothing waits", async () => !(await tab.page.title()).startsWith("("));
  await tab.prompt("again");
  await tab.type("Other answer", "something of my own", await tab.find("group", /^Question/));
  await tab.click("button", "Answer");
  await tab.shows("As you like.");
});

test("files are attached, and pictures shown", async (t) => {
  const host = await Host.start(t, { script: "text I see it.\n" });
  const other = await host.client();
  const session = await host.session(other);
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.find("textbox", "Prompt");
  const folder = mkdtempSync(join(tmpdir(), "parley-attached-"));
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  writeFileSync(join(folder, "pixel.png"), pixel);
  const input = await tab.page.waitForSelector("input[type=file]");
  await input.uploadFile(join(folder, "pixel.png"));
  await tab.shows("pixel.png", await tab.find("list", "Attachments"));
  await tab.prompt("what is it?");
  await tab.shows("I see it.");
  await until("the picture is shown", () => tab.page.evaluate(() => [...document.querySelectorAll("article img")].some((img) => img.complete && img.naturalWidth === 1)));
});

test("files, timeline and usage", async (t) => {
  const script = `call edit {"path":"a.txt","old":"one","new":"ONE"}
next
call write {"path":"b.txt","content":"b\\n"}
next
text Done.
`;
  const host = await Host.start(t, { script });
  host.write("a.txt", "one\ntwo\n");
  const other = await host.client();
  const session = await host.session(other, { mode: "danger-full-access", name: "Two files" });
  await other.prompt(session, "change them");
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.click("link", "Files");
  const files = await tab.find("region", "Files");
  await tab.shows("a.txt", files);
  await tab.shows("b.txt", files);
  assert.deepEqual(await (await tab.find("link", "Download patch")).evaluate((link) => [/^blob:/.test(link.href), /\.(patch|diff)$/.test(link.download)]), [true, true]);
  await tab.click("link", "Timeline");
  const timeline = await tab.find("region", "Timeline");
  await tab.click("button", "Table", timeline).catch(() => undefined);
  await tab.shows(/edit/, await tab.find("region", "Timeline"));
  await tab.click("link", "Usage");
  const usage = await tab.find("region", "Usage");
  await tab.shows("Two files", usage);
  await tab.find("table");
  await tab.page.goBack();
  await tab.find("region", "Timeline");
  assert.equal(tab.session(), session);
});

test("pages of one session agree", async (t) => {
  const script = `text One.
next
call shell {"command":"true"}
next
text Two.
`;
  const host = await Host.start(t, { script });
  const other = await host.client();
  const session = await host.session(other, { mode: "prompt", name: "Shared by tabs" });
  const first = await openPage(t);
  await first.signIn(host, `/s/${session}`);
  const second = await openPage(t);
  await second.signIn(host, `/s/${session}`);
  const overview = await openPage(t);
  await overview.signIn(host);
  await first.prompt("one");
  await second.shows("One.");
  await second.prompt("two");
  await first.find("button", "Allow once");
  await overview.click("button", "Allow once", await overview.find("list", "Waiting for you"));
  await first.shows("Two.");
  await second.shows("Two.");
  await first.choose("Mode", "read-only");
  await until("the other tab has the mode", async () => (await (await second.find("combobox", "Mode")).evaluate((e) => e.value ?? e.textContent)) === "read-only");
  const text = async (tab) => (await tab.text(await tab.find("region", "Conversation"))).replaceAll(/\s+/g, " ");
  await until("both show the same", async () => (await text(first)) === (await text(second)));
  const before = await text(first);
  await first.page.reload();
  await until("the same after a reload", async () => (await text(first)) === before);
});

test("a lost network is found again", async (t) => {
  const host = await Host.start(t, { script: "text One.\n" });
  const other = await host.client();
  const session = await host.session(other);
  await other.request("session/save", { session }); // without a prompt it would be gone with the host
  const tab = await openPage(t);
  tab.expectLoss();
  tab.expected.push(/ERR_INTERNET_DISCONNECTED/);
  await tab.signIn(host, `/s/${session}`);
  await tab.find("textbox", "Prompt");
  await tab.page.setOfflineMode(true);
  await host.kill();
  await tab.shows("Connection lost", await tab.find("alert"));
  await host.restart();
  await tab.page.setOfflineMode(false);
  await until("connected", async () => !(await tab.body()).includes("Connection lost"));
  await tab.prompt("one");
  await tab.shows("One.");
});

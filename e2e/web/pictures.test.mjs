// Every page in three sizes, light and dark: pictures for the eye, axe, and no scrolling sideways. And the keyboard.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage, sizes } from "./browser.mjs";
import { Host, until } from "./host.mjs";

before(openBrowser);
after(closeBrowser);

const table = "| package | tests | time |\\n|---|---|---|\\n| cart | 12 | 0.2 s |\\n| orders | 7 | 0.4 s |";
const script = `think The cart rounds twice. I look at the file first, then I change one line and run the tests.
text I look at the cart.
call read {"path":"cart.go"}
next
call plan {"items":[{"text":"Read the cart","status":"completed"},{"text":"Fix the rounding","status":"in_progress"},{"text":"Run the tests","status":"pending"}]}
next
call edit {"path":"cart.go","old":"return math.Round(sum)","new":"return math.Round(sum*100) / 100"}
next
call shell {"command":"sh test.sh"}
next
text "The rounding is fixed: \`Total\` rounds to cents now.\\n\\n${table}\\n\\n\`\`\`go\\nfunc (c *Cart) Total() float64 {\\n\\treturn math.Round(sum*100) / 100\\n}\\n\`\`\`\\n\\nThe tests **pass**."
next
text I remove the build folder.
call shell {"command":"rm -r build && echo removed"}
`;

const cart = `package shop

import "math"

// Total returns the sum of a cart.
func (c *Cart) Total() float64 {
	sum := 0.0
	for _, item := range c.Items {
		sum += item.Price
	}
	return math.Round(sum)
}
`;

/** Starts a host with a session that has one of everything, and an approval that waits. */
async function shop(t) {
  const host = await Host.start(t, { script });
  host.write("cart.go", cart);
  host.write("test.sh", "printf '\\033[32mok\\033[0m  shop/cart  0.2s\\nok  shop/orders  0.4s\\n'\n");
  const other = await host.client();
  const session = await host.session(other, { name: "Fix the rounding of the cart", mode: "danger-full-access" });
  await other.prompt(session, "Fix the rounding in cart.go, and run the tests.");
  await other.request("session/change", { session, settings: { mode: "prompt" } });
  await other.request("turn/prompt", { session, id: "p-last", blocks: [{ kind: "text", text: "Now remove the build folder." }] });
  await until("an approval waits", async () => (await other.request("session/state", { session })).status === "waiting");
  for (const name of ["Add a discount code", "Why is the search slow?", "Write the release notes"]) {
    await other.request("session/create", { workspace: host.work, settings: { name } });
  }
  return { host, other, session };
}

test("pages in three sizes, light and dark", async (t) => {
  const { host, session } = await shop(t);
  const pages = {
    overview: ["/", (tab) => tab.find("list", "Waiting for you")],
    session: [`/s/${session}`, (tab) => tab.find("button", "Allow once")],
    files: [`/s/${session}/files`, (tab) => tab.find("link", "Download patch")],
    timeline: [`/s/${session}/timeline`, (tab) => tab.find("table").catch(() => tab.find("region", "Timeline"))],
    usage: ["/usage", (tab) => tab.find("region", "Usage")],
  };
  const failures = [];
  for (const dark of [false, true]) {
    for (const size of Object.keys(sizes)) {
      const tab = await openPage(t, { size, dark });
      await tab.signIn(host);
      for (const [name, [path, ready]] of Object.entries(pages)) {
        const what = `${name}-${size}-${dark ? "dark" : "light"}`;
        try {
          await tab.go(host.url + path);
          await ready(tab);
          await tab.settled();
          await tab.picture(what);
          await tab.fitsWidth(what);
          await tab.axe(what);
        } catch (error) {
          failures.push(`${what}: ${error.message}`);
        }
      }
      await tab.page.close();
    }
  }
  assert.deepEqual(failures, []);
});

test("dialogs", async (t) => {
  const { host, session } = await shop(t);
  const failures = [];
  for (const [size, dark] of [["phone", false], ["desktop", true]]) {
    const tab = await openPage(t, { size, dark });
    await tab.signIn(host);
    const dialogs = {
      "new-session": ["/", "New session", () => tab.click("button", "New session")],
      share: [`/s/${session}`, "Share", () => tab.click("button", "Share")],
      shortcuts: ["/", "Keyboard shortcuts", () => tab.page.keyboard.type("?")],
    };
    for (const [name, [path, title, open]] of Object.entries(dialogs)) {
      const what = `${name}-${size}-${dark ? "dark" : "light"}`;
      try {
        await tab.go(host.url + path);
        await tab.find("link", "Overview");
        await tab.settled();
        await open();
        await tab.find("dialog", title);
        await tab.settled();
        await tab.picture(what);
        await tab.axe(what);
        await tab.page.keyboard.press("Escape");
        await tab.gone("dialog", title);
      } catch (error) {
        failures.push(`${what}: ${error.message}`);
      }
    }
  }
  const stranger = await openPage(t, { size: "phone" });
  stranger.expected.push(/401/);
  await stranger.go(host.url);
  await stranger.shows("Not signed in");
  await stranger.picture("not-signed-in-phone-light");
  await stranger.axe("not signed in");
  assert.deepEqual(failures, []);
});

test("everything by keyboard", async (t) => {
  const script = `call shell {"command":"touch one"}
next
call shell {"command":"touch two"}
next
expect not that one
text Done.
`;
  const host = await Host.start(t, { script });
  const other = await host.client();
  const session = await host.session(other);
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.find("textbox", "Prompt");
  const focused = () => tab.page.evaluate(() => (document.activeElement?.textContent ?? "").trim());
  await tab.page.evaluate(() => document.activeElement?.blur());
  await tab.page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to prompt");
  await tab.page.keyboard.press("Enter");
  await until("the prompt has the focus", () => tab.page.evaluate(() => ["TEXTAREA", "INPUT"].includes(document.activeElement.tagName) || document.activeElement.isContentEditable));
  await tab.page.keyboard.type("first line");
  await tab.page.keyboard.down("Shift");
  await tab.page.keyboard.press("Enter");
  await tab.page.keyboard.up("Shift");
  await tab.page.keyboard.type("second ? line");
  await tab.page.keyboard.press("Enter");
  await tab.shows(/first line\nsecond \? line/, await tab.find("article", /^You/));
  // Keys that come in the first 300 ms of an approval are meant for something else, so they are pressed until they count:
  // then its buttons are disabled at once, and no key is left for the next approval.
  const press = async (key, what, done) => {
    const button = await tab.find("button", "Allow once");
    await until(what, async () => {
      await button.focus();
      await tab.page.keyboard.press(key);
      return done(button);
    });
  };
  await press("y", "the first approval is answered", (button) => button.evaluate((e) => e.disabled || !e.isConnected));
  await until("the first command ran", () => existsSync(join(host.work, "one")));
  await until("the second approval", async () => (await other.request("session/state", { session })).approvals[0]?.id === "a-2");
  await until("its button", async () => (await tab.findAll("button", "Allow once")).length === 1);
  await press("n", "the reason has the focus", () => tab.page.evaluate(() => document.activeElement.ariaLabel === "Reason"));
  await tab.page.keyboard.type("not that one");
  await tab.page.keyboard.press("Enter");
  await tab.shows("Denied");
  await tab.shows("Done.");
  assert.ok(!existsSync(join(host.work, "two")));
  await tab.page.evaluate(() => document.activeElement?.blur());
  await tab.page.keyboard.type("?");
  await tab.find("dialog", "Keyboard shortcuts");
  await tab.page.keyboard.press("Escape");
  await tab.gone("dialog", "Keyboard shortcuts");
});

// A session of 100,000 records, and one that streams without an end. PARLEY_LARGE is a state folder with the session large.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeBrowser, openBrowser, openPage } from "./browser.mjs";
import { Host, until } from "./host.mjs";

before(openBrowser);
after(closeBrowser);

/** How many elements a page may have at any length. */
const most = 3000;

test("a session of 100,000 records is usable", async (t) => {
  const host = await Host.start(t, { state: process.env.PARLEY_LARGE, env: { PARLEY_MODEL: "offline/demo" } });
  const other = await host.client();
  await other.prompt(await host.session(other, { name: "A short session" }), "hello");
  const tab = await openPage(t);
  await tab.signIn(host);
  // The limit is 1 s. A machine of tests may be slow and busy: then a short session says how long any session takes.
  const opens = async (name, last) => {
    await tab.find("link", name);
    const begun = performance.now();
    await tab.click("link", name);
    await tab.shows(last, await tab.find("region", "Conversation"));
    const took = performance.now() - begun;
    t.diagnostic(`the end of ${name} was there after ${Math.round(took)} ms`);
    return took;
  };
  await until("the end of the session within 5 s, or soon after that of a short one", async () => {
    const short = await opens(/^A short session/, "offline demo model");
    await tab.page.goBack();
    const long = await opens(/^A long session/, /prompt (\d+) of \1/);
    if (long < Math.max(5000, 3 * short)) {
      return true;
    }
    await tab.page.goBack();
  });
  const conversation = await tab.find("region", "Conversation");
  assert.ok((await tab.elements()) <= most, `${await tab.elements()} elements`);
  await tab.prompt("hello");
  await tab.shows("offline demo model", conversation);
  // Back to what is earlier, by scrolling.
  const box = await conversation.boundingBox();
  await tab.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  let earliest = Infinity;
  let elements = 0;
  await until("an earlier part", async () => {
    await tab.page.mouse.wheel({ deltaY: -4000 });
    for (const match of (await tab.text(conversation)).matchAll(/prompt (\d+) of/g)) {
      earliest = Math.min(earliest, Number(match[1]));
    }
    elements = Math.max(elements, await tab.elements());
    return earliest < 8200;
  });
  assert.ok(elements <= most, `${elements} elements`);
  await tab.go(`${host.url}/s/large/timeline`);
  await tab.find("region", "Timeline");
  assert.ok((await tab.elements()) <= most, `timeline: ${await tab.elements()} elements`);
});

test("a long answer streams into a limited page", async (t) => {
  const host = await Host.start(t, { script: 'repeat 20000 text "A few words of an answer that is long.\\n\\n"\n' });
  const other = await host.client();
  const session = await host.session(other);
  const tab = await openPage(t);
  await tab.signIn(host, `/s/${session}`);
  await tab.prompt("go");
  await until("the turn has begun", async () => (await other.request("session/state", { session })).turns > 0);
  await tab.status("idle");
  await tab.shows("A few words", await tab.find("region", "Conversation"));
  assert.ok((await tab.elements()) <= most, `${await tab.elements()} elements`);
});

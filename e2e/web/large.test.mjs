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
  const tab = await openPage(t);
  await tab.signIn(host);
  await tab.find("link", /^A long session/);
  const begun = performance.now();
  await tab.click("link", /^A long session/);
  const conversation = await tab.find("region", "Conversation");
  await tab.shows(/prompt (\d+) of \1/, conversation);
  const took = performance.now() - begun;
  t.diagnostic(`the end of the session was there after ${Math.round(took)} ms`);
  assert.ok(took < 5000, `${took} ms`); // the limit is 1 s; machines of tests are slow
  assert.ok((await tab.elements()) <= most, `${await tab.elements()} elements`);
  await tab.prompt("hello");
  await tab.shows("offline demo model", conversation);
  // Back to what is earlier, by scrolling.
  const box = await conversation.boundingBox();
  await tab.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  let earliest = Infinity;
  await until("an earlier part", async () => {
    await tab.page.mouse.wheel({ deltaY: -4000 });
    for (const match of (await tab.text(conversation)).matchAll(/prompt (\d+) of/g)) {
      earliest = Math.min(earliest, Number(match[1]));
    }
    assert.ok((await tab.elements()) <= most, `${await tab.elements()} elements`);
    return earliest < 8200;
  });
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

// A browser and what the tests do with its pages: things are found by role and accessible name, as assistive technology finds them.
// What a page must never do fails its test: errors on the console, violations of its policy, requests to other origins.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { cleanup, patience, until } from "./host.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The sizes of windows that are looked at. */
export const sizes = { phone: [360, 640], tablet: [768, 1024], desktop: [1440, 900] };

let browser;

/** Starts Chromium, once for a file of tests. */
export async function openBrowser() {
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    headless: true,
    timeout: patience,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-domain-reliability", "--no-pings", "--disable-default-apps", "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb",
      "--disable-features=OptimizationHints,MediaRouter,Translate",
    ],
  });
}

/** Ends it. */
export async function closeBrowser() {
  await browser.close();
}

/** Opens a page for one user: a context of its own, with its own cookies. options: size, dark, browser. */
export async function openPage(t, options = {}) {
  const context = await (options.browser ?? browser).createBrowserContext();
  cleanup(t, () => context.close().catch(() => {}));
  return openTab(t, context, options);
}

/** Opens a tab of a user. */
export async function openTab(t, context, { size = "desktop", dark = false } = {}) {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const [width, height] = sizes[size];
  await page.setViewport({ width, height });
  const tab = new Tab(page, context);
  await tab.begin(dark);
  cleanup(t, () => tab.check());
  return tab;
}

/** Whether a name is the wanted one: equal, or as an expression says. */
function fits(name, wanted) {
  return wanted === undefined || (wanted instanceof RegExp ? wanted.test(name) : name === wanted);
}

/** A page in a browser. */
export class Tab {
  #session;
  problems = [];
  /** Messages that are expected, such as those of a lost connection. */
  expected = [];

  constructor(page, context) {
    this.page = page;
    this.context = context;
  }

  async begin(dark) {
    const { page } = this;
    page.on("console", (message) => {
      if (message.type() === "error" || /Content.Security.Policy/i.test(message.text())) {
        this.problems.push(`console: ${message.text()} ${message.location().url ?? ""}`);
      }
    });
    page.on("pageerror", (error) => this.problems.push(`error: ${error.stack ?? error}`));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (this.origin !== undefined && /^(https?|wss?):$/.test(protocol) && origin.replace(/^ws/, "http") !== this.origin) {
        this.problems.push(`request: ${request.url()}`);
      }
    });
    if (page.browser().process()?.spawnfile !== process.env.FIREFOX) {
      this.#session = await page.createCDPSession();
      await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
        { name: "prefers-reduced-motion", value: "reduce" },
      ]);
    }
  }

  /** Fails if the page did what it must not. */
  check() {
    const problems = this.problems.filter((problem) => !this.expected.some((expression) => expression.test(problem)));
    this.problems = [];
    assert.deepEqual(problems, [], "the page did what it must not");
  }

  /** A host that is away is no fault of the page. */
  expectLoss() {
    this.expected.push(/ERR_CONNECTION_REFUSED|WebSocket connection to|ERR_CONNECTION_RESET|Failed to load resource|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE/);
  }

  /** Opens an address. */
  async go(address) {
    this.origin = new URL(address).origin;
    await this.page.goto(address, { waitUntil: "load" });
  }

  /** Signs in by a link of a host and opens a path of it. */
  async signIn(host, path = "/", role = "owner") {
    const answer = this.page.waitForResponse((response) => response.url().endsWith("/v1/signin"), { timeout: patience });
    await this.go(host.link(role));
    await answer; // the page is there before, and leaving it then would end the request
    await until("signed in", async () => !(await this.page.url()).includes("#") && (await this.findAll("link", "Overview")).length > 0);
    if (path !== "/") {
      await this.go(host.url + path);
    }
  }

  /** Returns the elements with a role and a name, in the order of the page. within: an element. */
  async findAll(role, name, within) {
    if (this.#session === undefined) {
      return this.#findByHandles(role, name, within);
    }
    let root = within;
    try {
      root ??= await this.page.evaluateHandle(() => document);
      const objectId = root.remoteObject().objectId;
      const session = root.client ?? this.#session;
      const { nodes } = await session.send("Accessibility.queryAXTree", { objectId, role });
      const found = [];
      for (const node of nodes) {
        if (!node.ignored && node.role?.value === role && fits(node.name?.value ?? "", name) && node.backendDOMNodeId !== undefined) {
          found.push(await this.page.mainFrame().mainRealm().adoptBackendNode(node.backendDOMNodeId));
        }
      }
      return found;
    } catch (error) {
      if (/navigat|detached|destroyed|Could not find|No node|closed/i.test(error.message)) {
        return []; // the page is changing
      }
      throw error;
    } finally {
      if (within === undefined) {
        await root?.dispose().catch(() => {});
      }
    }
  }

  async #findByHandles(role, name, within) {
    const found = [];
    for (const handle of await (within ?? this.page).$$(`::-p-aria([role="${role}"])`)) {
      const label = await handle.evaluate((element) => {
        const by = element.getAttribute("aria-labelledby");
        return element.ariaLabel ?? (by ? by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ") : element.textContent).trim();
      });
      if (fits(label, name)) {
        found.push(handle);
      }
    }
    return found;
  }

  /** Waits for the one element with a role and a name; of several the first. */
  async find(role, name, within) {
    const what = `${role} ${JSON.stringify(String(name))}`;
    return until(what, async () => (await this.findAll(role, name, within))[0]).catch(async (cause) => {
      const names = await this.#names(role);
      throw new Error(`there is no ${what}, but ${JSON.stringify(names)}\n${await this.body()}\n${this.problems.join("\n")}`, { cause });
    });
  }

  /** Returns the names of all elements with a role. */
  async #names(role) {
    if (this.#session === undefined) {
      return [];
    }
    const { nodes } = await this.#session.send("Accessibility.getFullAXTree");
    return nodes.filter((node) => node.role?.value === role).map((node) => node.name?.value ?? "");
  }

  /** Waits for the last element with a role and a name. */
  async findLast(role, name, within) {
    return until(`${role} ${JSON.stringify(String(name))}`, async () => (await this.findAll(role, name, within)).at(-1));
  }

  /** Waits until there is no element with a role and a name. */
  async gone(role, name, within) {
    await until(`no ${role} ${JSON.stringify(String(name))}`, async () => (await this.findAll(role, name, within)).length === 0);
  }

  /** Whether there is an element with a role and a name now. */
  async has(role, name, within) {
    return (await this.findAll(role, name, within)).length > 0;
  }

  /** Clicks on the one element with a role and a name, as soon as it is there. */
  async click(role, name, within) {
    await until(`click on ${role} ${JSON.stringify(String(name))}`, async () => {
      const element = (await this.findAll(role, name, within))[0];
      if (element === undefined || (await element.evaluate((e) => e.disabled === true || e.getAttribute("aria-disabled") === "true"))) {
        return false;
      }
      await element.click();
      return true;
    });
  }

  /** Types into a text field after what is there. */
  async type(name, text, within, role = "textbox") {
    const field = await this.find(role, name, within);
    await field.focus();
    await this.page.keyboard.type(text);
  }

  /** The text of an element, as it is rendered. */
  text(element) {
    return element.evaluate((e) => e.innerText);
  }

  /** The text of the whole page. */
  body() {
    return this.page.evaluate(() => document.body.innerText);
  }

  /** Waits until the page has a text. */
  async shows(text, element) {
    const matches = text instanceof RegExp ? (body) => text.test(body) : (body) => body.includes(text);
    let body = "";
    try {
      await until(`text ${text}`, async () => matches((body = await (element === undefined ? this.body() : this.text(element)))));
    } catch (error) {
      throw new Error(`the page does not show ${text}, but\n${body}\n${this.problems.join("\n")}`, { cause: error });
    }
  }

  /** Sends a prompt as a user does. */
  async prompt(text) {
    await this.type("Prompt", text);
    await this.click("button", "Send");
  }

  /** Waits for a status of the session. */
  async status(wanted) {
    await until(`status ${wanted}`, async () => {
      const [status] = await this.findAll("status", "Status");
      return status !== undefined && (await this.text(status)).trim() === wanted;
    });
  }

  /** The session of the address. */
  session() {
    return /^\/s\/([^/]+)/.exec(new URL(this.page.url()).pathname)?.[1];
  }

  /** Chooses an option of a select, or of a list that a combobox opens. */
  async choose(name, value, within) {
    const box = await this.find("combobox", name, within);
    if (await box.evaluate((e) => e.tagName === "SELECT")) {
      const found = await box.evaluate((e, wanted) => [...e.options].find((o) => o.value === wanted || o.textContent.trim() === wanted)?.value, value);
      assert.notEqual(found, undefined, `combobox ${name} has no ${value}`);
      await box.select(found);
      return;
    }
    await box.click();
    await this.click("option", value);
  }

  /** How many elements the page has. */
  elements() {
    return this.page.evaluate(() => document.getElementsByTagName("*").length);
  }

  /** Waits until nothing on the page moves: two frames in a row have the same text. */
  async settled() {
    let before;
    await until("the page is settled", async () => {
      const now = await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.body.innerText + document.body.innerHTML.length)))));
      const same = now === before;
      before = now;
      return same;
    });
  }

  /** Stores a picture of the page. */
  async picture(name) {
    await this.page.screenshot({ path: join(process.env.PARLEY_ARTIFACTS, `web-${name}.png`) });
  }

  /** Fails on violations of WCAG 2.2 AA that axe finds. */
  async axe(what) {
    const { frameTree } = await this.#session.send("Page.getFrameTree");
    const { executionContextId } = await this.#session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
    const evaluate = async (expression) => {
      const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) {
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      }
      return result.value;
    };
    await evaluate(axe + ";0");
    const violations = await evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] })
      .then(({ violations }) => violations.map((v) => v.id + " (" + v.impact + "): " + v.help + "\\n" + v.nodes.slice(0, 3).map((n) => "  " + n.html.slice(0, 200) + " " + n.failureSummary).join("\\n")))`);
    assert.deepEqual(violations, [], `axe: ${what}`);
  }

  /** Fails if the page can be scrolled sideways. */
  async fitsWidth(what) {
    const [needed, width] = await this.page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
    assert.ok(needed <= width, `${what}: ${needed} pixels wide in a window of ${width}`);
  }
}

/** Starts Firefox, or returns undefined if it is not installed. */
export async function openFirefox(t) {
  if (!process.env.FIREFOX) {
    return undefined;
  }
  const firefox = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX, headless: true, timeout: patience });
  cleanup(t, () => firefox.close());
  return firefox;
}

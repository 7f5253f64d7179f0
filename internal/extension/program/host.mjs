// The process in which the extensions of a session run. It reads them, calls their handlers
// and tools, and carries their wishes to the program that started it. What one of them does
// wrong is told, and harms no other.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { install } from "./loader.mjs";
import * as shims from "./shims.mjs";
import { z } from "./zod.mjs";
import { ask, listen, messageOf, notify, request } from "./wire.mjs";

const extensions = []; // in the order in which they were loaded
let limits = { load: 30_000, handler: 30_000, work: 300_000, shutdown: 1_000 }; // milliseconds
let cwd = process.cwd();
let flagValues = {};
let dialogs = 0; // that are open: nobody's time runs while a person thinks
let dialogEnded = 0;

const exit = process.exit.bind(process);
process.exit = (code) => {
  throw new Error(`process.exit(${code ?? ""}) is not for extensions: use ctx.shutdown()`);
};

function failed(extension, event, err) {
  notify("failed", { path: typeof extension === "string" ? extension : extension.path, event, error: messageOf(err) });
}

// blame tells of an error that nobody was there to catch. Its stack says whose it is.
function blame(err) {
  const stack = String(err?.stack ?? "");
  const guilty = extensions.find((e) => stack.includes(e.file) || stack.includes(pathToFileURL(e.file).href));
  failed(guilty ?? extensions[0] ?? "extensions", "uncaught", err);
}
process.on("uncaughtException", blame);
process.on("unhandledRejection", blame);

// within gives up on work that takes longer than limit, not counting the time of dialogs.
async function within(limit, work) {
  let timer;
  const late = new Promise((_, reject) => {
    const begun = Date.now();
    const look = () => {
      const left = limit - (Date.now() - Math.max(begun, dialogEnded));
      if (dialogs > 0) timer = setTimeout(look, limit);
      else if (left > 0) timer = setTimeout(look, left);
      else reject(new Error(`timed out after ${limit} ms`));
    };
    timer = setTimeout(look, limit);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

// ---- what an extension gets

function makeUI(extension) {
  async function dialog(kind, params, options) {
    dialogs++;
    try {
      return await request("ui." + kind, { ...params, timeout: options?.timeout }, options?.signal);
    } finally {
      dialogs--;
      dialogEnded = Date.now();
    }
  }
  const show = (kind, params) => notify("ui." + kind, params);
  return {
    select: (title, choices, options) => dialog("select", { title: String(title), options: choices.map(labelOf) }, options),
    confirm: (title, message, options) => dialog("confirm", { title: String(title), message: String(message ?? "") }, options),
    input: (title, placeholder, options) => dialog("input", { title: String(title), placeholder }, options),
    editor: (title, prefill, options, editorOptions) =>
      dialog("editor", { title: String(title), prefill, promptStyle: (editorOptions ?? options)?.promptStyle }, { signal: options?.signal }),
    notify: (message, type) => show("notify", { message: String(message), notifyType: type }),
    setStatus: (key, text) => show("setStatus", { statusKey: String(key), statusText: text === undefined ? undefined : String(text) }),
    setWidget(key, content, options) {
      if (content !== undefined && !Array.isArray(content)) return; // a component: there is no terminal
      show("setWidget", { widgetKey: String(key), widgetLines: content?.map(String), widgetPlacement: options?.placement });
    },
    setTitle: (title) => show("setTitle", { title: String(title) }),
    setEditorText: (text) => show("setEditorText", { text: String(text) }),
    pasteToEditor: (text) => show("setEditorText", { text: String(text) }),
    getEditorText: () => "",
    custom: async () => undefined,
    setFooter() {},
    setHeader() {},
    setEditorComponent() {},
    setWorkingMessage() {},
    setWorkingIndicator() {},
    setWorkingVisible() {},
    addAutocompleteProvider() {},
    getEditorComponent: () => undefined,
    setHiddenThinkingLabel() {},
    setToolsExpanded() {},
    getToolsExpanded: () => false,
    onTerminalInput: () => () => {},
    theme,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: "Theme switching not supported in RPC mode" }),
    extensionPath: extension.path,
  };
}

const labelOf = (choice) => (typeof choice === "string" ? choice : String(choice?.label ?? choice));

// theme draws nothing: there is no terminal.
const plain = (...args) => String(args.at(-1) ?? "");
const theme = new Proxy({}, {
  get: (_, name) => (typeof name === "string" ? plain : undefined),
});

const sessionManager = {
  getCwd: () => cwd,
  getHeader: () => ask("session").header,
  getSessionDir: () => path.dirname(ask("session").file ?? cwd),
  getSessionId: () => ask("session").id,
  getSessionFile: () => ask("session").file,
  getSessionName: () => ask("session").name,
  getLeafId: () => ask("session").leaf ?? null,
  getLeafEntry: () => sessionManager.getEntry(ask("session").leaf),
  getEntries: () => ask("entries"),
  getEntry: (id) => sessionManager.getEntries().find((entry) => entry.id === id),
  getChildren: (id) => sessionManager.getEntries().filter((entry) => entry.parentId === id),
  getLabel(id) {
    return sessionManager.getEntries().findLast((entry) => entry.type === "label" && entry.targetId === id)?.label;
  },
  getBranch(from) {
    const all = new Map(sessionManager.getEntries().map((entry) => [entry.id, entry]));
    const branch = [];
    for (let entry = all.get(from ?? ask("session").leaf); entry; entry = all.get(entry.parentId)) branch.unshift(entry);
    return branch;
  },
  getTree() {
    const entries = sessionManager.getEntries();
    const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [] }]));
    const roots = [];
    for (const node of nodes.values()) (nodes.get(node.entry.parentId)?.children ?? roots).push(node);
    return roots;
  },
};

const modelRegistry = {
  getAll: () => ask("models"),
  getAvailable: () => ask("models"),
  find: (provider, id) => ask("models").find((m) => m.provider === provider && m.id === id),
  getApiKey: async () => undefined,
  getApiKeyAndHeaders: async () => ({ ok: false, error: "keys are not given to extensions" }),
};

function makeContext(extension, signal) {
  return {
    ui: extension.ui,
    hasUI: true,
    cwd,
    signal,
    sessionManager,
    modelRegistry,
    get model() {
      return ask("state").model;
    },
    isIdle: () => ask("state").idle,
    hasPendingMessages: () => ask("state").pending,
    getContextUsage: () => ask("state").usage,
    getSystemPrompt: () => ask("systemPrompt"),
    abort: () => notify("abort", {}),
    shutdown: () => notify("shutdown", {}),
    compact(options) {
      const work = request("compact", { customInstructions: typeof options === "string" ? options : options?.customInstructions });
      work.then(options?.onComplete, options?.onError ?? (() => {}));
      return work.catch(() => undefined);
    },
  };
}

function makeCommandContext(extension, signal) {
  return Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(makeContext(extension, signal))), {
    waitForIdle: () => request("waitForIdle", {}, signal),
    newSession: (options) => request("newSession", { parentSession: options?.parentSession }),
    branch: (entryId) => request("branch", { entryId }),
    fork: (entryId) => request("branch", { entryId }),
    navigateTree: (targetId, options) => request("navigateTree", { targetId, ...options }),
    switchSession: (sessionPath) => request("switchSession", { sessionPath }),
    reload: async () => {
      throw new Error("extensions are not read again while a session is open");
    },
  });
}

const channels = new Map(); // of pi.events
const events = {
  on(channel, handler) {
    if (!channels.has(channel)) channels.set(channel, new Set());
    channels.get(channel).add(handler);
    return () => channels.get(channel).delete(handler);
  },
  emit(channel, data) {
    for (const handler of channels.get(channel) ?? []) {
      Promise.resolve().then(() => handler(data)).catch(blame);
    }
  },
};

function makeAPI(extension) {
  // action is what cannot be done while extensions are loaded: there is no session yet.
  const action = (work) => (...args) => {
    if (extension.loading) throw new Error("actions are not possible while an extension is loaded: wait for session_start");
    return work(...args);
  };
  const register = (work) => (...args) => {
    work(...args);
    if (!extension.loading) notify("registered", registered());
  };
  const say = (level) => (...words) => notify("log", { level, path: extension.path, text: words.map(messageOf).join(" ") });
  const api = {
    on: (name, handler) => {
      if (typeof handler !== "function") throw new Error(`the handler of ${name} is not a function`);
      if (!extension.handlers.has(name)) extension.handlers.set(name, []);
      extension.handlers.get(name).push(handler);
      if (!extension.loading) notify("registered", registered());
    },
    registerTool: register((tool) => {
      if (typeof tool?.name !== "string" || typeof tool.execute !== "function") throw new Error("a tool needs a name and an execute function");
      extension.tools.set(tool.name, tool);
    }),
    registerCommand: register((name, command) => {
      if (typeof command?.handler !== "function") throw new Error(`the command ${name} has no handler`);
      extension.commands.set(String(name), command);
    }),
    registerFlag: register((name, flag) => extension.flags.set(String(name), flag ?? {})),
    getFlag(name) {
      const flag = extension.flags.get(name);
      return flag && (flagValues[name] ?? flag.default);
    },
    registerShortcut() {},
    registerMessageRenderer() {},
    registerEntryRenderer() {},
    registerProvider: () => say("warn")("registerProvider does nothing here: providers are configured in the program itself"),
    unregisterProvider() {},
    setLabel(...args) { // with one argument it names the extension, for people at a terminal
      if (args.length > 1) action((entryId, label) => notify("setLabel", { entryId, label }))(...args);
    },
    sendMessage: action((message, options) => notify("sendMessage", { message, options: options ?? {}, path: extension.path })),
    sendUserMessage: action((content, options) => notify("sendUserMessage", { content, options: options ?? {}, path: extension.path })),
    appendEntry: action((customType, data) => notify("appendEntry", { customType, data })),
    setSessionName: action((name) => notify("setSessionName", { name })),
    getSessionName: action(() => ask("session").name),
    exec: (command, args, options) => exec(command, args, options),
    getActiveTools: action(() => ask("tools").filter((tool) => tool.active).map((tool) => tool.name)),
    getAllTools: action(() => ask("tools").map(({ active: _, ...tool }) => tool)),
    setActiveTools: action((names) => request("setActiveTools", { names })),
    getCommands: () => [],
    setModel: action((model) => request("setModel", { provider: model?.provider, modelId: model?.id }).then((ok) => ok !== false)),
    getThinkingLevel: action(() => ask("state").thinking),
    setThinkingLevel: action((level) => notify("setThinkingLevel", { level })),
    events,
    logger: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    typebox: { Type: shims.Type },
    zod: z,
    pi: shims,
  };
  // What newer versions can register, and this program does not know, does not keep an extension from loading.
  return new Proxy(api, {
    get(target, name) {
      if (name in target || typeof name !== "string" || !/^(un)?register[A-Z]/.test(name)) return target[name];
      return () => say("warn")(`${name} does nothing here: this program does not know it`);
    },
  });
}

// exec runs a program and gives what it wrote.
function exec(command, args, options) {
  return new Promise((resolve) => {
    let stdout = "", stderr = "", killed = false;
    const child = spawn(command, args ?? [], { cwd: options?.cwd ?? cwd, env: options?.env ?? process.env, stdio: ["ignore", "pipe", "pipe"] });
    const kill = () => {
      killed = true;
      child.kill("SIGTERM");
    };
    const timer = options?.timeout > 0 ? setTimeout(kill, options.timeout) : undefined;
    if (options?.signal?.aborted) kill();
    options?.signal?.addEventListener("abort", kill, { once: true });
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    let done = false;
    const end = (code) => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      options?.signal?.removeEventListener("abort", kill);
      resolve({ stdout, stderr, code, killed });
    };
    child.on("error", (err) => {
      stderr += messageOf(err);
      end(1);
    });
    child.on("close", (code) => end(code ?? 1));
  });
}

// ---- loading

function registered() {
  const tools = [], commands = [], flags = [], names = new Set();
  for (const e of extensions) {
    for (const tool of e.tools.values()) {
      const parameters = JSON.parse(JSON.stringify(tool.parameters ?? { type: "object" }));
      tools.push({
        name: tool.name, label: tool.label, description: String(tool.description ?? ""), parameters,
        hidden: !!tool.hidden, inactive: !!tool.defaultInactive, path: e.path,
      });
    }
    for (const [name, command] of e.commands) commands.push({ name, description: command.description, path: e.path });
    for (const [name, flag] of e.flags) flags.push({ name, description: flag.description, type: flag.type ?? "boolean", path: e.path });
    for (const name of e.handlers.keys()) names.add(name);
    for (const name of Object.keys(elsewhere)) if (heard(e, { type: name }).handlers.length) names.add(name);
  }
  return { tools, commands, flags, events: [...names], paths: extensions.map((e) => e.path) };
}

async function load(file) {
  const extension = {
    path: file, file: fs.realpathSync(file), handlers: new Map(), tools: new Map(), commands: new Map(), flags: new Map(), loading: true,
  };
  extension.ui = makeUI(extension);
  await within(limits.load, async () => {
    const loaded = await import(pathToFileURL(file).href);
    const factory = [loaded.default, loaded.default?.default, loaded["module.exports"]].find((f) => typeof f === "function");
    if (!factory) throw new Error("its default export is not a function");
    await factory(makeAPI(extension));
  });
  extension.loading = false;
  extensions.push(extension);
}

// ---- events

// slow is the events whose handlers may ask a model.
const slow = new Set(["session_before_compact", "session.compacting", "session_before_tree"]);

// elsewhere is events that some of the family know by another name: where a session is left for
// another they begin anew.
const elsewhere = {
  session_switch: (event) => ({ type: "session_start", reason: event.reason, previousSessionFile: event.previousSessionFile }),
  session_branch: (event) => ({ type: "session_start", reason: "fork", previousSessionFile: event.previousSessionFile }),
  session_before_branch: (event) => ({ ...event, type: "session_before_fork" }),
};

// heard is an event as an extension knows it, and its handlers.
function heard(extension, event) {
  const handlers = extension.handlers.get(event.type);
  if (handlers || !elsewhere[event.type]) return { event, handlers: handlers ?? [] };
  const other = elsewhere[event.type](event);
  return { event: other, handlers: extension.handlers.get(other.type) ?? [] };
}

// call calls the handlers of an event one after the other. take gets what each returns, and
// ends it all by returning true; lost gets what each throws.
async function call(told, signal, take, lost) {
  const limit = slow.has(told.type) ? limits.work : limits.handler;
  for (const extension of [...extensions]) {
    const { event, handlers } = heard(extension, told);
    for (const handler of handlers) {
      let returned;
      try {
        returned = await within(limit, async () => handler(event, makeContext(extension, signal)));
      } catch (err) {
        failed(extension, event.type, err);
        if (lost?.(extension, err)) return;
        continue;
      }
      if (returned && typeof returned === "object" && take?.(returned, extension)) return;
    }
  }
}

// promptOptions is what extensions can change of the system prompt without writing it anew. changedTools
// gives the tools that they have selected; undefined: they are what they were.
function promptOptions() {
  let selected, before;
  const options = {
    cwd, toolSnippets: {}, promptGuidelines: [], sections: {}, contextFiles: [], skills: [],
    get selectedTools() { // nobody is asked before it is read
      if (!selected) {
        selected = ask("tools").filter((tool) => tool.active).map((tool) => tool.name);
        before = JSON.stringify(selected);
      }
      return selected;
    },
    set selectedTools(names) {
      selected = names;
    },
  };
  return { options, changedTools: () => (JSON.stringify(selected) === before ? undefined : selected) };
}

const moments = {
  async tool_call(event, signal) {
    let answer = {};
    const before = JSON.stringify(event.input);
    await call(
      event, signal,
      (returned) => {
        if (returned.block) answer = { block: true, reason: returned.reason || "Tool execution was blocked by an extension" };
        return !!returned.block;
      },
      (extension, err) => {
        answer = { block: true, reason: `Extension ${extension.path} failed: ${messageOf(err)}` };
        return true;
      },
    );
    if (!answer.block && JSON.stringify(event.input) !== before) answer.input = event.input;
    return answer;
  },
  async tool_result(event, signal) {
    const answer = {};
    await call(event, signal, (returned) => {
      for (const name of ["content", "details", "isError"]) {
        if (returned[name] !== undefined) answer[name] = event[name] = returned[name];
      }
    });
    return answer;
  },
  async before_agent_start(event, signal) {
    const answer = { messages: [] };
    const { options, changedTools } = promptOptions();
    event.systemPromptOptions = options;
    await call(event, signal, (returned) => {
      if (returned.message) answer.messages.push(returned.message);
      if (typeof returned.systemPrompt === "string") answer.systemPrompt = event.systemPrompt = returned.systemPrompt;
    });
    const added = [...Object.values(options.sections ?? {}), (options.promptGuidelines ?? []).map((line) => `- ${line}`).join("\n"), options.appendSystemPrompt]
      .filter((text) => typeof text === "string" && text !== "");
    if (typeof options.forceSystemPrompt === "string") answer.systemPrompt = options.forceSystemPrompt;
    else if (added.length > 0) answer.systemPrompt = [event.systemPrompt, ...added].join("\n\n");
    const tools = changedTools();
    if (tools) await request("setActiveTools", { names: tools });
    return answer;
  },
  async context(event, signal) {
    const shown = event.messages;
    const texts = shown.map((m) => JSON.stringify(m)); // before anybody changes one in its place
    let wanted;
    await call(event, signal, (returned) => {
      if (Array.isArray(returned.messages)) wanted = event.messages = returned.messages;
    });
    return { messages: wanted && told(wanted, shown, texts) };
  },
  async user_bash(event, signal) {
    let answer = {};
    await call(event, signal, (returned) => {
      if (returned.result) answer = { result: returned.result };
      return !!returned.result;
    });
    return answer;
  },
  async "session.compacting"(event, signal) {
    const answer = { context: [] };
    await call(event, signal, (returned) => {
      answer.context.push(...(returned.context ?? []));
      answer.prompt = returned.prompt ?? answer.prompt;
      answer.preserveData = returned.preserveData ?? answer.preserveData;
    });
    return answer;
  },
};

// told is messages, those that were shown and are what they were by their numbers.
function told(messages, shown, texts) {
  const same = new Map(shown.map((m, i) => [m, i]));
  const alike = new Map(texts.map((text, i) => [text, i]));
  return messages.map((m) => {
    if (m === null || typeof m !== "object") return null;
    const text = JSON.stringify(m);
    const i = same.get(m);
    return i !== undefined && texts[i] === text ? i : alike.get(text) ?? m;
  });
}

// veto is the event of something that extensions can keep from happening.
async function veto(event, signal) {
  event.signal = signal;
  let answer = {};
  await call(event, signal, (returned) => {
    answer = { ...answer, ...returned };
    return !!returned.cancel;
  });
  return answer;
}

const find = (kind, name) => extensions.find((e) => e[kind].has(name));

const methods = {
  async load(params) {
    ({ cwd } = params);
    process.chdir(cwd); // not before: a runtime reads settings of its own in the folder it is started in
    limits = { ...limits, ...params.limits };
    for (const file of params.paths) {
      notify("loading", { path: file });
      try {
        await load(file);
      } catch (err) {
        failed(file, "load", err);
      }
    }
    return registered();
  },
  flags(params) {
    flagValues = params.values;
  },
  async event({ event, veto: canVeto }, signal) {
    const moment = moments[event.type];
    if (moment) return moment(event, signal);
    if (canVeto) return veto(event, signal);
    await call(event, signal);
    return {};
  },
  async tool({ name, call: id, input }, signal, request) {
    const extension = find("tools", name);
    if (!extension) throw new Error(`there is no tool ${name} any more`);
    const tool = extension.tools.get(name);
    const update = (partial) => notify("update", { request, result: resultOf(partial) });
    return resultOf(await tool.execute(id, input, signal, update, makeContext(extension, signal)));
  },
  async command({ name, args }, signal) {
    const extension = find("commands", name);
    if (!extension) throw new Error(`there is no command ${name}`);
    await extension.commands.get(name).handler(args, makeCommandContext(extension, signal));
  },
  ping() {},
  async shutdown() {
    for (const extension of extensions) {
      for (const handler of extension.handlers.get("session_shutdown") ?? []) {
        try {
          await within(limits.shutdown, async () => handler({ type: "session_shutdown" }, makeContext(extension)));
        } catch (err) {
          failed(extension, "session_shutdown", err);
        }
      }
    }
  },
};

// resultOf is what a tool gave, whatever it gave.
function resultOf(result) {
  if (typeof result === "string") return { content: [{ type: "text", text: result }] };
  return { content: Array.isArray(result?.content) ? result.content : [], details: result?.details, isError: result?.isError === true };
}

install();
listen(methods, () => exit(0));
notify("ready", { runtime: process.versions.bun ? `Bun ${process.versions.bun}` : `Node.js ${process.versions.node}` });

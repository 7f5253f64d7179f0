// What extensions import besides their own, where the user has not installed it: a small
// builder of JSON Schemas, and inert stand-ins for what draws on a terminal.

import os from "node:os";
import path from "node:path";

const optional = Symbol.for("parley.optional");

function options(schema, more) {
  return { ...schema, ...(more ?? {}) };
}

function object(properties, more) {
  const required = Object.keys(properties).filter((name) => !properties[name]?.[optional]);
  return options({ type: "object", properties, ...(required.length ? { required } : {}) }, more);
}

export const Type = {
  String: (more) => options({ type: "string" }, more),
  Number: (more) => options({ type: "number" }, more),
  Integer: (more) => options({ type: "integer" }, more),
  Boolean: (more) => options({ type: "boolean" }, more),
  Null: (more) => options({ type: "null" }, more),
  Any: (more) => options({}, more),
  Unknown: (more) => options({}, more),
  Never: (more) => options({ not: {} }, more),
  Literal: (value, more) => options({ type: typeof value, const: value }, more),
  Array: (items, more) => options({ type: "array", items }, more),
  Tuple: (items, more) => options({ type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }, more),
  Object: object,
  Record: (_key, value, more) => options({ type: "object", additionalProperties: value }, more),
  Union: (anyOf, more) => options({ anyOf }, more),
  Intersect: (allOf, more) => options({ allOf }, more),
  Enum: (values, more) => options({ enum: Object.values(values) }, more),
  Optional: (schema) => Object.defineProperty({ ...schema }, optional, { value: true }),
  Partial: (schema, more) => options({ ...schema, required: undefined }, more),
  Unsafe: (schema) => ({ ...schema }),
};

export function StringEnum(values, more) {
  return options({ type: "string", enum: [...values] }, more);
}

export function defineTool(tool) {
  return tool;
}

export function isToolCallEventType(name, event) {
  return event.toolName === name;
}

export const isBashToolResult = (event) => event.toolName === "bash";
export const isReadToolResult = (event) => event.toolName === "read";
export const isEditToolResult = (event) => event.toolName === "edit";
export const isWriteToolResult = (event) => event.toolName === "write";
export const isGrepToolResult = (event) => event.toolName === "grep";

class Component {
  constructor(...args) {
    this.args = args;
    this.children = [];
  }
  addChild(child) {
    this.children.push(child);
  }
  setText() {}
  clear() {
    this.children = [];
  }
  invalidate() {}
  handleInput() {}
  render() {
    return [];
  }
}

export class Text extends Component {}
export class TruncatedText extends Component {}
export class Container extends Component {}
export class Box extends Component {}
export class Spacer extends Component {}
export class Markdown extends Component {}
export class SelectList extends Component {}
export class SettingsList extends Component {}
export class Input extends Component {}
export class Editor extends Component {}
export class Loader extends Component {}
export class Image extends Component {}
export class DynamicBorder extends Component {}
export class BorderedLoader extends Component {}
export class CustomEditor extends Component {}

// Key is names of keys, and of keys with others held: Key.up, Key.ctrl("p").
const held = /^(ctrl|shift|alt|super)+$/i;
export const Key = new Proxy({}, {
  get(_, name) {
    if (typeof name !== "string") return undefined;
    return held.test(name) ? (key) => `${name.replace(/(?<=.)(ctrl|shift|alt|super)/gi, "+$1").toLowerCase()}+${key}` : name;
  },
});
export const matchesKey = () => false;
export const truncateToWidth = (text, width) => [...String(text)].slice(0, width).join("");
export const visibleWidth = (text) => [...String(text)].length;
export const wrapTextWithAnsi = (text) => String(text).split("\n");
export const getMarkdownTheme = () => ({});
export const getSelectListTheme = () => ({});
export const getSettingsListTheme = () => ({});
export const CURSOR_MARKER = "";
export const isKeyRelease = () => false;
export const parseKey = () => undefined;
export const fuzzyFilter = (items, query, textOf = String) =>
  items.filter((item) => {
    const text = textOf(item).toLowerCase();
    let at = -1;
    return [...query.toLowerCase()].every((c) => (at = text.indexOf(c, at + 1)) >= 0);
  });

export const VERSION = "0.0.0";
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 << 10;
export const CONFIG_DIR_NAME = ".pisces";
export const getAgentDir = () => process.env.PI_CODING_AGENT_DIR || path.join(os.homedir(), ".pisces", "agent");
export const formatSize = (bytes) => (bytes < 1024 ? `${bytes}B` : bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1 << 20)).toFixed(1)}MB`);

// truncated is the whole lines of a text that fit, counted from one of its ends.
function truncated(text, options, fromEnd) {
  const maxLines = options?.maxLines ?? DEFAULT_MAX_LINES, maxBytes = options?.maxBytes ?? DEFAULT_MAX_BYTES;
  const lines = text.split("\n"), kept = [];
  let bytes = 0, truncatedBy = null;
  for (const line of fromEnd ? lines.toReversed() : lines) {
    bytes += Buffer.byteLength(line) + (kept.length ? 1 : 0);
    if (kept.length === maxLines) truncatedBy = "lines";
    else if (bytes > maxBytes) truncatedBy = "bytes";
    if (truncatedBy) break;
    kept.push(line);
  }
  const content = (fromEnd ? kept.reverse() : kept).join("\n");
  return {
    content, truncated: truncatedBy !== null, truncatedBy, totalLines: lines.length, totalBytes: Buffer.byteLength(text),
    outputLines: kept.length, outputBytes: Buffer.byteLength(content), maxLines, maxBytes,
  };
}
export const truncateHead = (text, options) => truncated(text, options, false);
export const truncateTail = (text, options) => truncated(text, options, true);

const queues = new Map(); // of files that are changed, by path
export async function withFileMutationQueue(file, work) {
  const before = queues.get(file) ?? Promise.resolve();
  const own = before.then(work, work);
  queues.set(file, own);
  try {
    return await own;
  } finally {
    if (queues.get(file) === own) queues.delete(file);
  }
}

// parseFrontmatter reads "name: value" lines between two lines of dashes.
export function parseFrontmatter(text) {
  const found = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
  const frontmatter = {};
  for (const line of found?.[1].split(/\r?\n/) ?? []) {
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (pair) frontmatter[pair[1]] = pair[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return { frontmatter, body: found ? text.slice(found[0].length) : text };
}

const words = (content) => (typeof content === "string" ? content : (content ?? []).filter((c) => c.type === "text").map((c) => c.text).join("\n"));
export const convertToLlm = (messages) => messages.map((m) => (["user", "assistant", "toolResult"].includes(m.role) ? m : { ...m, role: "user" }));
export const serializeConversation = (messages) => messages.map((m) => `[${m.role}]: ${words(m.content ?? m.summary)}`).join("\n\n");
export const calculateCost = (model, usage) => {
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"]) usage.cost[kind] = ((model.cost?.[kind] ?? 0) * usage[kind]) / 1e6;
  usage.cost.total = usage.cost.input + usage.cost.output + usage.cost.cacheRead + usage.cost.cacheWrite;
  return usage.cost;
};

// uuidv7 is a random id that sorts by the time it was made.
export function uuidv7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const time = Date.now();
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(time / 2 ** (8 * (5 - i))) & 0xff;
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return Buffer.from(bytes).toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// absent is in the place of a name that a package has and this program does not know. An extension
// that imports it loads; one that uses it gets an error that names it.
export function absent(name, specifier) {
  const fail = () => {
    throw new Error(`${name} of ${specifier} is not available in this program`);
  };
  const target = function () {};
  return new Proxy(target, {
    apply: fail,
    construct: fail,
    get(_, key) {
      if (key === "prototype") return target.prototype; // classes may extend it
      if (key === Symbol.toPrimitive || key === "toString" || key === "valueOf") return fail;
      return typeof key === "symbol" || key === "then" || key === "toJSON" ? undefined : absent(`${name}.${key}`, specifier);
    },
  });
}

// plainText is chalk without colours: every style gives the text as it is.
export const plainText = new Proxy((...texts) => texts.join(" "), {
  get(target, key) {
    if (key === "level") return 0;
    return typeof key === "symbol" || key in Function.prototype ? target[key] : /^(hex|bgHex|rgb|bgRgb|ansi256|bgAnsi256)$/.test(key) ? () => plainText : plainText;
  },
});

// missing is what the originals have in their own process, and this program does not give away.
const missing = (name, why) => () => {
  throw new Error(`${name} is not there: ${why}`);
};
const noTools = "the built-in tools run in the program itself, not among extensions";
const noModels = "models are called by the program, with keys that extensions do not see";
export const createBashTool = missing("createBashTool", noTools);
export const createReadTool = missing("createReadTool", noTools);
export const createWriteTool = missing("createWriteTool", noTools);
export const createEditTool = missing("createEditTool", noTools);
export const createGrepTool = missing("createGrepTool", noTools);
export const createFindTool = missing("createFindTool", noTools);
export const createLsTool = missing("createLsTool", noTools);
export const complete = missing("complete", noModels);
export const completeSimple = missing("completeSimple", noModels);
export const stream = missing("stream", noModels);
export const streamSimple = missing("streamSimple", noModels);
export const streamSimpleAnthropic = missing("streamSimpleAnthropic", noModels);
export const streamSimpleOpenAIResponses = missing("streamSimpleOpenAIResponses", noModels);
export const createAssistantMessageEventStream = missing("createAssistantMessageEventStream", noModels);
export const registerApiProvider = missing("registerApiProvider", noModels);
export const getModel = () => undefined;

export default { Type, StringEnum };

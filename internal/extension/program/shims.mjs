// What extensions import besides their own, where the user has not installed it: a small
// builder of JSON Schemas, and inert stand-ins for what draws on a terminal.

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

export const Key = new Proxy({}, { get: (_, name) => (typeof name === "string" ? name : undefined) });
export const matchesKey = () => false;
export const truncateToWidth = (text, width) => [...String(text)].slice(0, width).join("");
export const visibleWidth = (text) => [...String(text)].length;
export const wrapTextWithAnsi = (text) => String(text).split("\n");
export const getMarkdownTheme = () => ({});
export const getSelectListTheme = () => ({});

export default { Type, StringEnum };

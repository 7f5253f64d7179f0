/** A stretch of text with one style. */
export interface Span {
  text: string;
  /** Names of classes. */
  classes: string;
  color?: string | undefined;
  background?: string | undefined;
}

/** What SGR sequences have set. */
interface Style {
  flags: Set<string>;
  color: string | number | undefined;
  background: string | number | undefined;
}

const flags: Record<number, string> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 9: "strike" };
const ends: Record<number, string[]> = { 22: ["bold", "dim"], 23: ["italic"], 24: ["underline"], 27: ["inverse"], 29: ["strike"] };

// CSI, OSC, DCS and other sequences, in this order; group 1 and 2: the parameters and the final byte of a CSI.
const sequence = /\x1b(?:\[([0-9:;<=>?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])|\x9b[0-9:;<=>?]*[ -/]*[@-~]/g;

/**
 * Returns the stretches of a command's output. Colours and styles are kept, a carriage return goes to the beginning of the line
 * and a backspace back by one, and all other escape sequences are left out; other control characters are shown as signs.
 */
export function parseAnsi(text: string): Span[] {
  const spans: Span[] = [];
  const style: Style = { flags: new Set(), color: undefined, background: undefined };
  let last = 0;
  sequence.lastIndex = 0;
  for (let match = sequence.exec(text); match !== null; match = sequence.exec(text)) {
    push(spans, text.slice(last, match.index), style);
    last = match.index + match[0].length;
    if (match[2] === "m" && !/[<=>?]/.test(match[1] ?? "")) {
      setStyle(style, match[1] ?? "");
    }
  }
  push(spans, text.slice(last), style);
  return spans;
}

/** Adds a text of one style. */
function push(spans: Span[], text: string, style: Style): void {
  const plain = text.replace(/\r+\n/g, "\n");
  for (const [i, part] of plain.split("\r").entries()) {
    if (i > 0) {
      clearLine(spans);
    }
    add(spans, part, style);
  }
}

/** Removes what is after the last line feed. */
function clearLine(spans: Span[]): void {
  for (let last = spans.at(-1); last !== undefined; last = spans.at(-1)) {
    const at = last.text.lastIndexOf("\n");
    if (at >= 0) {
      last.text = last.text.slice(0, at + 1);
      return;
    }
    spans.pop();
  }
}

function add(spans: Span[], part: string, style: Style): void {
  let text = part;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/[^\b\n]\x08/g, "");
  }
  text = text.replace(/[\x00-\x08\x0b-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(/[\x7f-\x9f]/g, "\ufffd");
  if (text === "") {
    return;
  }
  const span: Span = { text, classes: classesOf(style), color: cssOf(style.color), background: cssOf(style.background) };
  const last = spans.at(-1);
  if (last !== undefined && last.classes === span.classes && last.color === span.color && last.background === span.background) {
    last.text += text;
  } else {
    spans.push(span);
  }
}

function classesOf({ flags, color, background }: Style): string {
  const names = [...flags].map((flag) => `ansi-${flag}`);
  if (typeof color === "number") {
    names.push(`ansi-fg-${color}`);
  }
  if (typeof background === "number") {
    names.push(`ansi-bg-${background}`);
  }
  return names.join(" ");
}

function cssOf(color: string | number | undefined): string | undefined {
  return typeof color === "string" ? color : undefined;
}

function setStyle(style: Style, params: string): void {
  const codes = params.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 0) {
      style.flags.clear();
      style.color = style.background = undefined;
    } else if (flags[code] !== undefined) {
      style.flags.add(flags[code]);
    } else if (ends[code] !== undefined) {
      ends[code].forEach((flag) => style.flags.delete(flag));
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      style.color = code % 10;
    } else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) {
      style.background = code % 10;
    } else if (code === 39) {
      style.color = undefined;
    } else if (code === 49) {
      style.background = undefined;
    } else if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(i + 1));
      i += used;
      if (code === 38) {
        style.color = color;
      } else {
        style.background = color;
      }
    }
  }
}

/** Returns the colour of 5;N or 2;R;G;B, and how many codes that are. */
function extendedColor([kind, a = 0, b = 0, c = 0]: number[]): [string | number | undefined, number] {
  if (kind === 5) {
    return [indexedColor(a), 2];
  }
  return kind === 2 ? [`rgb(${byte(a)} ${byte(b)} ${byte(c)})`, 4] : [undefined, 0];
}

function indexedColor(n: number): string | number {
  if (n < 16) {
    return n % 8;
  }
  if (n >= 232) {
    const grey = 8 + 10 * (Math.min(n, 255) - 232);
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const levels = [0, 95, 135, 175, 215, 255];
  const i = n - 16;
  return `rgb(${levels[Math.floor(i / 36)]} ${levels[Math.floor(i / 6) % 6]} ${levels[i % 6]})`;
}

function byte(n: number): number {
  return Number.isFinite(n) ? Math.min(255, Math.max(0, n)) : 0;
}

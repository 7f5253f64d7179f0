// Texts of models, tools and files as they may be shown.

// The characters that internal/invisible marks: controls, those without a width or with one of their own direction, blanks other
// than the space, private and reserved ones. Line feed, tab, the selectors of emoji and the Arabic, Syriac and Kaithi signs that
// have a form are visible.
const invisible = String.raw`(?![\t\n \ufe00-\ufe0f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Co}\p{DI}\p{NChar}\u2800]`;
// Of these, what is harmless in a text that is not approved: blanks, private characters, and a joiner after what it can join, as in
// many emoji and some scripts.
const harmless = String.raw`[\p{Zs}\p{Co}\u2800]|(?<=(?!\p{ASCII})[\p{L}\p{M}\p{S}])[\u200c\u200d]`;
const invisibleInCommand = new RegExp(invisible, "gu");
const invisibleInText = new RegExp(`(?!${harmless})${invisible}`, "gu");

/**
 * Returns what may be approved or run, such as a command or a path, in which characters that cannot be seen, or change the
 * direction of others, are signs, such as <U+202E>.
 */
export function showInvisible(text: string): string {
  return text.replace(invisibleInCommand, sign);
}

/** Returns a text that is read, and not approved, in which characters that change how the rest reads are signs. */
export function showInvisibleInText(text: string): string {
  return text.replace(invisibleInText, sign);
}

function sign(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** Returns a text without bidirectional controls that would change the order of what comes after it. */
export function isolate(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

/** How many lines a cut has to leave out at least. */
const worthCutting = 5;

/** Returns the first and the last lines of a text, and how many lines or characters between them are left out. */
export function cutMiddle(text: string, lines: number, characters: number): { head: string; tail: string; left: string } | undefined {
  const all = text.split("\n");
  if (all.length >= lines + worthCutting) {
    const half = Math.ceil(lines / 2);
    return { head: all.slice(0, half).join("\n"), tail: all.slice(half - lines).join("\n"), left: `${all.length - lines} more lines` };
  }
  if (text.length > characters) {
    const half = Math.ceil(characters / 2);
    return { head: text.slice(0, half), tail: text.slice(-half), left: `${text.length - characters} more characters` };
  }
  return undefined;
}

/** Returns an address if a link to it may be opened: http, https or mailto. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

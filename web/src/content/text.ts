// Texts of models, tools and files as they may be shown.

const invisible = /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;
// The controls but for tab and line feed, and tags, which cannot be seen either.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\u{e0000}-\u{e007f}]/gu;

/** Returns a text in which invisible and bidirectional control characters are signs, such as <U+202E>. */
export function showInvisible(text: string): string {
  return text.replace(invisible, sign).replace(control, sign);
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

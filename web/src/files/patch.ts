// A patch of the files that a session changed, for git apply.

import type { ChangedFile } from "../sdk.js";

/** Why a file is not in a patch. */
export type Omission = "outside" | "cut" | "missing";

/** A patch, and the files that are not in it. */
export interface Patch {
  text: string;
  omitted: { path: string; why: Omission }[];
}

/** Returns the patch of changes. Paths are relative to the workspace. */
export function patchOf(files: readonly ChangedFile[]): Patch {
  const patch: Patch = { text: "", omitted: [] };
  for (const file of files) {
    const why = omission(file);
    if (why === undefined) {
      patch.text += filePatch(file);
    } else {
      patch.omitted.push({ path: file.path, why });
    }
  }
  return patch;
}

function omission(file: ChangedFile): Omission | undefined {
  if (file.missing) {
    return "missing";
  }
  if (file.path.startsWith("/")) {
    return "outside";
  }
  if (file.cut) {
    return "cut";
  }
  return undefined;
}

/** Returns the patch of one file: its diff, with the header that git needs for files without a line. */
function filePatch(file: ChangedFile): string {
  const diff = file.diff === "" || file.diff.endsWith("\n") ? file.diff : `${file.diff}\n`;
  if (diff.includes("\n@@ ") || diff.startsWith("@@ ")) {
    return diff;
  }
  const [from, to] = [gitName(`a/${file.path}`), gitName(`b/${file.path}`)];
  const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"; // the hash of no bytes
  const none = "0".repeat(40);
  switch (file.op) {
    case "created":
      return `diff --git ${from} ${to}\nnew file mode 100644\nindex ${none}..${empty}\n`;
    case "deleted":
      return `diff --git ${from} ${to}\ndeleted file mode 100644\nindex ${empty}..${none}\n`;
    default:
      return ""; // nothing of its content changed
  }
}

/** Returns a name as git writes it: in quotes, with octal escapes, if it has other characters than the common ones. */
function gitName(name: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) {
    return name;
  }
  const bytes = new TextEncoder().encode(name);
  const escaped = Array.from(bytes, (c) => {
    const char = String.fromCharCode(c);
    return char === '"' || char === "\\" ? `\\${char}` : c < 0x20 || c > 0x7e ? `\\${c.toString(8).padStart(3, "0")}` : char;
  });
  return `"${escaped.join("")}"`;
}

/** Returns the name of the file that a patch is downloaded as. */
export function patchName(title: string): string {
  const words = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase();
  return `${words.slice(0, 60).replace(/-+$/, "") || "session"}.patch`;
}

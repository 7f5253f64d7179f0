// A unified diff as lines with their numbers.

/** A line of a diff. */
export interface DiffLine {
  kind: "hunk" | "added" | "removed" | "same" | "note";
  text: string;
  /** Its number before the change. */
  old?: number;
  /** Its number after the change. */
  new?: number;
}

/** Returns the lines of the hunks of one file. The header with the names is left out. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  let inHunk = false;
  for (const line of diff.split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (header !== null) {
      [at, to, inHunk] = [Number(header[1]), Number(header[2]), true];
      lines.push({ kind: "hunk", text: line });
    } else if (inHunk && line !== "") {
      const text = line.slice(1);
      switch (line[0]) {
        case "+":
          lines.push({ kind: "added", text, new: to++ });
          break;
        case "-":
          lines.push({ kind: "removed", text, old: at++ });
          break;
        case " ":
          lines.push({ kind: "same", text, old: at++, new: to++ });
          break;
        default:
          lines.push({ kind: "note", text: line.replace(/^\\ /, "") });
      }
    }
  }
  return lines;
}

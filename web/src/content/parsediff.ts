/** Lines of one sort that follow each other. */
export interface DiffRun {
  sort: "added" | "removed" | "same" | "hunk";
  text: string;
}

/** A unified diff as it is shown: the numbers of all lines in two columns, and the lines. */
export interface DiffView {
  before: string;
  after: string;
  runs: DiffRun[];
  /** How many lines were left out. */
  left: number;
}

/** How many runs a diff has at most, each being an element; the signs of further lines are in the last one. */
const mostRuns = 600;

/** Returns a unified diff without the names of its files, at most so many lines of it. */
export function parseDiff(diff: string, most: number): DiffView {
  const before: string[] = [];
  const after: string[] = [];
  const runs: DiffRun[] = [];
  let from = 0;
  let to = 0;
  let left = 0;
  const lines = diff.replace(/\n$/, "").split("\n");
  let inHunk = false;
  for (const line of lines) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk !== null) {
      from = Number(hunk[1]);
      to = Number(hunk[2]);
      if (inHunk && before.length < most) {
        before.push("");
        after.push("");
        addLine(runs, "hunk", `⋯${hunk[3] ?? ""}`);
      }
      inHunk = true;
      continue;
    }
    if (!inHunk) {
      continue; // --- and +++
    }
    if (before.length >= most) {
      left++;
      continue;
    }
    const sign = line[0];
    if (sign === "+") {
      before.push("");
      after.push(String(to++));
      addLine(runs, "added", line);
    } else if (sign === "-") {
      before.push(String(from++));
      after.push("");
      addLine(runs, "removed", line);
    } else if (sign === "\\") {
      before.push("");
      after.push("");
      addLine(runs, "hunk", line.slice(2));
    } else {
      before.push(String(from++));
      after.push(String(to++));
      addLine(runs, "same", line === "" ? " " : line);
    }
  }
  return { before: before.join("\n"), after: after.join("\n"), runs, left };
}

function addLine(runs: DiffRun[], sort: DiffRun["sort"], line: string): void {
  const last = runs.at(-1);
  if (last !== undefined && (last.sort === sort || runs.length >= mostRuns)) {
    last.text += `\n${line}`;
  } else {
    runs.push({ sort, text: line });
  }
}

// What an approval is about, in words.

import type { ApprovalRequest } from "../sdk.js";

/** Returns text with invisible and bidirectional controls, and other control characters, in a form that is seen. */
export function visible(text: string): string {
  return text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Returns what would run or be changed: a command, paths, an address, or the call as the host describes it. */
export function subjectOf(request: ApprovalRequest): string {
  if (request.command !== undefined && request.command !== "") {
    return visible(`$ ${request.command}`);
  }
  if (request.url !== undefined && request.url !== "") {
    return visible(request.url);
  }
  if (request.paths !== undefined && request.paths.length > 0) {
    return visible(request.paths.map(({ path, shown, write }) => `${write ? "write" : "read"} ${shown ?? path}`).join("\n"));
  }
  return visible(request.summary ?? request.tool);
}

/** Returns what a grant for the workspace would allow from then on. */
export function grantOf(request: ApprovalRequest): string {
  if (request.command !== undefined && request.command !== "") {
    return `this command, exactly as it is${request.dir === undefined ? "" : `, in ${visible(request.dir)}`}`;
  }
  if (request.url !== undefined && request.url !== "") {
    return `this address: ${visible(request.url)}`;
  }
  if (request.paths !== undefined && request.paths.length > 0) {
    return `${request.paths.length === 1 ? "this file" : "these files"}: ${request.paths.map(({ path }) => visible(path)).join(", ")}`;
  }
  return `this call of ${visible(request.tool)}, with exactly these arguments`;
}

import type { ApprovalRequest } from "../sdk.js";

/** Returns the grant that the answer "workspace" makes of a request: of exactly this call. */
export function grantOf({ tool, command, dir, url, server, paths = [] }: ApprovalRequest): string {
  const lines: string[] = [];
  if (command) {
    lines.push(`execute the command: ${command}`);
    if (dir) {
      lines.push(`in the folder: ${dir}`);
    }
  }
  if (url) {
    lines.push(`fetch the address: ${url}`);
  }
  if (server) {
    lines.push(`call the tool ${tool} of ${server} with these arguments`);
  }
  if (!command) {
    for (const { path, write } of paths) {
      lines.push(`${write ? "write" : "read"} the file: ${path}`);
    }
  }
  return lines.length > 0 ? lines.join("\n") : `call ${tool} in this way`;
}

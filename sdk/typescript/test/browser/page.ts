// A page: nothing of Node.js is there, neither types nor modules.

import { connect } from "parley-client";

export async function show(session: string, out: HTMLElement): Promise<void> {
  const client = await connect(location.origin.replace(/^http/, "ws"));
  for await (const record of client.session(session).follow({ transient: ["text_delta"] })) {
    if (record.kind === "text_delta") {
      out.append(record.data.text);
    }
  }
}

// @ts-expect-error: the page has a cookie
export const withToken = connect("wss://example.org", { token: "x" });

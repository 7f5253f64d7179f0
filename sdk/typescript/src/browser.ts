/**
 * The client for browsers: WebSocket only. The host knows the user by a cookie.
 *
 * @packageDocumentation
 */

import { Client, type Options } from "./client.js";
import { dialWebSocket } from "./websocket.js";

export * from "./exports.js";

/** Connects to the host at ws://HOST:PORT or wss://HOST:PORT, with the cookie of that host. */
export function connect(address: string, options: Options = {}): Promise<Client> {
  if (!/^wss?:\/\//.test(address)) {
    return Promise.reject(new TypeError(`address ${JSON.stringify(address)} is neither ws://… nor wss://…`));
  }
  return Client.open(
    dialWebSocket(address, (url, protocol) => new WebSocket(url, protocol)),
    options,
  );
}

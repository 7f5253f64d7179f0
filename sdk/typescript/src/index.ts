/**
 * The client for Node.js: hosts at Unix sockets and on the network, and processes of its own.
 *
 * @packageDocumentation
 */

import { Client, type Options } from "./client.js";
import { dialUnix, makeSocket, start, type ProcessOptions } from "./node.js";
import { dialWebSocket } from "./websocket.js";

export * from "./exports.js";
export type { ProcessOptions } from "./node.js";

/** How a client connects. */
export interface ConnectOptions extends Options {
  /** For ws:// and wss://. */
  token?: string | undefined;
}

/** How a process is started. */
export interface SpawnOptions extends Options, ProcessOptions {}

/** Connects to a host: at unix:PATH, or at ws://HOST:PORT or wss://HOST:PORT with a token. */
export async function connect(address: string, options: ConnectOptions = {}): Promise<Client> {
  if (address.startsWith("unix:")) {
    return Client.open(dialUnix(address.slice("unix:".length)), options);
  }
  if (/^wss?:\/\//.test(address)) {
    return Client.open(dialWebSocket(address, makeSocket(options.token)), options);
  }
  throw new TypeError(`address ${JSON.stringify(address)} is none of unix:PATH, ws://… and wss://…`);
}

/**
 * Starts parley rpc and connects to it. A process that ends is started again; its sessions are as it left them. Client.close ends
 * it: running turns end first.
 */
export async function spawn(options: SpawnOptions = {}): Promise<Client> {
  return Client.open(start(options), options);
}

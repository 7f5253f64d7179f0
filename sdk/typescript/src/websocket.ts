import type { Dial } from "./lines.js";

/** What is needed of a WebSocket, of the platform or of the package ws. */
export interface Socket {
  addEventListener(type: "open" | "close", listener: () => void): void;
  addEventListener(type: "error", listener: (event: { message?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  send(data: string): void;
  close(): void;
  /** Ends the connection at once; only ws has it. */
  terminate?(): void;
}

/** Makes a socket for an address. */
export type MakeSocket = (url: string, protocol: string) => Socket | Promise<Socket>;

/** Returns how to connect to the host at ws://HOST:PORT or wss://HOST:PORT. */
export function dialWebSocket(address: string, make: MakeSocket): Dial {
  return async (receiver, signal) => {
    const socket = await make(`${address.replace(/\/$/, "")}/v1/native`, "parley.v1");
    const closed = new Promise<void>((resolve) => socket.addEventListener("close", resolve));
    const end = () => socket.close();
    try {
      await new Promise<void>((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", ({ message }) => reject(new Error(message || `${address} does not answer as a host`)));
        socket.addEventListener("close", () => reject(new Error(`${address} has closed the connection`)));
        signal.addEventListener("abort", end, { once: true });
        signal.throwIfAborted();
      });
    } catch (error) {
      socket.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
    socket.addEventListener("message", ({ data }) => receiver.line(String(data)));
    socket.addEventListener("close", () => receiver.lost());
    return {
      send: (line) => socket.send(line),
      close: () => {
        if (socket.terminate === undefined) {
          socket.close();
        } else {
          socket.terminate();
        }
        return closed;
      },
    };
  };
}

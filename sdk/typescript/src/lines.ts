/** Lines carry one JSON value each, to the host. */
export interface Lines {
  /** Sends a line, without its end. A line that can no longer be sent is dropped: `lost` has been called, or will be. */
  send(line: string): void;
  /** Ends the connection. The promise is resolved when nothing of it is left. */
  close(): Promise<void>;
}

/** What a connection calls. */
export interface Receiver {
  line(line: string): void;
  /** Called once, after the last line. */
  lost(): void;
}

/** Makes a connection. An error, or an abort, leaves nothing of it. */
export type Dial = (receiver: Receiver, signal: AbortSignal) => Promise<Lines>;

/** Calls a function once if a signal is aborted, now or later. The result takes it back. */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal?.aborted) {
    run();
    return () => {};
  }
  signal?.addEventListener("abort", run, { once: true });
  return () => signal?.removeEventListener("abort", run);
}

/** Waits for a promise, or throws the reason of the signal if that is aborted first. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let takeBack = () => {};
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        takeBack = onAbort(signal, () => reject(signal?.reason));
      }),
    ]);
  } finally {
    takeBack();
  }
}

/** Waits some milliseconds, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      takeBack();
      resolve();
    }, ms);
    const takeBack = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

import type { ErrorData } from "./protocol.js";

/** A request that the host has refused. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** The code of JSON-RPC, or of docs/native.md. */
  readonly code: number;
  /** A stable word, such as no_session, busy or answered. */
  readonly kind: string;
  /** Everything that the host says about it. */
  readonly data: ErrorData;

  constructor(code: number, message: string, data: ErrorData | undefined) {
    super(message);
    this.code = code;
    this.data = data ?? { kind: "" };
    this.kind = this.data.kind;
  }
}

/** Reports whether an error is a RequestError of this kind. */
export function isKind(error: unknown, kind: string): error is RequestError {
  return error instanceof RequestError && error.kind === kind;
}

/** No connection could be made; `cause` is why. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
}

/**
 * The connection was lost before the answer to a request came that must not be repeated: whether the host has done it is not
 * known.
 */
export class LostError extends Error {
  override readonly name = "LostError";

  constructor() {
    super("the connection was lost before the answer came");
  }
}

/** The client is closed. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";

  constructor() {
    super("the client is closed");
  }
}

/** The client follows the session already. */
export class FollowedError extends Error {
  override readonly name = "FollowedError";

  constructor() {
    super("the client follows the session already");
  }
}

// The SDK as the page uses it. Everything else imports it from here.

export { Client } from "../../sdk/typescript/src/client.js";
export { dialWebSocket } from "../../sdk/typescript/src/websocket.js";
export { ClosedError, LostError, RequestError, isKind } from "../../sdk/typescript/src/errors.js";
export type { Session } from "../../sdk/typescript/src/session.js";
export type { Dial, Receiver } from "../../sdk/typescript/src/lines.js";
export type { Method, ParamsOf, ResultOf } from "../../sdk/typescript/src/client.js";
export type { Client as Peer } from "../../sdk/typescript/src/protocol.js";
export type * from "../../sdk/typescript/src/protocol.js";

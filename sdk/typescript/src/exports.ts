export { Client, type CallOptions, type Method, type NewSession, type Options, type ParamsOf, type ResultOf } from "./client.js";
export { ClosedError, ConnectError, FollowedError, LostError, RequestError, isKind } from "./errors.js";
export { type FollowOptions, type Prompt, type RecordsOptions, type Session, type TurnPrompt } from "./session.js";
export type { Client as Peer } from "./protocol.js";
export type * from "./protocol.js";

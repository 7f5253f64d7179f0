// Links that share a session.

import type { Role, Token, TokenCreateParams } from "../sdk.js";

/** How long a link is valid, in hours; 0: for ever. */
export const lifetimes = [
  { label: "In 1 hour", hours: 1 },
  { label: "In 1 day", hours: 24 },
  { label: "In 7 days", hours: 7 * 24 },
  { label: "In 30 days", hours: 30 * 24 },
  { label: "Never", hours: 0 },
] as const;

/** What each role may do, in words. */
export const roles: readonly { role: Role; label: string }[] = [
  { role: "viewer", label: "Viewer: reads" },
  { role: "reviewer", label: "Reviewer: also answers approvals and questions" },
  { role: "driver", label: "Driver: also sends prompts and changes settings" },
];

/** How long the name of a token may be. */
const maxName = 60;

/** Returns the params of a token that is limited to one session. */
export function tokenFor(session: string, title: string, role: Role, hours: number, now = Date.now()): TokenCreateParams {
  const name = `Link to ${title || session}`;
  const params: TokenCreateParams = { role, name: name.length > maxName ? `${name.slice(0, maxName - 1)}…` : name, sessions: [session] };
  return hours === 0 ? params : { ...params, expires: new Date(now + hours * 3_600_000).toISOString() };
}

/** Returns the link that signs a browser in with a token, and shows the session. */
export function linkOf(origin: string, session: string, token: string): string {
  return `${origin}/s/${encodeURIComponent(session)}#t=${encodeURIComponent(token)}`;
}

/** Returns the tokens that are limited to a session alone, the newest first. */
export function tokensOf(tokens: readonly Token[], session: string): Token[] {
  return tokens.filter(({ sessions }) => sessions?.length === 1 && sessions[0] === session).toSorted((a, b) => Date.parse(b.created) - Date.parse(a.created));
}

/** Reports whether only this computer can reach an origin. */
export function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

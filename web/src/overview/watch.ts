// The sessions that are open on the host, by host/watch.

import { effect, signal } from "@preact/signals";
import { client, connections, onNotification } from "../connection.js";
import type { HostSession } from "../sdk.js";

/** What the host has last said of each open session. */
export const openSessions = signal<ReadonlyMap<string, HostSession>>(new Map());

/** Returns the sessions after a notification. */
export function withNote(sessions: ReadonlyMap<string, HostSession>, note: HostSession): ReadonlyMap<string, HostSession> {
  const next = new Map(sessions);
  if (note.open) {
    next.set(note.session, note);
  } else {
    next.delete(note.session);
  }
  return next;
}

onNotification((notification) => {
  if (notification.method === "host/session") {
    openSessions.value = withNote(openSessions.peek(), notification.params);
  }
});

// Each connection is notified of all open sessions first. Without a connection there is nothing to show.
effect(() => {
  if (connections.value > 0) {
    openSessions.value = new Map();
  }
});
effect(() => {
  if (connections.value > 0) {
    client.value?.request("host/watch", {}).catch(() => {}); // the client is closed: the page is signed out
  }
});
effect(() => {
  if (client.value === undefined) {
    openSessions.value = new Map();
  }
});

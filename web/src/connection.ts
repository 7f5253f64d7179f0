import { computed, signal } from "@preact/signals";
import { Client, dialWebSocket, type Dial, type InitializeResult, type Notification, type Receiver, type Role } from "./sdk.js";
import { checkSignedIn, signIn } from "./signin.js";

/** What the page knows of its host. */
export type Phase =
  | { name: "connecting" }
  | { name: "connected" }
  | { name: "lost" } // it is tried again until it is back
  | { name: "signed-out"; reason: string };

/** How long the answer to a ping may take, also after the browser has lost its network, and how often one is sent, in milliseconds. */
const pingWait = 8_000;
const offlineWait = 1_000;
const pingEvery = 15_000;

/** How long the SDK tries to connect again: as long as a timer can be. */
const forever = 2 ** 31 - 1;

export const phase = signal<Phase>({ name: "connecting" });
/** What the host has answered to initialize. */
export const host = signal<InitializeResult | undefined>(undefined);
/** The client, from the first connection until the sign-in ends. */
export const client = signal<Client | undefined>(undefined);
/** Counts connections: what belongs to a connection, such as a state that was read, is requested again when it changes. */
export const connections = signal(0);

const ranks: Role[] = ["viewer", "reviewer", "driver", "owner"];

/** Reports whether the user has a role, or a higher one. */
export function hasRole(role: Role): boolean {
  return host.value !== undefined && ranks.indexOf(host.value.role) >= ranks.indexOf(role);
}

/** Whether requests are answered now. */
export const connected = computed(() => phase.value.name === "connected");

const listeners = new Set<(notification: Notification) => void>();

/** Calls a function with each notification but those of records. The result ends that. */
export function onNotification(listener: (notification: Notification) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The receiver of the current socket. */
let receiver: Receiver | undefined;
/** Whether the next attempt has to check first whether the user is still signed in. */
let suspicious = false;

/** Signs in by the link of the address, if it has one, and connects. It returns when the page is connected or signed out. */
export async function start(): Promise<void> {
  const refusal = await signIn();
  if (!(await checkSignedIn())) {
    signOut(refusal); // without an attempt to connect, which would count as a wrong one
    return;
  }
  for (let pause = 50; ; pause = Math.min(2 * pause, 2000)) {
    try {
      client.value = await Client.open(dial, {
        name: "parley-web",
        patienceMs: forever,
        maxWaiting: 64 << 20,
        onConnect: (initialized) => {
          host.value = initialized;
          phase.value = { name: "connected" };
          connections.value++;
        },
        onNotification: (notification) => listeners.forEach((listener) => listener(notification)),
      });
      return;
    } catch {
      if (phase.value.name === "signed-out") {
        return;
      }
      if (!(await checkSignedIn())) {
        signOut(refusal);
        return;
      }
      phase.value = { name: "lost" };
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Makes a WebSocket of the page's own origin, and sees when it is lost. */
const dial: Dial = async (to, signal) => {
  receiver = to;
  const address = location.origin.replace(/^http/, "ws");
  const lines = await dialWebSocket(address, async (url, protocol) => {
    if (suspicious && !(await checkSignedIn())) {
      signOut("");
    }
    suspicious = true;
    signal.throwIfAborted();
    const socket = new WebSocket(url, protocol);
    socket.addEventListener("close", ({ code }) => setTimeout(() => lost(to, code)));
    return socket;
  })(to, signal);
  suspicious = false;
  return lines;
};

/** The close code of a connection whose token was revoked or has expired. */
const policyViolation = 1008;

/** Begins to connect again. */
function lost(from: Receiver, code?: number): void {
  if (code === policyViolation) {
    signOut("The sign-in was revoked or has expired.");
  }
  if (from !== receiver || phase.value.name !== "connected") {
    return;
  }
  phase.value = { name: "lost" };
  suspicious = true;
  client.value?.request("ping", {}).catch(() => {}); // makes the connection
}

/** Ends the connection and removes everything of the host from the page. */
function signOut(reason: string): void {
  const ending = client.value;
  client.value = undefined;
  host.value = undefined;
  phase.value = { name: "signed-out", reason };
  void ending?.close();
}

/** Checks that the host answers, and gives the connection up if it does not. */
async function checkAlive(wait = pingWait): Promise<void> {
  const checked = receiver;
  if (phase.value.name !== "connected" || checked === undefined) {
    return;
  }
  let answered = false;
  const timer = setTimeout(() => {
    // What came while the page was busy is read first.
    setTimeout(() => {
      if (!answered) {
        checked.lost();
        lost(checked);
      }
    }, 500);
  }, wait);
  try {
    await client.value?.request("ping", {});
    answered = true;
  } catch {
    // it is lost, or the page is signed out
  } finally {
    clearTimeout(timer);
  }
}

setInterval(() => void checkAlive(), pingEvery);
addEventListener("offline", () => void checkAlive(offlineWait));
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") {
    void checkAlive();
  }
});

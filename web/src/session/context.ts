import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SessionStore } from "./store.js";

/** The session that a part of the page belongs to. */
export const SessionContext = createContext<SessionStore | undefined>(undefined);

export function useSession(): SessionStore {
  const store = useContext(SessionContext);
  if (store === undefined) {
    throw new Error("this part of the page belongs to no session");
  }
  return store;
}

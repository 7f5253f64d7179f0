/** Prompts that were not sent, by session. They end with the tab. */
const prefix = "parley-draft:";

export function readDraft(session: string): string {
  return sessionStorage.getItem(prefix + session) ?? "";
}

export function saveDraft(session: string, text: string): void {
  try {
    if (text === "") {
      sessionStorage.removeItem(prefix + session);
    } else {
      sessionStorage.setItem(prefix + session, text);
    }
  } catch {
    // it is too long to be stored: it is in the field until the page is left
  }
}

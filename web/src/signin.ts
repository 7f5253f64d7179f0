/**
 * Exchanges the one-time link of the address (`#t=…`) for a cookie, and removes it from the address first, so that it is in no
 * history and in no bookmark. It returns why the host refuses the link, or "".
 */
export async function signIn(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get("t");
  if (code === null) {
    return "";
  }
  history.replaceState(null, "", location.pathname);
  for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
    try {
      const answer = await fetch("/v1/signin", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ t: code }),
      });
      return answer.ok ? "" : (await answer.text()).replace(/^\d+: /, "").trim();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause)); // the host does not answer: the link may still be valid
    }
  }
}

/** Reports whether the cookie of the page is valid, or whether that is not known now. */
export async function checkSignedIn(): Promise<boolean> {
  try {
    const { status } = await fetch("/v1/me", { cache: "no-store" });
    return status !== 401 && status !== 403;
  } catch {
    return true;
  }
}

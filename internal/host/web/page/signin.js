// Exchanges the one-time link that led here for a cookie. The link is removed from the address first, so that it is in no
// history and in no bookmark.
"use strict";

const code = new URLSearchParams(location.hash.slice(1)).get("t");
const state = document.getElementById("state");

async function signIn() {
  history.replaceState(null, "", location.pathname);
  const answer = await fetch("/v1/signin", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ t: code }),
  });
  if (answer.ok) {
    state.textContent = "Signed in.";
    return;
  }
  state.textContent = "Not signed in. " + (await answer.text()).replace(/^\d+: /, "");
}

if (code !== null) {
  signIn().catch(() => {
    state.textContent = "Not signed in: the host does not answer.";
  });
}

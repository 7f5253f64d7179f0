import type { JSX } from "preact";
import { phase } from "./connection.js";
import { Files } from "./files/files.js";
import { Toasts } from "./kit/toast.js";
import { NotSignedIn } from "./notsignedin.js";
import { Overview } from "./overview/overview.js";
import { Link, route } from "./router.js";
import { Conversation } from "./conversation/conversation.js";
import { SessionPage } from "./session/page.js";
import { Shortcuts } from "./shortcuts.js";
import { Timeline } from "./timeline/timeline.js";
import { Usage } from "./usage/usage.js";

/** The page: what the address shows, once the host has let the user in. */
export function App(): JSX.Element {
  const { name } = phase.value;
  if (phase.value.name === "signed-out") {
    return <NotSignedIn reason={phase.value.reason} />;
  }
  return (
    <>
      {name === "lost" && (
        <div class="lost" role="alert">
          Connection lost
          <span aria-hidden="true"> · trying again…</span>
        </div>
      )}
      <Page />
      <Shortcuts />
      <Toasts />
    </>
  );
}

function Page(): JSX.Element {
  const current = route.value;
  switch (current.page) {
    case "overview":
      return <Overview />;
    case "usage":
      return <Usage />;
    case "session":
      return <SessionPage key={current.session} id={current.session} view="conversation" content={Conversation} />;
    case "files":
      return <SessionPage key={current.session} id={current.session} view="files" content={Files} />;
    case "timeline":
      return <SessionPage key={current.session} id={current.session} view="timeline" content={Timeline} />;
    case "unknown":
      return (
        <main class="empty">
          <h1>There is no such page</h1>
          <p>
            <Link href="/">Overview</Link>
          </p>
        </main>
      );
  }
}

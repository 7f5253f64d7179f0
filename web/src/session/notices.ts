import type { BackendOpened, NoticeLevel, Peer, SessionRecord, Settings, TurnEnded } from "../sdk.js";
import { formatCount } from "../kit/format.js";

/** The text of a notice. */
interface Notice {
  level: NoticeLevel;
  text: string;
  detail?: string;
}

/** Returns what the user should know of a record; undefined: nothing. */
export function noticeOf(record: SessionRecord): Notice | undefined {
  switch (record.kind) {
    case "turn_ended":
      return turnNotice(record.data);
    case "notice":
      return { level: record.data.level, text: record.data.text };
    case "compacted": {
      const { tokens_before, tokens_after, summary, agent } = record.data;
      if (agent === true) {
        return { level: "info", text: "The agent of the back end has summarised its own context", detail: summary };
      }
      return { level: "info", text: `Compacted from ${formatCount(tokens_before)} to ${formatCount(tokens_after)} tokens`, detail: summary };
    }
    case "backend_opened":
      return { level: "info", text: backendText(record.data) };
    case "branched":
      return { level: "info", text: `Went back: ${count(record.data.removed, "message")} left the history` };
    case "budget_warned":
    case "budget_exceeded":
      return { level: "warning", text: record.data.text };
    case "hook_ran":
      return record.data.decision === "deny" ? { level: "warning", text: `Hook ${record.data.hook}: ${record.data.reason ?? "denied"}` } : undefined;
    case "objected":
      return { level: "warning", text: `Rules not met: ${record.data.rules.join(", ")}` };
    case "reminded":
      return { level: "info", text: `Reminded of ${count(record.data.tasks.length, "open task")}` };
    case "pictures_refused":
      return { level: "warning", text: `${record.data.model} cannot read ${count(record.data.pictures.length, "image")} of this session` };
    case "text_refused":
      return { level: "warning", text: `The provider refuses a text of this session, which ${record.data.model} is no longer sent` };
    default:
      return undefined;
  }
}

/** Returns a line about a session of an agent. */
function backendText({ backend, program, version, resumed, forked, told }: BackendOpened): string {
  const what = (forked ?? 0) > 0 ? "session copied" : resumed === true ? "session resumed" : "session begun";
  const name = [program, version].filter((part) => part !== undefined && part !== "").join(" ");
  const text = `${backend}: ${what}${name === "" ? "" : ` (${name})`}`;
  return (told ?? 0) > 0 ? `${text}, received ${count(told ?? 0, "message")} as text` : text;
}

function turnNotice({ reason, failure, client }: TurnEnded): Notice | undefined {
  switch (reason) {
    case "completed":
      return undefined;
    case "interrupted":
      return { level: "info", text: `Interrupted${client === undefined || client.name === "parley-web" ? "" : ` by ${client.name}`}` };
    case "budget":
      return { level: "warning", text: "budget is used up" };
    case "step_limit":
      return { level: "warning", text: "Stopped: the limit of steps is reached" };
    case "max_tokens":
      return { level: "warning", text: "Stopped: the answer is as long as the model may write" };
    case "refused":
      return { level: "warning", text: "The model refused to answer" };
    case "failed":
      return { level: "error", text: `Failed: ${failure?.message ?? "the reason is not known"}` };
  }
}

/** Returns a sentence of what is different between two settings, "" if that is nothing that the page shows. */
export function settingsNotice(before: Settings, after: Settings, client: Peer | undefined): string {
  const changes: string[] = [];
  const compare = (label: string, from: string | undefined, to: string | undefined, since: string) => {
    if (from !== to) {
      changes.push(`${label}: ${to ?? "default"} (from the ${since} on)`);
    }
  };
  compare("Model", before.model, after.model, "next model call");
  compare("Back end", before.backend, after.backend, "next turn");
  compare("Reasoning", before.thinking, after.thinking, "next model call");
  compare("Mode", before.mode, after.mode, "next call");
  compare("Sandbox", before.sandbox?.kind, after.sandbox?.kind, "next turn");
  compare("Name", before.name, after.name, "now");
  const text = changes.join(" · ").replace(" (from the now on)", "");
  return text !== "" && client !== undefined && client.name !== "parley-web" ? `${text}, by ${client.name}` : text;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { client } from "../connection.js";
import { Output } from "../content/output.js";
import { showInvisibleInText } from "../content/text.js";
import { formatCount } from "../kit/format.js";
import { Icon } from "../kit/icon.js";
import { Link, sessionPath } from "../router.js";
import type { Session } from "../sdk.js";
import { foldRecords } from "../session/fold.js";
import type { Item, Subagent, SubagentItem } from "../session/items.js";
import { sentence } from "../session/store.js";
import { Block, CallState } from "./block.js";
import { Row } from "./row.js";

/** How many records of a subagent are shown in the conversation that has started it: the last ones. */
const fewRecords = 100;

/** A call that starts subagents: each can be opened. */
export function SubagentCall({ item: { agents, status, ran, output } }: { item: SubagentItem }): JSX.Element {
  return (
    <Block
      name="Subagent"
      icon="subagent"
      class={`call call-${status}`}
      title={agents.length === 1 ? "1 subagent" : `${agents.length} subagents`}
      aside={<CallState status={status} ran={ran} />}
    >
      <ul class="agents">
        {agents.map((agent) => (
          <Agent key={agent.task} agent={agent} />
        ))}
      </ul>
      {agents.length === 0 && <Output text={output} label="Result" fromStart />}
    </Block>
  );
}

function Agent({ agent: { task, agent, session, exitCode, progress, result } }: { agent: Subagent }): JSX.Element {
  const [open, setOpen] = useState(false);
  const state = exitCode === undefined ? (progress?.status ?? "running") : exitCode === 0 ? "completed" : "failed";
  return (
    <li class="agent">
      <div class="agent-line">
        <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" />
          <span class="tool-name">{showInvisibleInText(task)}</span>
          <span class="muted">{agent}</span>
        </button>
        <span class={`call-state agent-${state}`}>{state}</span>
        {progress !== undefined && (
          <span class="muted small">
            {progress.calls} calls · {formatCount(progress.tokens)} tokens{progress.current ? ` · ${progress.current}` : ""}
          </span>
        )}
        {session !== undefined && <Link href={sessionPath(session)}>Open session</Link>}
      </div>
      {open && (
        <div class="agent-records">
          {session !== undefined && <Records session={session} version={`${state}${progress?.calls ?? ""}`} />}
          {session === undefined && result !== undefined && <Output text={result.output} label="Result" fromStart />}
        </div>
      )}
    </li>
  );
}

/** The last items of a subagent's session. */
function Records({ session, version }: { session: string; version: string }): JSX.Element {
  const [items, setItems] = useState<Item[]>([]);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const source: Session | undefined = client.value?.session(session);
    source?.request("session/state", {})
      .then(({ head }) => source.records({ before: head + 1, limit: fewRecords }))
      .then(
        ({ records }) => setItems(foldRecords(records)),
        (error: unknown) => setFailure(sentence(error)),
      );
  }, [session, version]);
  return (
    <>
      {failure !== "" && <p class="failure">{failure}</p>}
      {items
        .filter(({ kind }) => kind !== "approval" && kind !== "question" && kind !== "you")
        .map((item) => (
          <Row key={item.key} item={item} />
        ))}
    </>
  );
}

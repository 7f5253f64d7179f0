import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { client } from "../connection.js";
import { formatCost, formatCount } from "../kit/format.js";
import { Select } from "../kit/select.js";
import { titleOf } from "../overview/merge.js";
import { shortPath } from "../overview/row.js";
import { Link, sessionPath } from "../router.js";
import type { Listed } from "../sdk.js";
import { Shell } from "../shell.js";
import { DayChart } from "./chart.js";
import { groupUsage, localDay, totalOf, withEmptyDays, type Amounts } from "./fold.js";
import { UsageReader } from "./reader.js";
import { UsageTable } from "./table.js";

/** The periods that can be chosen, in days; 0: all. */
const periods = [
  { days: 7, label: "Last 7 days" },
  { days: 30, label: "Last 30 days" },
  { days: 90, label: "Last 90 days" },
  { days: 0, label: "All the time" },
];

/** Tokens and cost by day, model, workspace and session. */
export function Usage(): JSX.Element {
  const [days, setDays] = useState(30);
  const reader = useReader(days);
  useLayoutEffect(() => {
    document.title = "Usage · Parley";
  }, []);
  return (
    <Shell current="usage">
      <main id="content" tabIndex={-1} class="page">
        <section class="usage" aria-label="Usage" aria-busy={reader?.state.value !== "ready"}>
          <header class="page-header">
            <h1>Usage</h1>
            <Select
              label="Period"
              value={String(days)}
              options={periods.map(({ days, label }) => ({ value: String(days), label }))}
              onChange={(value) => setDays(Number(value))}
            />
          </header>
          {reader !== undefined && <Content reader={reader} days={days} />}
        </section>
      </main>
    </Shell>
  );
}

function Content({ reader, days }: { reader: UsageReader; days: number }): JSX.Element {
  const [measure, setMeasure] = useState<"cost" | "tokens">();
  const entries = reader.entries.value;
  const sessions = reader.sessions.value;
  const total = totalOf(entries);
  const byCost = (measure ?? (total.cost > 0 ? "cost" : "tokens")) === "cost";
  const byDay = groupUsage(entries, "day");
  return (
    <>
      <Progress reader={reader} />
      {reader.state.value === "ready" && entries.length === 0 && <p class="nothing">No model was called in this time.</p>}
      {entries.length > 0 && (
        <>
          <Totals total={total} sessions={new Set(entries.map((entry) => entry.session)).size} />
          <div class="card">
            <header class="card-header">
              <h2>By day</h2>
              <div class="button-group" role="group" aria-label="Show">
                <button type="button" class="button button-small" aria-pressed={byCost} onClick={() => setMeasure("cost")}>
                  Cost
                </button>
                <button type="button" class="button button-small" aria-pressed={!byCost} onClick={() => setMeasure("tokens")}>
                  Tokens
                </button>
              </div>
            </header>
            <DayChart rows={withEmptyDays(byDay, days === 0 ? byDay[0]!.key : localDay(daysAgo(days - 1)), localDay(new Date()))} byCost={byCost} />
            <UsageTable caption="Usage by day" head="Day" rows={byDay.toReversed()} byCost={byCost} label={({ key }) => <time dateTime={key}>{dayText(key)}</time>} />
          </div>
          <div class="card">
            <header class="card-header">
              <h2>By model</h2>
            </header>
            <UsageTable caption="Usage by model" head="Model" rows={groupUsage(entries, "model")} byCost={byCost} label={({ key }) => key} />
          </div>
          <div class="card">
            <header class="card-header">
              <h2>By workspace</h2>
            </header>
            <UsageTable
              caption="Usage by workspace"
              head="Workspace"
              rows={groupUsage(entries, "workspace")}
              byCost={byCost}
              label={({ key }) => <span title={key}>{shortPath(key)}</span>}
            />
          </div>
          <div class="card">
            <header class="card-header">
              <h2>By session</h2>
            </header>
            <UsageTable caption="Usage by session" head="Session" rows={groupUsage(entries, "session")} byCost={byCost} label={({ key }) => <SessionLink id={key} sessions={sessions} />} />
          </div>
        </>
      )}
    </>
  );
}

function SessionLink({ id, sessions }: { id: string; sessions: ReadonlyMap<string, Listed> }): JSX.Element {
  return <Link href={sessionPath(id)}>{titleOf(sessions.get(id) ?? {})}</Link>;
}

/** How far the sessions were read, and what could not be. */
function Progress({ reader }: { reader: UsageReader }): JSX.Element {
  const [state, done, all] = [reader.state.value, reader.done.value, reader.sessions.value.size];
  return (
    <>
      {state !== "ready" && (
        <div class="usage-progress">
          <progress aria-label="Sessions read" max={Math.max(all, 1)} value={done} />
          <p class="muted small" role="status">
            {state === "listing" ? "Looking for sessions…" : `Reading session ${Math.min(done + 1, all)} of ${all}…`}
          </p>
        </div>
      )}
      {reader.failure.value !== "" && (
        <p class="form-error" role="alert">
          {reader.failure.value}
        </p>
      )}
      {reader.failed.value > 0 && (
        <p class="muted small usage-note">
          {reader.failed.value} {reader.failed.value === 1 ? "session is" : "sessions are"} not counted: another program uses them, or they are damaged.
        </p>
      )}
      {state === "ready" && reader.more.value && (
        <p class="usage-note">
          <span class="muted small">The last {all} sessions are counted. </span>
          <button type="button" class="button button-small" onClick={() => void reader.readMore()}>
            Count more
          </button>
        </p>
      )}
    </>
  );
}

function Totals({ total, sessions }: { total: Amounts; sessions: number }): JSX.Element {
  const cached = total.input === 0 ? 0 : Math.round((100 * total.cached) / total.input);
  const list: [string, string, string][] = [
    ["Cost", formatCost(total.cost), ""],
    ["Tokens in", formatCount(total.input), `${cached}% from caches`],
    ["Tokens out", formatCount(total.output), ""],
    ["Model calls", formatCount(total.calls), ""],
    ["Sessions", formatCount(sessions), ""],
  ];
  return (
    <>
      <dl class="usage-totals">
        {list.map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {note !== "" && <span class="muted small"> {note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {total.estimated && <p class="muted small usage-note">Some counts are estimates: their model server reports none. Models without a price cost nothing here.</p>}
    </>
  );
}

/** A day as users read it. */
function dayText(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { weekday: "short", year: "numeric", month: "short", day: "numeric" });
}

/** Returns the beginning of a day. */
function daysAgo(days: number): Date {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - days);
  return day;
}

/** Returns the reader of a period. */
function useReader(days: number): UsageReader | undefined {
  const [reader, setReader] = useState<UsageReader>();
  const current = client.value;
  useEffect(() => {
    if (current === undefined) {
      return undefined;
    }
    const opened = new UsageReader(current, days === 0 ? 0 : daysAgo(days - 1).getTime());
    setReader(opened);
    void opened.readMore();
    return () => opened.close();
  }, [current, days]);
  return reader;
}

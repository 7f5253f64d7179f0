import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { connections } from "../connection.js";
import type { SessionStore } from "../session/store.js";
import { TurnChart } from "./chart.js";
import { coveredTime, endOf, timelineOf, type BarKind, type TurnBars } from "./fold.js";
import { TimelineRecords } from "./records.js";
import { kindNames, spanText } from "./text.js";
import { TurnTable } from "./table.js";

/** How many bars are shown before "Show earlier turns". */
const barsAtOnce = 150;

const maxZoom = 64;

/** What the session did when: model calls, tools, waits and compactions of each turn, the last turn first. */
export function Timeline({ store }: { store: SessionStore }): JSX.Element {
  const records = useRecords(store);
  const [asTable, setAsTable] = useState(false);
  const [zoom, setZoom] = useState(1);
  const [limit, setLimit] = useState(barsAtOnce);
  const list = records?.records.value;
  const last = records?.more.value ? store.state.value?.turns : undefined;
  const turns = useMemo(() => numbered(timelineOf(list ?? []).filter((turn) => !turn.partial || !records?.more.value), last), [list, last]);
  const shown = lastTurns(turns, limit);
  const now = useNow(shown.some(({ turn }) => turn.end === undefined));
  const hasMore = shown.length < turns.length || (records?.more.value ?? false);

  const showEarlier = () => {
    setLimit(limit + barsAtOnce);
    if (shown.length + 20 > turns.length && records?.more.value) {
      records.readEarlier();
    }
  };
  return (
    <section class="page timeline" aria-label="Timeline" aria-busy={!records?.ready.value}>
      <header class="page-header">
        <h2>Timeline</h2>
        <div class="timeline-tools">
          {!asTable && (
            <div class="button-group" role="group" aria-label="Zoom">
              <button type="button" class="button button-small" aria-label="Zoom out" disabled={zoom === 1} onClick={() => setZoom(Math.max(1, zoom / 2))}>
                −
              </button>
              <button type="button" class="button button-small" disabled={zoom === 1} onClick={() => setZoom(1)}>
                Fit
              </button>
              <button type="button" class="button button-small" aria-label="Zoom in" disabled={zoom === maxZoom} onClick={() => setZoom(Math.min(maxZoom, zoom * 2))}>
                +
              </button>
            </div>
          )}
          <div class="button-group" role="group" aria-label="View">
            <button type="button" class="button button-small" aria-pressed={!asTable} onClick={() => setAsTable(false)}>
              Chart
            </button>
            <button type="button" class="button button-small" aria-pressed={asTable} onClick={() => setAsTable(true)}>
              Table
            </button>
          </div>
        </div>
      </header>
      {records !== undefined && records.failure.value !== "" && (
        <p class="form-error" role="alert">
          {records.failure.value}
        </p>
      )}
      {records?.ready.value && turns.length === 0 && <p class="nothing">Nothing has happened in this session yet.</p>}
      {shown.length > 0 && <Totals turns={shown.map(({ turn }) => turn)} now={now} />}
      {shown.map(({ turn, number }) => (
        <article key={turn.id} class="turn" aria-label={turnName(turn, number)}>
          <header class="turn-header">
            <h3>
              {number !== undefined && <span class="turn-number">{number}</span>} {turn.prompt || turnName(turn, number)}
            </h3>
            <p class="muted small">
              <time dateTime={new Date(turn.start).toISOString()}>{new Date(turn.start).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })}</time>
              {" · "}
              {spanText(endOf(turn, now) - turn.start)}
              {" · "}
              {turn.reason === "" ? "running" : turn.reason.replace("_", " ")}
            </p>
          </header>
          {!asTable && <TurnChart turn={turn} now={now} zoom={zoom} />}
          <TurnTable turn={turn} now={now} hidden={!asTable} />
        </article>
      ))}
      {hasMore && (
        <button type="button" class="button more" onClick={showEarlier}>
          Show earlier turns
        </button>
      )}
    </section>
  );
}

/** A turn, and its number if that is known. */
interface NumberedTurn {
  turn: TurnBars;
  number: number | undefined;
}

/** Returns the turns with their numbers, of which the last one is known if not all were read. */
function numbered(turns: readonly TurnBars[], last: number | undefined): NumberedTurn[] {
  const hasNumber = (turn: TurnBars) => !turn.id.startsWith("command-") && !turn.id.startsWith("compaction-");
  let number = last === undefined ? 0 : last - turns.filter(hasNumber).length;
  return turns.map((turn) => ({ turn, number: hasNumber(turn) ? ++number : undefined }));
}

/** Returns the last turns that have about so many bars, the last one first. */
function lastTurns(turns: readonly NumberedTurn[], limit: number): NumberedTurn[] {
  let bars = 0;
  const first = turns.findLastIndex(({ turn }) => (bars += turn.bars.length + 1) > limit);
  return turns.slice(Math.min(first + 1, turns.length - 1)).reverse();
}

function turnName(turn: TurnBars, number: number | undefined): string {
  if (number !== undefined) {
    return `Turn ${number}`;
  }
  return turn.id.startsWith("command-") ? "Command" : "Compaction";
}

/** How long each kind of bar took, as the legend of the chart. */
function Totals({ turns, now }: { turns: readonly TurnBars[]; now: number }): JSX.Element {
  const bars = turns.flatMap((turn) => turn.bars);
  return (
    <dl class="timeline-totals">
      {(Object.keys(kindNames) as BarKind[]).map((kind) => {
        const some = bars.filter((bar) => bar.kind === kind);
        return (
          some.length > 0 && (
            <div key={kind}>
              <dt>
                <span class="swatch" data-kind={kind} />
                {kindNames[kind]}
              </dt>
              <dd>
                {spanText(coveredTime(some, now))} <span class="muted small">· {some.length}</span>
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}

function useRecords(store: SessionStore): TimelineRecords | undefined {
  const [records, setRecords] = useState<TimelineRecords>();
  const connection = connections.value;
  useEffect(() => {
    const opened = new TimelineRecords(store);
    setRecords(opened);
    return () => opened.close();
  }, [store]);
  useEffect(() => records?.refresh(), [records, connection]);
  return records;
}

/** Returns the time, which goes on while something runs. */
function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (running) {
      const timer = setInterval(() => setNow(Date.now()), 500);
      return () => clearInterval(timer);
    }
    return undefined;
  }, [running]);
  return running ? Math.max(now, Date.now() - 500) : now;
}

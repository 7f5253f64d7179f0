import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { endOf, rowsOf, ticksOf, type Bar, type BarKind, type TurnBars } from "./fold.js";
import { barText, isBad, kindNames, spanText } from "./text.js";

/** Sizes in pixels. */
const rowHeight = 26;
const barHeight = 20;
const axisHeight = 20;
const minBar = 3;
const perLetter = 6.6; // of a label, about
const tickDistance = 90;

interface TurnChartProps {
  turn: TurnBars;
  now: number;
  /** How many times wider than its place the chart is. */
  zoom: number;
}

/** The bars of a turn over time, a group of rows for each kind. The arrow keys go from bar to bar. */
export function TurnChart({ turn, now, zoom }: TurnChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const available = useWidth(place);
  const [selected, setSelected] = useState(0);
  const [described, setDescribed] = useState<number>();
  const bars = turn.bars.toSorted((a, b) => a.start - b.start);
  const length = Math.max(endOf(turn, now), ...bars.map((bar) => endOf(bar, now))) - turn.start || 1;
  const width = Math.max(available * zoom, 1);
  const x = (time: number) => ((time - turn.start) / length) * (width - minBar);
  const rows = (Object.keys(kindNames) as BarKind[]).flatMap((kind) => rowsOf(bars.filter((bar) => bar.kind === kind), now));
  const height = rows.length * rowHeight + axisHeight;
  const ticks = ticksOf(length, Math.max(width / tickDistance, 1));

  const press = (event: KeyboardEvent) => {
    const to = { ArrowRight: selected + 1, ArrowLeft: selected - 1, Home: 0, End: bars.length - 1 }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      const next = Math.max(0, Math.min(to, bars.length - 1));
      setSelected(next);
      place.current?.querySelector<SVGElement>(`[data-bar="${next}"]`)?.focus();
    }
  };

  const shown = described === undefined ? undefined : bars[described];
  return (
    <>
      <div ref={place} class="chart-scroll">
        {available > 0 && (
          <svg class="chart" width={width} height={height} role="group" aria-label="Bars; the arrow keys go from one to the next" onKeyDown={press}>
            {ticks.map((tick) => {
              const at = x(turn.start + tick);
              return (
                <g key={tick} aria-hidden="true">
                  <line class="chart-tick" x1={at} x2={at} y1={0} y2={height - axisHeight} />
                  <text class="chart-time" x={at + 3} y={height - 5}>
                    {tick === 0 ? "0" : spanText(tick)}
                  </text>
                </g>
              );
            })}
            {rows.map((row, y) =>
              row.map((bar) => {
                const i = bars.indexOf(bar);
                return (
                  <ChartBar
                    key={`${bar.seq} ${bar.label}`}
                    bar={bar}
                    index={i}
                    now={now}
                    x={x(bar.start)}
                    y={y * rowHeight}
                    width={Math.max(x(endOf(bar, now)) - x(bar.start), minBar)}
                    focusable={i === Math.min(selected, bars.length - 1)}
                    onFocus={() => {
                      setSelected(i);
                      setDescribed(i);
                    }}
                    onPoint={setDescribed}
                  />
                );
              }),
            )}
          </svg>
        )}
      </div>
      <p class="chart-description small" aria-hidden="true">
        {shown === undefined ? (
          <span class="muted">{bars.length === 0 ? "Nothing took time in it." : `${bars.length} ${bars.length === 1 ? "bar" : "bars"}`}</span>
        ) : (
          <>
            <span class="swatch" data-kind={shown.kind} />
            {barText(shown, now)}
          </>
        )}
      </p>
    </>
  );
}

interface ChartBarProps {
  bar: Bar;
  index: number;
  now: number;
  x: number;
  y: number;
  width: number;
  focusable: boolean;
  onFocus: () => void;
  onPoint: (index: number | undefined) => void;
}

function ChartBar({ bar, index, now, x, y, width, focusable, onFocus, onPoint }: ChartBarProps): JSX.Element {
  const letters = Math.floor((width - 10) / perLetter);
  const label = bar.label.length <= letters ? bar.label : `${bar.label.slice(0, letters - 1)}…`;
  return (
    <g
      class={isBad(bar) ? "chart-bar chart-bar-bad" : "chart-bar"}
      data-kind={bar.kind}
      data-bar={index}
      data-running={bar.end === undefined}
      role="img"
      aria-label={barText(bar, now)}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      onPointerEnter={() => onPoint(index)}
      onPointerLeave={() => onPoint(undefined)}
    >
      <rect x={x} y={y + (rowHeight - barHeight) / 2} width={width} height={barHeight} rx={Math.min(5, width / 2)} />
      {letters >= 3 && (
        <text x={x + 6} y={y + rowHeight / 2 + 4}>
          {label}
        </text>
      )}
    </g>
  );
}

/** Returns the width of an element; 0 until it is known. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

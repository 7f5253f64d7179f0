import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCost, formatCount } from "../kit/format.js";
import { tokensOf, type UsageRow } from "./fold.js";

/** Sizes in pixels. */
const height = 150;
const axisHeight = 22;
const scaleWidth = 52;
const widestBar = 48;
const dateDistance = 72;

interface DayChartProps {
  /** Days without a gap. */
  rows: readonly UsageRow[];
  byCost: boolean;
}

/** A bar for each day. The table below it says the same. */
export function DayChart({ rows, byCost }: DayChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);

  const valueOf = (row: UsageRow) => (byCost ? row.cost : tokensOf(row));
  const format = byCost ? formatCost : formatCount;
  const most = roundUp(Math.max(...rows.map(valueOf)));
  const step = Math.max((width - scaleWidth) / Math.max(rows.length, 1), 1);
  const bar = Math.max(Math.min(step * 0.72, widestBar), 1);
  const y = (value: number) => height * (1 - value / most) + 6;
  const every = Math.max(1, Math.ceil(dateDistance / step)); // days between dates
  return (
    <div ref={place} class="usage-chart">
      {width > 0 && (
        <svg class="chart" width={width} height={height + axisHeight + 6} role="img" aria-label={`${byCost ? "Cost" : "Tokens"} by day, at most ${format(Math.max(...rows.map(valueOf)))}`}>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line class="chart-tick" x1={scaleWidth} x2={width} y1={y(most * part)} y2={y(most * part)} />
              <text class="chart-time" x={scaleWidth - 8} y={y(most * part) + 4} text-anchor="end">
                {format(most * part)}
              </text>
            </g>
          ))}
          {rows.map((row, i) => {
            const value = valueOf(row);
            const x = scaleWidth + i * step + (step - bar) / 2;
            const top = value > 0 ? Math.min(y(value), y(0) - 2) : y(0);
            return (
              <g key={row.key}>
                {value > 0 && (
                  <rect class="usage-day" x={x} y={top} width={bar} height={y(0) - top} rx={Math.min(4, bar / 3)}>
                    <title>{`${row.key}: ${format(value)}`}</title>
                  </rect>
                )}
                {(rows.length - 1 - i) % every === 0 && (
                  <text class="chart-time" x={scaleWidth + (i + 0.5) * step} y={height + axisHeight} text-anchor={i === rows.length - 1 && step < 40 ? "end" : "middle"}>
                    {dateText(row.key)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}

/** Returns the next of 1, 2, 2.5, 5, 10 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5].find((n) => n * power >= value) ?? 10) * power;
}

function dateText(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

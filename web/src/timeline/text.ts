import { formatDuration } from "../kit/format.js";
import { endOf, type Bar, type BarKind } from "./fold.js";

/** The names of the kinds of bars, in the order of their rows. */
export const kindNames: Record<BarKind, string> = {
  model: "Model calls",
  tool: "Tools",
  wait: "Waits",
  compaction: "Compactions",
  command: "Your commands",
};

/** A time in milliseconds: 12ms, 400ms, 1.4s, 3m 20s. */
export function spanText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}ms` : formatDuration(ms * 1e6);
}

/** What a bar shows, in one sentence. */
export function barText(bar: Bar, now: number): string {
  const parts = [bar.label, spanText(endOf(bar, now) - bar.start), bar.result === "" ? "running" : bar.result, bar.detail];
  return parts.filter((part) => part !== "").join(", ");
}

/** Reports whether a bar did not end well. */
export function isBad(bar: Bar): boolean {
  return ["failed", "denied", "interrupted", "cut off", "unknown"].includes(bar.result);
}

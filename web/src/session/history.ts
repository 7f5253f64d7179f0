import type { Move } from "./fold.js";
import type { Item } from "./items.js";

/** Returns the items without those that a move of the head has removed from the history. */
export function inHistory(items: Item[], moves: Move[]): Item[] {
  let left = items;
  for (const { head, at } of moves) {
    const prompt = left.find(({ kind, seq }) => kind === "you" && seq > head && seq < at)?.seq ?? head + 1;
    left = left.filter(({ kind, seq }) => seq < prompt || seq >= at || kind === "plan");
  }
  return left;
}

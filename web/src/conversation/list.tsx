import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { Item } from "../session/items.js";
import { Row } from "./row.js";

/** How high an item is before it was measured, in pixels. */
const estimate = 96;
/** How much is rendered above and below what is seen, and how near the beginning older items are requested, in pixels. */
const overscan = 700;
const nearTop = 1500;
/** How near the end the list follows it, in pixels. */
const nearEnd = 48;
/** How far an item that waits is from the upper edge when the user goes to it, in pixels. */
const aboveWaiting = 24;

/** Where an item is that is not seen; "": it is seen. */
export type Hidden = "" | "above" | "below";

interface ListProps {
  items: Item[];
  hasOlder: boolean;
  loadOlder: () => void;
  /** Called when the user leaves the end, and comes back to it. */
  onAtEnd: (atEnd: boolean) => void;
  /** Counts requests to scroll to the end. */
  toEnd: number;
  /** The key of the first item that waits for the user. */
  waiting: string | undefined;
  /** Called when that item is not seen any more, with where it is, and when it is seen again. */
  onWaiting: (hidden: Hidden) => void;
  /** Counts requests to scroll to that item. */
  toWaiting: number;
}

/** A row that is seen, and how far its beginning is above the upper edge. */
interface Anchor {
  key: string;
  above: number;
}

/** What the list knows of its layout between renderings. */
interface Layout {
  heights: Map<string, number>;
  width: number;
  top: number;
  view: number;
  atEnd: boolean;
  anchor: Anchor | undefined;
}

/**
 * A list of any length, of which only the items near those that are seen are in the page. It stays at its end while that grows,
 * and otherwise at the item that the user reads, whatever is added or measured above it.
 */
export function List({ items, hasOlder, loadOlder, onAtEnd, toEnd, waiting, onWaiting, toWaiting }: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useRef<Layout>({ heights: new Map(), width: 0, top: 0, view: 800, atEnd: true, anchor: undefined });
  const [, render] = useReducer((n: number) => n + 1, 0);
  const rows = useRef(new Map<string, HTMLElement>());
  const observer = useRef<ResizeObserver | undefined>(undefined);

  const { current: now } = layout;
  const offsets = offsetsOf(items, now.heights);
  const total = offsets[items.length] ?? 0;
  const top = now.atEnd ? Math.max(0, total - now.view) : topOf(now, items, offsets);
  const from = indexAt(offsets, top - overscan);
  const to = Math.min(items.length, indexAt(offsets, top + now.view + overscan) + 1);

  const setAtEnd = (atEnd: boolean) => {
    if (now.atEnd !== atEnd) {
      now.atEnd = atEnd;
      onAtEnd(atEnd);
    }
  };

  useLayoutEffect(() => {
    observer.current = new ResizeObserver((entries) => {
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        const height = borderBoxSize[0]?.blockSize ?? 0;
        const key = (target as HTMLElement).dataset.key ?? "";
        if (target === scroller.current) {
          now.view = target.clientHeight;
          if (now.width !== target.clientWidth) {
            now.width = target.clientWidth;
            now.heights.clear();
            rows.current.forEach((row, of) => now.heights.set(of, row.offsetHeight));
          }
          changed = true;
        } else if (target.isConnected && now.heights.get(key) !== height) {
          now.heights.set(key, height);
          changed = true;
        }
      }
      if (changed) {
        render(0);
      }
    });
    rows.current.forEach((row) => observer.current?.observe(row));
    if (scroller.current !== null) {
      observer.current.observe(scroller.current);
    }
    return () => observer.current?.disconnect();
  }, []);

  // Scrolls to where the rows are now.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) {
      return;
    }
    const to = now.atEnd ? box.scrollHeight - box.clientHeight : topOf(now, items, offsets);
    if (Math.abs(box.scrollTop - to) > 0.5) {
      box.scrollTop = to;
      now.top = box.scrollTop;
    }
    if (box.scrollHeight - box.clientHeight - box.scrollTop <= 1) {
      setAtEnd(true); // it has become short
    }
  });

  useEffect(() => {
    if (hasOlder && top < nearTop) {
      loadOlder();
    }
  }, [hasOlder, top < nearTop, items]);

  useEffect(() => {
    setAtEnd(true);
    render(0);
  }, [toEnd]);

  const waitingAt = waiting === undefined ? -1 : items.findIndex(({ key }) => key === waiting);
  const hidden = waitingAt < 0 ? "" : hiddenAt(offsets, waitingAt, top, now.view);
  useEffect(() => onWaiting(hidden), [hidden]);
  useEffect(() => {
    if (toWaiting > 0 && waiting !== undefined) {
      setAtEnd(false);
      now.anchor = { key: waiting, above: -aboveWaiting };
      render(0);
    }
  }, [toWaiting]);

  const onScroll = () => {
    const box = scroller.current;
    if (box === null) {
      return;
    }
    const left = box.scrollHeight - box.clientHeight - box.scrollTop;
    const up = box.scrollTop < now.top - 1;
    // What moved is the end, or the height of the list, if the user was there and has not scrolled up.
    setAtEnd(left <= 1 || (now.atEnd ? !up : left < nearEnd));
    now.top = box.scrollTop;
    const at = indexAt(offsets, box.scrollTop);
    const item = items[at];
    now.anchor = item === undefined ? undefined : { key: item.key, above: box.scrollTop - (offsets[at] ?? 0) };
    render(0);
  };

  const hold = (key: string) => (row: HTMLElement | null) => {
    const before = rows.current.get(key);
    if (before !== undefined && before !== row) {
      observer.current?.unobserve(before);
      rows.current.delete(key);
    }
    if (row !== null && before !== row) {
      rows.current.set(key, row);
      observer.current?.observe(row);
    }
  };

  const children: JSX.Element[] = [];
  let next = 0;
  for (const i of indices(items, from, to, scroller.current)) {
    if (i > next) {
      children.push(<Gap key={`gap:${next === 0 ? "top" : next}`} height={(offsets[i] ?? 0) - (offsets[next] ?? 0)} />);
    }
    const item = items[i] as Item;
    children.push(
      <div key={item.key} ref={hold(item.key)} class="row" data-key={item.key}>
        <Row item={item} />
      </div>,
    );
    next = i + 1;
  }
  if (next < items.length) {
    children.push(<Gap key="gap:end" height={total - (offsets[next] ?? 0)} />);
  }
  return (
    <div ref={scroller} class="scroller" onScroll={onScroll} tabIndex={-1}>
      <div class="rows">{children}</div>
    </div>
  );
}

function Gap({ height }: { height: number }): JSX.Element {
  return <div style={{ height: `${height}px` }} />;
}

/** Returns where an item is if its beginning is not seen. */
function hiddenAt(offsets: Float64Array, at: number, top: number, view: number): Hidden {
  const begin = offsets[at] ?? 0;
  return begin < top - aboveWaiting ? "above" : begin > top + view - aboveWaiting ? "below" : "";
}

/** Returns where each item begins, and at the end where the last one ends. */
function offsetsOf(items: Item[], heights: Map<string, number>): Float64Array {
  const offsets = new Float64Array(items.length + 1);
  let at = 0;
  items.forEach(({ key }, i) => {
    offsets[i] = at;
    at += heights.get(key) ?? estimate;
  });
  offsets[items.length] = at;
  return offsets;
}

/** Returns the index of the item at a height. */
function indexAt(offsets: Float64Array, height: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= height) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return Math.max(0, low);
}

/** Returns how far the list has to be scrolled for its anchor to be where it was. */
function topOf({ anchor, top }: Layout, items: Item[], offsets: Float64Array): number {
  if (anchor === undefined) {
    return top;
  }
  const at = items.findIndex(({ key }) => key === anchor.key);
  return at < 0 ? top : (offsets[at] ?? 0) + anchor.above;
}

/** Returns which items are rendered: a range, and the one with the focus. */
function indices(items: Item[], from: number, to: number, scroller: HTMLElement | null): number[] {
  const range = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const focus = document.activeElement?.closest<HTMLElement>("[data-key]");
  if (focus === undefined || focus === null || !scroller?.contains(focus)) {
    return range;
  }
  const at = items.findIndex(({ key }) => key === focus.dataset.key);
  return at < 0 || (at >= from && at < to) ? range : [...range, at].sort((a, b) => a - b);
}

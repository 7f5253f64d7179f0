import type { JSX } from "preact";

/** The strokes of each icon, on a grid of 24. */
const strokes = {
  answer: "M12 3l1.9 5.1L19 10l-5.1 1.9L12 17l-1.9-5.1L5 10l5.1-1.9zM19 16v4M17 18h4",
  attach: "M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.5-8.6a3.4 3.4 0 0 1 4.8 4.8l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L15 7.3",
  back: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  check: "M5 12.5l4.5 4.5L19 7.5",
  chevron: "M9 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  command: "M5 7l5 5-5 5M12 18h7",
  compact: "M4 12h16M8 4l4 4 4-4M8 20l4-4 4 4",
  down: "M12 5v14M6 13l6 6 6-6",
  file: "M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5",
  fork: "M7 4v8a4 4 0 0 0 4 4h6M14 13l3 3-3 3M7 4v16",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  notice: "M12 8v5M12 16.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  plan: "M4 6l1.5 1.5L8 5M4 12l1.5 1.5L8 11M4 18l1.5 1.5L8 17M12 6h8M12 12h8M12 18h8",
  question: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  reasoning: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z",
  restore: "M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 1.8",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  send: "M12 19V5M6 11l6-6 6 6",
  share: "M12 15V4M8 7.5L12 4l4 3.5M5 13v5a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-5",
  shield: "M12 3l7 3v5c0 4.6-2.9 8.4-7 10-4.1-1.6-7-5.4-7-10V6z",
  stop: "M7 7h10v10H7z",
  subagent: "M12 4v5M6 20v-3a3 3 0 0 1 3-3h6a3 3 0 0 1 3 3v3M12 9v5M9.5 4h5",
  tool: "M14.5 6.5a4 4 0 0 1 5-1l-2.6 2.6 1 2 2 1 2.6-2.6a4.5 4.5 0 0 1-6 5.5L9 21.5a2.1 2.1 0 0 1-3-3l7.5-7.5a4.5 4.5 0 0 1 1-4.5z",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20c.6-3.6 3.4-5 7-5s6.4 1.4 7 5",
  web: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c2.5 2.4 3.8 5.4 3.8 9s-1.3 6.6-3.8 9c-2.5-2.4-3.8-5.4-3.8-9S9.500 5.400 12 3z",
} as const;

export type IconName = keyof typeof strokes;

/** A picture beside a text that says the same. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">
      <path d={strokes[name]} />
    </svg>
  );
}

import type {
  ApprovalAnswered,
  ApprovalAsked,
  FileChange,
  Image,
  NoticeLevel,
  Outcome,
  Peer,
  PlanItem,
  QuestionAnswered,
  QuestionAsked,
  SearchHit,
  ShellRun,
  TaskProgress,
  TaskResult,
  Via,
} from "../sdk.js";

/** What all items have. An item is never changed: another one with the same key takes its place. */
interface Base {
  /** Unique in the conversation, and the same after a reload. */
  key: string;
  /** The number of the record that it begins with; of one that has only grown by deltas yet, the number that comes next. */
  seq: number;
  /** When it began, RFC 3339. */
  time: string;
}

/** What the user has said. */
export interface YouItem extends Base {
  kind: "you";
  text: string;
  images: Image[];
  via: Via;
  client?: Peer | undefined;
}

/** A block of text of the model. */
export interface AnswerItem extends Base {
  kind: "answer";
  text: string;
  /** More of it comes. */
  streaming: boolean;
  /** It was cut off. */
  partial: boolean;
}

/** A block of reasoning of the model. */
export interface ReasoningItem extends Base {
  kind: "reasoning";
  text: string;
  streaming: boolean;
}

/** How far a call is. */
export type CallStatus = "pending" | "running" | Outcome;

/** What the items of calls have. */
interface CallBase extends Base {
  call: string;
  status: CallStatus;
  output: string;
  /** The address of the whole output, if that is too large for a record. */
  blob?: string | undefined;
  images: Image[];
  /** Nanoseconds; undefined until it has ended. */
  ran?: number | undefined;
  /** An approval of it waits: that shows what would run. */
  waiting: boolean;
}

/** A command of the model or of the user. */
export interface CommandItem extends CallBase {
  kind: "command";
  command: string;
  dir?: string | undefined;
  shell?: ShellRun | undefined;
  /** The user ran it. */
  user: boolean;
  /** What has come of its output while it runs, with its escape sequences. */
  live: string;
}

/** Changes of files by one call, or by a restore. */
export interface FilesItem extends CallBase {
  kind: "files";
  /** The path that the call names, until its changes are known. */
  path: string;
  changes: FileChange[];
  restored: boolean;
}

/** Any other call. */
export interface ToolItem extends CallBase {
  kind: "tool";
  name: string;
  server?: string | undefined;
  input: unknown;
  progress?: { done: number; total?: number | undefined; text?: string | undefined } | undefined;
  hits?: SearchHit[] | undefined;
  url?: string | undefined;
}

/** A call that starts subagents. */
export interface SubagentItem extends CallBase {
  kind: "subagent";
  input: unknown;
  agents: Subagent[];
}

/** One subagent of a call. */
export interface Subagent {
  task: string;
  agent: string;
  session?: string | undefined;
  exitCode?: number | undefined;
  progress?: TaskProgress | undefined;
  result?: TaskResult | undefined;
}

/** The plan, as it is now. */
export interface PlanItemView extends Base {
  kind: "plan";
  items: PlanItem[];
}

export interface ApprovalItem extends Base {
  kind: "approval";
  approval: ApprovalAsked;
  answered?: ApprovalAnswered | undefined;
}

export interface QuestionItem extends Base {
  kind: "question";
  question: QuestionAsked;
  answered?: QuestionAnswered | undefined;
}

/** Anything else that the user should know. */
export interface NoticeItem extends Base {
  kind: "notice";
  level: NoticeLevel;
  text: string;
  /** More, to be opened. */
  detail?: string | undefined;
}

/** One entry of a conversation. */
export type Item =
  | YouItem
  | AnswerItem
  | ReasoningItem
  | CommandItem
  | FilesItem
  | ToolItem
  | SubagentItem
  | PlanItemView
  | ApprovalItem
  | QuestionItem
  | NoticeItem;

export type CallItem = CommandItem | FilesItem | ToolItem | SubagentItem;

import type { JSX } from "preact";
import { memo } from "../kit/memo.js";
import type { Item } from "../session/items.js";
import { Answer, Reasoning } from "./answer.js";
import { Approval } from "./approval.js";
import { Command } from "./command.js";
import { Files } from "./files.js";
import { Notice } from "./notice.js";
import { Plan } from "./plan.js";
import { Question } from "./question.js";
import { SubagentCall } from "./subagent.js";
import { ToolCall } from "./tool.js";
import { You } from "./you.js";

/** One item of the conversation, as an article. */
export const Row = memo(function Row({ item }: { item: Item }): JSX.Element | null {
  switch (item.kind) {
    case "you":
      return <You item={item} />;
    case "answer":
      return <Answer item={item} />;
    case "reasoning":
      return <Reasoning item={item} />;
    case "command":
      return item.waiting ? null : <Command item={item} />;
    case "files":
      return item.waiting ? null : <Files item={item} />;
    case "tool":
      return item.waiting ? null : <ToolCall item={item} />;
    case "subagent":
      return item.waiting ? null : <SubagentCall item={item} />;
    case "plan":
      return <Plan item={item} />;
    case "approval":
      return <Approval item={item} />;
    case "question":
      return <Question item={item} />;
    case "notice":
      return <Notice item={item} />;
  }
});

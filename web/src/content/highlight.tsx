import type { JSX } from "preact";
import { createLowlight } from "lowlight";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const lowlight = createLowlight({ bash, c, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml });
lowlight.registerAlias({ bash: ["shell", "console", "sh-session"], c: ["cpp", "c++", "h"], javascript: ["jsx"], typescript: ["tsx"] });

/** How long a code is that is highlighted, in characters: each word of it becomes an element. */
const longest = 8_000;

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

/** A text of code; its words have colours if the language is known. */
export function Highlighted({ code, language }: { code: string; language: string }): JSX.Element {
  const name = language.toLowerCase();
  if (code.length > longest || !lowlight.registered(name)) {
    return <>{code}</>;
  }
  return <>{lowlight.highlight(name, code).children.map(render)}</>;
}

function render(node: Node, key: number): JSX.Element | string {
  if (node.type === "text") {
    return node.value;
  }
  if (node.type !== "element") {
    return "";
  }
  const { className } = node.properties;
  return (
    <span key={key} class={Array.isArray(className) ? className.join(" ") : undefined}>
      {node.children.map((child, i) => render(child as Node, i))}
    </span>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { memo } from "../kit/memo.js";
import { ShowAll } from "./diff.js";
import { Highlighted } from "./highlight.js";

const fewLines = 60;

interface CodeProps {
  code: string;
  language: string;
  /** More of it comes: it gets its colours at the end. */
  growing: boolean;
}

/** A block of code with its language and a button to copy it. */
export const Code = memo(function Code({ code, language, growing }: CodeProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const lines = code.split("\n");
  const cut = !open && lines.length > fewLines + 10;
  const shown = cut ? lines.slice(0, fewLines).join("\n") : code;
  return (
    <figure class="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={language === "" ? "Code" : `Code, ${language}`}>
        <code>{growing ? shown : <Highlighted code={shown} language={language} />}</code>
      </pre>
      {cut && <ShowAll left={`${lines.length - fewLines} more lines`} onClick={() => setOpen(true)} />}
    </figure>
  );
});

/** Copies a text, and says so for a moment. */
function CopyButton({ text }: { text: string }): JSX.Element | null {
  const [copied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) {
    return null; // pages without TLS from another machine have none
  }
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="button button-quiet button-small" onClick={() => void copy().catch(() => {})}>
      {copied ? "Copied" : "Copy"}
    </button>
  );
}

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { SessionImage } from "../content/image.js";
import { ExternalLink } from "../content/link.js";
import { Output } from "../content/output.js";
import { showInvisible, showInvisibleInText } from "../content/text.js";
import { Icon, type IconName } from "../kit/icon.js";
import type { ToolItem } from "../session/items.js";
import { Block, CallState } from "./block.js";
import { BlobOutput } from "./bloboutput.js";

const icons: Record<string, IconName> = { read: "file", list: "file", glob: "search", grep: "search", search: "search", fetch: "web", web_search: "web" };

/** The members of a call's input that say what it is about, the first that is there counts. */
const subjects = ["path", "pattern", "query", "url", "name", "id", "action"];

/** A call of any other tool: a line that opens. */
export function ToolCall({ item }: { item: ToolItem }): JSX.Element {
  const { name, server, input, status, ran, output, images, progress, hits, url, blob } = item;
  const [open, setOpen] = useState(false);
  const id = useId();
  const failed = status === "failed";
  const hasMore = output !== "" || blob !== undefined;
  const title = (
    <>
      <span class="tool-name">{server === undefined ? name : `${server} / ${name}`}</span> <code>{showInvisible(subjectOf(input))}</code>
    </>
  );
  return (
    <Block
      name="Tool"
      icon={icons[name] ?? "tool"}
      class={`call call-${status}`}
      title={
        hasMore ? (
          <button type="button" class="fold" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
            {title}
            <Icon name="chevron" />
          </button>
        ) : (
          title
        )
      }
      aside={<CallState status={status} ran={ran} />}
    >
      {progress !== undefined && status === "running" && (
        <div class="progress">
          <progress value={progress.done} max={progress.total} aria-label={progress.text ?? "Progress"} />
          <span class="muted small">{progress.text}</span>
        </div>
      )}
      {images.length > 0 && (
        <div class="images">
          {images.map((image, i) => (
            <SessionImage key={i} image={image} />
          ))}
        </div>
      )}
      {url !== undefined && (
        <p class="small">
          <ExternalLink href={url}>{showInvisible(url)}</ExternalLink>
        </p>
      )}
      {hits !== undefined && (
        <ul class="hits">
          {hits.map((hit, i) => (
            <li key={i}>
              <ExternalLink href={hit.url}>{showInvisibleInText(hit.title || hit.url)}</ExternalLink>
              {hit.snippet !== undefined && <p class="muted small">{showInvisibleInText(hit.snippet)}</p>}
            </li>
          ))}
        </ul>
      )}
      {(open || (failed && hits === undefined)) && (
        <div id={id}>
          {server !== undefined && <Output text={JSON.stringify(input, null, 2)} label="Input" fromStart />}
          <Output text={output} label="Result" fromStart />
          {blob !== undefined && <BlobOutput address={blob} />}
        </div>
      )}
    </Block>
  );
}

/** Returns what a call is about, in a few words. */
export function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) {
    return "";
  }
  for (const name of subjects) {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === "string" && value !== "") {
      return value.length > 200 ? `${value.slice(0, 200)}…` : value;
    }
  }
  return "";
}

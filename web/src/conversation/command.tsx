import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ShowAll } from "../content/diff.js";
import { Output } from "../content/output.js";
import { cutMiddle, showInvisible } from "../content/text.js";
import type { CommandItem } from "../session/items.js";
import { Block, CallState } from "./block.js";
import { BlobOutput } from "./bloboutput.js";

/** A command with its output, live while it runs. */
export function Command({ item }: { item: CommandItem }): JSX.Element {
  const { command, dir, status, shell, ran, user, live, output, blob } = item;
  const ended = status !== "running" && status !== "pending";
  const text = ended ? output : live;
  return (
    <Block
      name="Command"
      icon="command"
      class={`call call-${status}`}
      title={<CommandLine command={command} />}
      aside={<CallState status={status === "failed" ? "succeeded" : status} ran={ran} />}
    >
      {dir !== undefined && dir !== "" && !user && shell === undefined && <p class="muted small mono">in {showInvisible(dir)}</p>}
      {status !== "denied" && <Output text={text} label="Output" />}
      {blob !== undefined && <BlobOutput address={blob} />}
      {shell !== undefined && ended && status !== "denied" && (
        <p class={shell.exit_code === 0 ? "exit" : "exit exit-bad"}>
          exit {shell.exit_code}
          {shell.signal ? ` · ${shell.signal}` : ""}
          {shell.timed_out ? " · timed out" : ""}
        </p>
      )}
    </Block>
  );
}

/** A command as text: its first and last lines, all on demand. */
export function CommandLine({ command }: { command: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  const cut = open ? undefined : cutMiddle(command, 12, 2000);
  if (cut === undefined) {
    return <pre class="command-line">$ {showInvisible(command)}</pre>;
  }
  return (
    <>
      <pre class="command-line">$ {showInvisible(cut.head)}</pre>
      <ShowAll left={cut.left} onClick={() => setOpen(true)} />
      <pre class="command-line">{showInvisible(cut.tail)}</pre>
    </>
  );
}

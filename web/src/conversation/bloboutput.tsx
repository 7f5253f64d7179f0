import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toastError } from "../kit/toast.js";
import { Output } from "../content/output.js";
import { useSession } from "../session/context.js";

/** How much of an output is shown in the page, in bytes. */
const most = 2 << 20;

/** The button that loads an output that is too large for its record. */
export function BlobOutput({ address }: { address: string }): JSX.Element {
  const store = useSession();
  const [text, setText] = useState<string>();
  const load = async () => {
    const bytes = await store.session.blob(address);
    setText(new TextDecoder().decode(bytes.subarray(0, most)));
  };
  if (text !== undefined) {
    return <Output text={text} label="Whole output" fromStart />;
  }
  return (
    <button type="button" class="button button-quiet button-small" onClick={() => void load().catch(toastError)}>
      Load the whole output
    </button>
  );
}

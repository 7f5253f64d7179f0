import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasRole } from "../connection.js";
import { Icon } from "../kit/icon.js";
import { toast, toastError } from "../kit/toast.js";
import { isKind, type TurnPromptResult } from "../sdk.js";
import type { SessionState } from "../session/state.js";
import type { SessionStore } from "../session/store.js";
import { promptBlocks, readAttachment, type Attachment } from "./attachments.js";
import { readDraft, saveDraft } from "./draft.js";
import { Queue } from "./queue.js";
import { Settings } from "./settings.js";
import { StatusLine } from "./statusline.js";

/** The field of the prompt and everything below it. */
export function Composer({ store, state, onSent }: { store: SessionStore; state: SessionState; onSent: () => void }): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => readDraft(store.id));
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [sending, setSending] = useState(false);
  const [dropping, setDropping] = useState(false);
  const running = state.turn !== undefined && state.turn !== "";
  const mayPrompt = hasRole("driver");
  const empty = text.trim() === "" && attachments.length === 0;

  // In the commit of the text: an effect that waits for a frame would lose what is typed just before the page is left.
  useLayoutEffect(() => saveDraft(store.id, text), [store, text]);

  const prefill = store.prefill.value;
  useLayoutEffect(() => {
    if (prefill !== undefined) {
      store.prefill.value = undefined;
      setText(prefill.text);
      field.current?.focus();
    }
  }, [prefill]);

  // The field is as high as its text.
  useLayoutEffect(() => {
    const { current } = field;
    if (current !== null) {
      current.style.height = "auto";
      current.style.height = `${current.scrollHeight}px`;
    }
  }, [text]);

  // What is sent while the host has not accepted the text before it waits for that.
  const next = useRef<"steer" | "queue" | undefined>(undefined);
  const send = async (ifBusy: "steer" | "queue") => {
    if (sending) {
      next.current = ifBusy;
      return;
    }
    if (empty) {
      return;
    }
    setSending(true);
    try {
      const blocks = await promptBlocks(store.session, text, attachments);
      const result: TurnPromptResult = await store.session.prompt({ blocks, ifBusy });
      attachments.forEach(({ url }) => URL.revokeObjectURL(url));
      setAttachments((now) => now.filter((one) => !attachments.includes(one)));
      setText((now) => (now === text ? "" : now.startsWith(text) ? now.slice(text.length) : now));
      if (result.turn !== undefined) {
        onSent();
      }
    } catch (error) {
      // The text stays in the field.
      next.current = undefined;
      toast(isKind(error, "budget") ? "budget is used up" : error instanceof Error ? error.message : String(error), { error: true });
    } finally {
      setSending(false);
    }
  };
  useLayoutEffect(() => {
    const ifBusy = next.current;
    if (!sending && ifBusy !== undefined) {
      next.current = undefined;
      void send(ifBusy);
    }
  }, [sending]);
  /** Does what a button says. The button may be another one afterwards, so the focus goes to the field, unless that opens a keyboard. */
  const click = (run: () => void) => () => {
    run();
    if (matchMedia("(hover: hover)").matches) {
      field.current?.focus();
    }
  };
  const interrupt = () => void store.session.interrupt(state.turn).catch(toastError);
  const attach = async (files: Iterable<File>) => {
    for (const file of files) {
      try {
        const attachment = await readAttachment(file);
        setAttachments((now) => [...now, attachment]);
      } catch (error) {
        toastError(error);
      }
    }
  };

  const press = (event: KeyboardEvent) => {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      void send(event.altKey ? "queue" : "steer");
    }
  };

  // Escape interrupts from everywhere but dialogs and menus, which keep it for themselves.
  useLayoutEffect(() => {
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing && running && mayPrompt && document.querySelector("dialog[open], [role=menu]") === null) {
        event.preventDefault();
        interrupt();
      }
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, [running, mayPrompt, state.turn]);

  return (
    <div class="composer">
      <Queue store={store} steering={state.steering} followUps={state.follow_ups} removable={mayPrompt} />
      <div
        class={dropping ? "composer-box dropping" : "composer-box"}
        onDragOver={(event) => {
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(false);
          void attach(event.dataTransfer?.files ?? []);
        }}
      >
        {attachments.length > 0 && (
          <ul class="attachments" aria-label="Attachments">
            {attachments.map((attachment) => (
              <li key={attachment.id}>
                <img src={attachment.url} alt="" />
                <span>{attachment.name}</span>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove ${attachment.name}`}
                  onClick={() => {
                    URL.revokeObjectURL(attachment.url);
                    setAttachments(attachments.filter((one) => one !== attachment));
                  }}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={field}
          id="prompt"
          class="prompt"
          rows={1}
          aria-label="Prompt"
          placeholder={mayPrompt ? (running ? "Steer the turn, or queue a prompt" : "What shall be done?") : "You may only look"}
          readOnly={!mayPrompt}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length > 0) {
              event.preventDefault();
              void attach(files);
            }
          }}
        />
        <div class="composer-bar">
          {mayPrompt && (
            <>
              <button type="button" class="icon-button" aria-label="Attach images" onClick={() => picker.current?.click()}>
                <Icon name="attach" />
              </button>
              <input
                ref={picker}
                type="file"
                hidden
                multiple
                accept="image/png,image/jpeg,image/gif,image/webp"
                onChange={(event) => {
                  void attach([...(event.currentTarget.files ?? [])]);
                  event.currentTarget.value = "";
                }}
              />
            </>
          )}
          <Settings store={store} state={state} disabled={!mayPrompt} />
          {mayPrompt && (
            <div class="composer-buttons">
              {running ? (
                <>
                  <button type="button" class="button" onClick={click(interrupt)}>
                    <Icon name="stop" />
                    Interrupt
                  </button>
                  <button type="button" class="button" disabled={empty || sending} onClick={click(() => void send("queue"))}>
                    Queue
                  </button>
                  <button type="button" class="button button-primary" disabled={empty || sending} onClick={click(() => void send("steer"))}>
                    Steer
                  </button>
                </>
              ) : (
                <button type="button" class="button button-primary" disabled={empty || sending} onClick={click(() => void send("steer"))}>
                  Send
                  <Icon name="send" />
                </button>
              )}
            </div>
          )}
        </div>
      </div>
      <StatusLine state={state} />
    </div>
  );
}

import { signal } from "@preact/signals";
import type { JSX } from "preact";

interface Toast {
  id: number;
  text: string;
  error: boolean;
  action?: { label: string; run: () => void } | undefined;
  timer: ReturnType<typeof setTimeout>;
}

interface ToastOptions {
  error?: boolean;
  /** A button of the toast, such as Undo. It is removed with the toast. */
  action?: { label: string; run: () => void };
  /** How long it is there, in milliseconds; default: 6 s. */
  ms?: number;
  /** Called when its time is over, and not after its action. */
  onExpire?: () => void;
}

const toasts = signal<Toast[]>([]);
let last = 0;

/** Shows a short text at the edge of the page. */
export function toast(text: string, { error = false, action, ms = 6000, onExpire }: ToastOptions = {}): void {
  const id = ++last;
  const timer = setTimeout(() => {
    remove(id);
    onExpire?.();
  }, ms);
  toasts.value = [...toasts.value, { id, text, error, action, timer }];
}

/** Shows why something failed. */
export function toastError(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error), { error: true, ms: 10_000 });
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** The toasts of the page: one element, always there, so that new ones are announced. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-label="Messages" aria-live="polite">
      {toasts.value.map(({ id, text, error, action, timer }) => (
        <div key={id} class={error ? "toast toast-error" : "toast"}>
          <span>{text}</span>
          {action !== undefined && (
            <button
              type="button"
              class="toast-action"
              onClick={() => {
                clearTimeout(timer);
                remove(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

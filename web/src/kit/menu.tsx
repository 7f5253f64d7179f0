import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface MenuItem {
  label: string;
  danger?: boolean;
  run: () => void;
}

interface MenuButtonProps {
  label: string;
  items: MenuItem[];
  class?: string;
  children: ComponentChildren;
}

/** A button that opens a menu. Arrows, Home and End move in it, Escape closes it. */
export function MenuButton({ label, items, class: className = "icon-button", children }: MenuButtonProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    if (!open || menu.current === null || button.current === null) {
      return;
    }
    const list = menu.current;
    list.showPopover();
    const at = button.current.getBoundingClientRect();
    const below = at.bottom + list.offsetHeight + 8 < innerHeight;
    list.style.top = `${below ? at.bottom + 4 : Math.max(4, at.top - list.offsetHeight - 4)}px`;
    list.style.left = `${Math.max(4, Math.min(at.right - list.offsetWidth, innerWidth - list.offsetWidth - 4))}px`;
    list.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation();
    if (to !== undefined) {
      event.preventDefault();
      all[to]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
    }
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div
          ref={menu}
          id={id}
          class="menu"
          role="menu"
          aria-label={label}
          popover="auto"
          onKeyDown={move}
          onToggle={(event) => {
            if (event.newState === "closed") {
              setOpen(false);
            }
          }}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.danger ? "danger" : undefined}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

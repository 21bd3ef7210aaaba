import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.js";
import { t } from "@vscode/l10n";

export interface PopoverProps {
  readonly label: string;
  /** Sign and words of the button that opens it. */
  readonly icon?: IconName;
  readonly text?: string;
  readonly align?: "left" | "right";
  /** Opens it from anywhere in the view. */
  readonly hotkey?: (event: KeyboardEvent) => boolean;
  readonly onOpen?: (open: boolean) => void;
  /** Gets what closes the popover. */
  readonly children: (close: () => void) => ComponentChildren;
}

const MARGIN = 8;

/** Shifts a panel that would leave the view at its left or right edge. */
function keepInSight(panel: HTMLElement): void {
  const { left, right } = panel.getBoundingClientRect();
  const shift = left < MARGIN ? MARGIN - left : Math.min(0, document.documentElement.clientWidth - MARGIN - right);
  panel.style.transform = shift === 0 ? "" : `translateX(${shift}px)`;
}

function focusIn(panel: HTMLElement | null): void {
  const first = panel?.querySelector<HTMLElement>("[data-autofocus], input, button");
  first?.focus();
  if (first instanceof HTMLInputElement) first.select();
}

/** A button that opens a small panel; Escape or leaving it closes it and gives the focus back. */
export function Popover({ label, icon, text, align = "left", hotkey, onOpen, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  useEffect(() => onOpen?.(open), [open]);
  useEffect(() => {
    if (hotkey === undefined) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!hotkey(event)) return;
      event.preventDefault();
      setOpen(true);
      focusIn(panel.current);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  useLayoutEffect(() => {
    if (!open || panel.current === null) return;
    keepInSight(panel.current);
    // Before the next key arrives.
    focusIn(panel.current);
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      // A menu that was opened from the panel stands beside it.
      if (event.target instanceof Element && event.target.closest("[role=menu]") !== null) return;
      if (event.target instanceof Node && root.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);

  return (
    <div
      class="popover"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        close();
      }}
    >
      <vscode-button
        ref={opener}
        appearance={text === undefined ? "icon" : "secondary"}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {icon !== undefined && <Icon name={icon} {...(text === undefined ? {} : { slot: "start" })} />}
        {text}
      </vscode-button>
      {open && (
        <div class={`popover-panel popover-${align}`} ref={panel} role="dialog" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

interface ExportPopoverProps {
  readonly label: string;
  /** Above what can be exported: which part of it. */
  readonly choices?: () => ComponentChildren;
  readonly items: readonly ExportItem[];
}

interface ExportItem {
  readonly text: string;
  readonly icon: IconName;
  readonly title?: string;
  readonly onPick: () => void;
}

/** A button that opens what can be made of what is shown. */
export function ExportPopover({ label, choices, items }: ExportPopoverProps) {
  return (
    <Popover label={label} align="right" icon="export" text={t("Export")}>
      {(close) => (
        <div class="export-menu">
          {choices?.()}
          {items.map(({ text, icon, title, onPick }, i) => (
            <button
              key={text}
              type="button"
              class="menu-item"
              title={title}
              {...(i === 0 ? { "data-autofocus": true } : {})}
              onClick={() => {
                close();
                onPick();
              }}
            >
              <Icon name={icon} />
              {text}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

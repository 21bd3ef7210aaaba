import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../../components/icon.js";

export interface MenuItem {
  readonly text: string;
  readonly icon?: IconName;
  /** One of several, of which this one is on or off. */
  readonly checked?: boolean;
  /** A line above it. */
  readonly separated?: boolean;
  readonly run: () => void;
}

export interface MenuPlace {
  /** CSS pixels in the window. */
  readonly x: number;
  readonly y: number;
}

interface RowMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly at: MenuPlace;
  /** Gives the focus back unless something else took it. */
  readonly onClose: (refocus: boolean) => void;
}

const MARGIN = 6;

/** A context menu as the ARIA practices have it: arrows, Home and End move, Enter chooses, Escape closes. */
export function RowMenu({ label, items, at, onClose }: RowMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const buttons = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  useLayoutEffect(() => {
    const box = menu.current;
    if (box === null) return;
    const { width, height } = box.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    box.style.left = `${Math.max(MARGIN, Math.min(at.x, clientWidth - width - MARGIN))}px`;
    box.style.top = `${Math.max(MARGIN, at.y + height + MARGIN <= clientHeight ? at.y : at.y - height)}px`;
    buttons()[0]?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !box.contains(event.target)) onClose(false);
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("scroll", outside, true);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("scroll", outside, true);
    };
  }, [at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons();
    const now = all.findIndex((one) => one === document.activeElement);
    const to = { ArrowDown: (now + 1) % all.length, ArrowUp: (now + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") onClose(true);
    else if (to !== undefined) all[to]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="row-menu" role="menu" aria-label={label} ref={menu} onKeyDown={onKeyDown}>
      {items.map(({ text, icon, checked, separated, run }) => (
        <button
          key={text}
          type="button"
          role={checked === undefined ? "menuitem" : "menuitemradio"}
          class={`row-menu-item ${separated === true ? "separated" : ""}`}
          {...(checked === undefined ? {} : { "aria-checked": checked })}
          tabIndex={-1}
          onClick={() => {
            onClose(true);
            run();
          }}
        >
          {checked === true ? <Icon name="check" /> : icon === undefined ? <span class="row-menu-space" /> : <Icon name={icon} />}
          {text}
        </button>
      ))}
    </div>
  );
}

import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../components/icon.js";

export interface MenuItem {
  readonly id: string;
  readonly text: string;
  readonly icon?: IconName;
  /** One of several of its group, of which one is on. */
  readonly checked?: boolean;
  /** Begins a group of its own. */
  readonly group?: string;
  /** Why it cannot be picked. */
  readonly disabled?: string | undefined;
  readonly onPick: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly anchor: Element;
  /** In place of the anchor's lower left corner, CSS pixels. */
  readonly place?: { readonly x: number; readonly y: number } | undefined;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

const MARGIN = 6;

/** A menu beneath its anchor, within the window: arrow keys move, Enter picks, Escape gives the focus back. */
export function Menu({ label, anchor, place, items, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const { left, bottom, top } =
      place === undefined ? anchor.getBoundingClientRect() : { left: place.x, bottom: place.y, top: place.y };
    const { width, height } = element.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const below = bottom + 2 + height <= clientHeight - MARGIN;
    element.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - MARGIN - width))}px`;
    element.style.top = `${Math.max(MARGIN, below ? bottom + 2 : Math.min(top - 2 - height, clientHeight - MARGIN - height))}px`;
    element.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !element.contains(event.target)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("wheel", outside, { capture: true, passive: true });
    window.addEventListener("blur", onClose);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("wheel", outside, true);
      window.removeEventListener("blur", onClose);
    };
  }, [anchor]);

  const leave = () => {
    onClose();
    if (anchor instanceof HTMLElement && anchor.isConnected) anchor.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = all.findIndex((one) => one === document.activeElement);
    const to = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" role="menu" aria-label={label} ref={menu} onKeyDown={onKeyDown}>
      {items.map((item, i) => (
        <div key={item.id} role="none">
          {item.group !== undefined && item.group !== items[i - 1]?.group && (
            <div class="menu-group" role="presentation">
              {item.group}
            </div>
          )}
          <button
            type="button"
            role={item.checked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={item.checked}
            class="menu-item"
            tabIndex={-1}
            aria-disabled={item.disabled !== undefined}
            title={item.disabled}
            onClick={() => {
              if (item.disabled !== undefined) return;
              leave();
              item.onPick();
            }}
          >
            <MenuIcon item={item} />
            <span class="menu-text">
              {item.text}
              {item.disabled !== undefined && <span class="menu-why">{item.disabled}</span>}
            </span>
          </button>
        </div>
      ))}
    </div>
  );
}

function MenuIcon({ item: { icon, checked } }: { readonly item: MenuItem }) {
  const name = checked === true ? "check" : icon;
  return name === undefined ? <span class="menu-icon" /> : <Icon name={name} class="menu-icon" />;
}

import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { isFound, searchWords } from "../../src/core/catalog/search.js";
import { Icon } from "./icon.js";

export interface SearchItem {
  readonly id: string;
  readonly text: string;
  /** What is searched beside `text`. */
  readonly also?: string;
  readonly group?: string;
}

interface SearchListProps<T extends SearchItem> {
  readonly label: string;
  /** What there is, in the order shown. */
  readonly find: (search: string) => readonly T[];
  readonly render: (item: T, search: string) => ComponentChildren;
  readonly onPick: (item: T) => void;
  /** Opens an item's menu: by its button, the right mouse button, Shift+F10 or the menu key. */
  readonly onMenu?: (item: T, anchor: Element) => void;
  readonly hasMenu?: (item: T) => boolean;
  /** Said beneath the items. */
  readonly note?: string | undefined;
  readonly isChosen?: ((item: T) => boolean) | undefined;
  /** Several may be chosen: picking toggles. */
  readonly multiple?: boolean;
  /** Beside picking one, several can be ticked: by their boxes, or Ctrl+Enter. */
  readonly onTick?: ((item: T) => void) | undefined;
  readonly isTicked?: (item: T) => boolean;
}

/** No list is longer than this; the search narrows it. */
const SHOWN = 200;

/** Items in which every word of the search is found, in their order. */
export function matching<T extends SearchItem>(items: readonly T[], search: string): T[] {
  const words = searchWords(search);
  return items.filter((item) => isFound(`${item.text} ${item.also ?? ""} ${item.group ?? ""}`.toLowerCase(), words));
}

/** A search field over a list: arrow keys move, Enter picks. */
export function SearchList<T extends SearchItem>({
  label,
  find,
  render,
  onPick,
  onMenu,
  hasMenu = () => true,
  note,
  isChosen,
  multiple = false,
  onTick,
  isTicked,
}: SearchListProps<T>) {
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = find(search);
  const shown = found.slice(0, SHOWN);
  const at = Math.min(active, shown.length - 1);
  const optionId = (i: number) => `${prefix}-${i}`;

  useEffect(() => {
    list.current?.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const openMenu = (item: T, anchor: Element | null) => {
    if (anchor !== null && hasMenu(item)) onMenu?.(item, anchor);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: { readonly [key: string]: number } = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = steps[event.key];
    const item = shown[at];
    if (step !== undefined) setActive(Math.max(0, Math.min(shown.length - 1, at + step)));
    else if (event.key === "Enter" && event.ctrlKey && onTick !== undefined && item !== undefined) onTick(item);
    else if (event.key === "Enter" && item !== undefined) onPick(item);
    else if ((event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) && item !== undefined)
      openMenu(item, document.getElementById(optionId(at)));
    else return;
    event.preventDefault();
  };

  return (
    <div class="search-list">
      <input
        class="input"
        type="text"
        data-autofocus
        role="combobox"
        aria-expanded={true}
        aria-controls={`${prefix}-list`}
        aria-activedescendant={shown.length > 0 ? optionId(at) : undefined}
        aria-autocomplete="list"
        aria-label={label}
        placeholder={label}
        value={search}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        class="options"
        role="listbox"
        id={`${prefix}-list`}
        aria-label={label}
        aria-multiselectable={multiple}
        ref={list}
      >
        {shown.map((item, i) => (
          <div key={item.id}>
            {item.group !== undefined && item.group !== shown[i - 1]?.group && (
              <div class="option-group" role="presentation">
                {item.group}
              </div>
            )}
            <div
              id={optionId(i)}
              class="option"
              role="option"
              aria-selected={isChosen?.(item) ?? false}
              data-active={i === at}
              onClick={() => {
                setActive(i);
                onPick(item);
              }}
              onContextMenu={(event) => {
                if (onMenu === undefined) return;
                event.preventDefault();
                openMenu(item, event.currentTarget);
              }}
            >
              {onTick !== undefined && (
                <span
                  class={`option-tick ${isTicked?.(item) === true ? "ticked" : ""}`}
                  title={t("Tick several for one chart (Ctrl+Enter)")}
                  onClick={(event) => {
                    event.stopPropagation();
                    setActive(i);
                    onTick(item);
                  }}
                >
                  <Icon name="check" />
                  {isTicked?.(item) === true && <span class="visually-hidden">{t("ticked")}</span>}
                </span>
              )}
              {multiple && <Icon name="check" class={`option-check ${isChosen?.(item) === true ? "" : "unchecked"}`} />}
              {render(item, search)}
              {onMenu !== undefined && hasMenu(item) && (
                <span
                  class="option-menu"
                  title={t("Pin, copy… (Shift+F10)")}
                  onClick={(event) => {
                    event.stopPropagation();
                    openMenu(item, event.currentTarget);
                  }}
                >
                  <Icon name="ellipsis" />
                </span>
              )}
            </div>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <div class="option-none muted">
          {search.trim() === "" ? t("Type to search.") : t`Nothing matches “${search}”.`}
        </div>
      )}
      {found.length > SHOWN && (
        <div class="option-none muted">{t`${SHOWN} of ${found.length} shown: search to narrow the list.`}</div>
      )}
      {note !== undefined && (
        <div class="option-none muted" role="status">
          {note}
        </div>
      )}
    </div>
  );
}

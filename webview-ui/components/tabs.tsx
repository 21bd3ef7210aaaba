import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  readonly label?: string;
  readonly tabs: readonly { readonly id: T; readonly title: string }[];
  readonly selected: T;
  readonly onSelect: (id: T) => void;
  /** Shown at the right of the tab bar. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Tabs as the ARIA practices describe them: arrow keys move and select, Home and End go to the ends. */
export function Tabs<T extends string>({
  label = t("Views of this run"),
  tabs,
  selected,
  onSelect,
  tools,
  children,
}: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [bar, shown] = [list.current?.parentElement, panel.current];
    if (bar === null || bar === undefined || shown === null) return;
    // What was chosen begins at its beginning.
    const hidden = bar.getBoundingClientRect().bottom - shown.getBoundingClientRect().top;
    if (hidden > 0) window.scrollBy({ top: -hidden });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const to = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    const next = to === undefined ? undefined : tabs[to];
    if (next === undefined || to === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <>
      <div class="tab-bar">
        <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              class="tab"
              aria-selected={id === selected}
              aria-controls={`panel-${id}`}
              tabIndex={id === selected ? 0 : -1}
              onClick={() => onSelect(id)}
            >
              {title}
            </button>
          ))}
        </div>
        <div class="tab-tools">{tools}</div>
      </div>
      <div class="tab-panel" role="tabpanel" ref={panel} id={`panel-${selected}`} aria-labelledby={`tab-${selected}`}>
        {children}
      </div>
    </>
  );
}

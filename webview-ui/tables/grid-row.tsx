import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState, useRef } from "preact/hooks";
import { isPrinted } from "../report/browser.js";
import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import type { GridProps } from "./grid-props.js";

/** Height of every row, pixels; the style sheet uses the same. */
export const ROW_HEIGHT = 26;

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly totalSize: number;
  /** Brings a row into sight. */
  readonly scrollTo: (index: number) => void;
}

/** What a row has beneath it, pixels. `key` changes whenever any of them does. */
interface ExtraHeights {
  readonly key: string;
  readonly of: (index: number) => number;
}

const NO_EXTRA: ExtraHeights = { key: "", of: () => 0 };

/** The rows in sight of a scrolling element, and the height of all. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number, extra = NO_EXTRA): VirtualRows {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index: number) => ROW_HEIGHT + extra.of(index),
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
    ...(isPrinted.value && { rangeExtractor: () => Array.from({ length: count }, (_, i) => i) }),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [extra.key]);
  return {
    items: virtualizer.getVirtualItems(),
    totalSize: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}

/** What can be done with a row. */
interface RowActs<Row> {
  readonly toggle: (row: Row) => void;
  readonly menu: (row: Row, anchor: Element) => void;
  readonly edit: (row: Row, column: number) => void;
  /** Without a text it stays. */
  readonly endEdit: (row: Row, at: number, text: string | undefined) => void;
  readonly setHeight: (row: Row, height: number) => void;
}

interface GridRowViewProps<Row> {
  readonly grid: GridProps<Row>;
  readonly row: Row;
  /** Its place among all rows. */
  readonly at: number;
  /** Pixels from the first row's. */
  readonly top: number;
  /** What assistive technology counts the first row as. */
  readonly firstIndex: number;
  readonly hintId: string;
  /** The column that the Tab key stops at, when it is in this row. */
  readonly stop: number | undefined;
  /** Of its details, when they are open. */
  readonly height: number | undefined;
  /** The column whose text is being changed. */
  readonly edited: string | undefined;
  readonly acts: RowActs<Row>;
}

/**
 * A row and, when they are open, its details. A click anywhere shows the details or, where a row has none, opens the
 * row; the right mouse button opens its menu.
 */
export function GridRowView<Row>({
  grid: { columns, nameOf, idOf, rowClass, details, selection, onOpen, onMenu: menuOf },
  row,
  at,
  top,
  firstIndex,
  hintId,
  stop,
  height,
  edited,
  acts,
}: GridRowViewProps<Row>) {
  const isOpen = height !== undefined;
  const isSelected = selection?.has(row) === true;
  return (
    <>
      <div
        class={`grid-row ${at % 2 === 1 ? "odd" : ""} ${isOpen ? "open" : ""} ${details === undefined && selection === undefined && onOpen === undefined ? "" : "opens"} ${isSelected ? "selected" : ""} ${rowClass?.(row) ?? ""}`}
        role="row"
        aria-rowindex={at + firstIndex}
        {...(selection === undefined ? {} : { "aria-selected": isSelected })}
        data-at={at}
        data-row={idOf(row)}
        style={{ transform: `translateY(${top}px)` }}
        onClick={(event) => {
          const onButton = event.target instanceof Element && event.target.closest("button, input") !== null;
          // Whoever marks a text does not want another one.
          // The second of a double click, which marks a word, takes the choice of the first back.
          const isSecond = selection !== undefined && event.detail === 2;
          if (onButton || (String(getSelection()) !== "" && !isSecond)) return;
          if (details !== undefined) acts.toggle(row);
          else if (selection !== undefined) selection.toggle(row, event.shiftKey);
          else onOpen?.(row);
        }}
        onDblClick={(event) => {
          const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-column]") : null;
          if (cell !== null) acts.edit(row, Number(cell.dataset["column"]));
        }}
        onContextMenu={(event) => {
          if (menuOf === undefined) return;
          event.preventDefault();
          const cell = event.target instanceof Element ? event.target.closest(".grid-cell") : null;
          acts.menu(row, cell ?? event.currentTarget);
        }}
      >
        {columns.map((column, c) => {
          const hasHint = column.hint?.has(row) === true;
          return (
            <div
              key={column.key}
              class={`grid-cell ${column.kind === "number" ? "numeric" : column.kind} ${c === 0 || column.fixed === true ? "fixed" : ""} ${column.starts === true ? "group-start" : ""} ${c === 0 && menuOf !== undefined ? "with-menu" : ""} ${column.classOf?.(row) ?? ""}`}
              role="gridcell"
              tabIndex={stop === c ? 0 : -1}
              data-column={c}
              {...(hasHint ? { "data-hint": "", "aria-describedby": hintId } : { title: column.titleOf?.(row) })}
            >
              {c === 0 && details !== undefined && (
                <button
                  type="button"
                  class="row-expand"
                  tabIndex={-1}
                  aria-expanded={isOpen}
                  aria-label={t`${isOpen ? t("Hide") : t("Show")} the details of ${nameOf(row)}`}
                  title={t("Details (Space)")}
                  onClick={() => acts.toggle(row)}
                >
                  <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
                </button>
              )}
              {c === 0 && selection !== undefined && (
                <input
                  type="checkbox"
                  class="row-select"
                  tabIndex={-1}
                  aria-label={t`Select ${nameOf(row)}`}
                  checked={isSelected}
                  onClick={(event) => selection.toggle(row, event.shiftKey)}
                />
              )}
              {edited === column.key && column.edit !== undefined ? (
                <CellInput
                  label={t`${column.title} of ${nameOf(row)}`}
                  text={column.edit.text(row)}
                  onDone={(text) => acts.endEdit(row, at, text)}
                />
              ) : (
                column.cell(row)
              )}
              {c === 0 && menuOf !== undefined && (
                <button
                  type="button"
                  class="row-menu"
                  tabIndex={-1}
                  aria-label={t`Actions for ${nameOf(row)}`}
                  title={t("Actions (Shift+F10)")}
                  aria-haspopup="menu"
                  onClick={(event) => acts.menu(row, event.currentTarget)}
                >
                  <Icon name="ellipsis" />
                </button>
              )}
            </div>
          );
        })}
      </div>
      {isOpen && details !== undefined && (
        <div class="details-row" role="row" style={{ transform: `translateY(${top + ROW_HEIGHT}px)` }}>
          <div role="gridcell" aria-colspan={columns.length}>
            {details.content(row, (to) => acts.setHeight(row, to))}
          </div>
        </div>
      )}
    </>
  );
}

interface CellInputProps {
  readonly label: string;
  readonly text: string;
  /** Undefined: it stays as it was. */
  readonly onDone: (text: string | undefined) => void;
}

/** A cell whose text is changed. Enter and leaving it take the text, Escape does not. */
function CellInput({ label, text, onDone }: CellInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => input.current?.select(), []);
  const done = (changed: string | undefined) => {
    // It is left once more as it goes.
    if (isDone.current) return;
    isDone.current = true;
    onDone(changed === text ? undefined : changed);
  };
  return (
    <input
      ref={input}
      class="input cell-input"
      aria-label={label}
      defaultValue={text}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") done(event.currentTarget.value);
        if (event.key === "Escape") done(undefined);
      }}
      onBlur={(event) => done(event.currentTarget.value)}
    />
  );
}

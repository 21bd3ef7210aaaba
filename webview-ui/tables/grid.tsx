import { useSignal } from "@preact/signals";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { splitValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { estimateLines, isBeyond } from "../format/estimate.js";
import { fullName } from "../format/text.js";
import { cellUnit } from "../format/unit.js";
import { gridColumns, type UnitOf, type Width } from "./columns.js";
import { EstimateHintView, type EstimateHint } from "./estimate-hint.js";
import type { MenuSubject } from "../state/menu.js";
import { useView } from "../state/context.js";
import { Middle } from "../components/middle.js";
import type { CellEstimate, GridModel, GridRow } from "./model.js";
import type { Sorting } from "./table-state.js";
import { ROW_HEIGHT, useVirtualRows } from "./virtual-rows.js";

interface GridProps {
  readonly model: GridModel;
  readonly rows: readonly GridRow[];
  readonly name: string;
  readonly captionId: string;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
  readonly unitOf: UnitOf;
  /** What a query copied from a row gives. */
  readonly shows: MenuSubject["shows"];
}

/** The rows in sight. Estimates are one stop of the Tab key; arrow keys go from one to the next. */
export function Grid({ model, rows, name, captionId, sorting, onSort, unitOf, shows }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { items, totalSize } = useVirtualRows(scroller, rows.length);
  const widest = useMemo(() => new Map<string, Width>(), []);
  const columns = useMemo(() => gridColumns(model, unitOf, widest), [model]);
  const hint = useSignal<EstimateHint | undefined>(undefined);
  const hintId = useId();
  const [stop, setStop] = useState<{ readonly row: number; readonly column: number }>();

  const drawn = items.flatMap((item) => rows[item.index] ?? []);
  const known = drawn.find((row) => row.index === stop?.row) ?? drawn[0];
  const stopColumn =
    known?.index === stop?.row
      ? stop?.column
      : model.numberColumns.findIndex((_column, i) => known !== undefined && model.estimateAt(known, i) !== undefined);

  const hide = () => {
    hint.value = undefined;
  };
  /** Of what the pointer is over, else of what has the focus. */
  const show = (target: EventTarget | null) => {
    const cell = estimateCell(target);
    const at = cell === undefined ? undefined : placeOf(cell);
    const row = drawn.find(({ index }) => index === at?.row);
    const column = at === undefined ? undefined : model.numberColumns[at.column];
    const estimate = row === undefined || at === undefined ? undefined : model.estimateAt(row, at.column);
    if (cell === undefined || at === undefined || row === undefined || column === undefined || estimate === undefined)
      hide();
    else
      hint.value = {
        cell,
        lines: estimateLines(row.numbers[at.column] ?? NaN, estimate, column.unit ?? unitOf(row, column.key)),
      };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") hide();
    const cell = estimateCell(event.target);
    const next = cell === undefined ? nextMenu(event.target, event.key) : neighbour(cell, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <>
      <div
        class="grid-scroller"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={`${name}, scrollable`}
        onPointerOver={(event) => show(estimateCell(event.target) ?? document.activeElement)}
        onPointerLeave={() => show(document.activeElement)}
        onFocusIn={(event) => {
          const cell = estimateCell(event.target);
          if (cell !== undefined) setStop(placeOf(cell));
          show(cell ?? null);
        }}
        onFocusOut={hide}
        onKeyDown={onKeyDown}
      >
        <div
          class="grid"
          role="table"
          aria-label={name}
          aria-describedby={captionId}
          aria-rowcount={rows.length + 1}
          aria-colcount={model.textColumns.length + model.numberColumns.length}
          style={{ "--grid-columns": columns.template, minWidth: columns.minWidth }}
        >
          <div class="grid-head" role="rowgroup">
            <div class="grid-row" role="row" aria-rowindex={1}>
              {model.textColumns.map((column) => (
                <HeadCell
                  key={column.key}
                  id={column.key}
                  title={column.title}
                  sorting={sorting}
                  onSort={onSort}
                  numeric={false}
                />
              ))}
              {model.numberColumns.map((column) => (
                <HeadCell
                  key={column.key}
                  id={column.key}
                  title={column.title}
                  sorting={sorting}
                  onSort={onSort}
                  numeric
                />
              ))}
            </div>
          </div>
          <div class="grid-body" role="rowgroup" style={{ height: `${totalSize}px` }}>
            {items.map((item) => {
              const row = rows[item.index];
              return row === undefined ? null : (
                <RowView
                  key={row.index}
                  row={row}
                  model={model}
                  unitOf={unitOf}
                  at={item.index}
                  hintId={hintId}
                  stopColumn={row === known ? stopColumn : undefined}
                  reachable={row === known}
                  shows={shows}
                />
              );
            })}
          </div>
        </div>
      </div>
      <EstimateHintView id={hintId} hint={hint} onGone={hide} />
    </>
  );
}

function estimateCell(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>("[data-estimate]") ?? undefined) : undefined;
}

function placeOf(cell: HTMLElement): { readonly row: number; readonly column: number } {
  const [row = NaN, column = NaN] = (cell.dataset["estimate"] ?? "").split("/").map(Number);
  return { row, column };
}

/** The next cell with an estimate in the direction of an arrow key, among the rows drawn. */
function neighbour(cell: HTMLElement, key: string): HTMLElement | undefined {
  const { column } = placeOf(cell);
  const side = {
    ArrowLeft: "previousElementSibling",
    ArrowRight: "nextElementSibling",
    ArrowUp: "previousElementSibling",
    ArrowDown: "nextElementSibling",
  } as const;
  if (!(key in side)) return undefined;
  const step = side[key as keyof typeof side];
  const vertical = key === "ArrowUp" || key === "ArrowDown";
  for (let at: Element | null | undefined = (vertical ? cell.parentElement : cell)?.[step]; at; at = at[step]) {
    const found = vertical ? at.querySelector<HTMLElement>(`[data-estimate$="/${column}"]`) : at;
    if (found instanceof HTMLElement && found.dataset["estimate"] !== undefined) return found;
  }
  return undefined;
}

/** The row menu above or below the one that has the focus. */
function nextMenu(target: EventTarget | null, key: string): HTMLElement | undefined {
  const row = target instanceof Element && target.matches(".row-menu") ? target.closest(".grid-row") : undefined;
  const next =
    key === "ArrowDown" ? row?.nextElementSibling : key === "ArrowUp" ? row?.previousElementSibling : undefined;
  return next?.querySelector<HTMLElement>(".row-menu") ?? undefined;
}

interface HeadCellProps {
  readonly id: string;
  readonly title: string;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting | undefined) => void;
  readonly numeric: boolean;
}

/** Words sort up first, numbers down first; the third click gives the table its own order back. */
function HeadCell({ id, title, sorting, onSort, numeric }: HeadCellProps) {
  const current = sorting?.key === id ? sorting : undefined;
  const next =
    current === undefined
      ? { key: id, descending: numeric }
      : current.descending === numeric
        ? { key: id, descending: !numeric }
        : undefined;
  return (
    <div
      class={`grid-cell ${numeric ? "numeric" : ""}`}
      role="columnheader"
      aria-sort={current === undefined ? "none" : current.descending ? "descending" : "ascending"}
    >
      <button type="button" class="sort" title={`Sort by ${title}`} onClick={() => onSort(next)}>
        {current !== undefined && numeric && <Icon name={current.descending ? "arrow-down" : "arrow-up"} />}
        {title}
        {current !== undefined && !numeric && <Icon name={current.descending ? "arrow-down" : "arrow-up"} />}
      </button>
    </div>
  );
}

/** Opens the menu of a row's series; the right mouse button on the row does the same. */
function RowMenu({
  row,
  reachable,
  shows,
}: {
  readonly row: GridRow;
  readonly reachable: boolean;
  readonly shows: MenuSubject["shows"];
}) {
  const { menu } = useView();
  return (
    <button
      type="button"
      class="row-menu"
      tabIndex={reachable ? 0 : -1}
      aria-label={`Actions for ${row.texts.join(" ")}`}
      aria-haspopup="menu"
      onClick={(event) => (menu.value = { anchor: event.currentTarget, subject: { ...subjectOf(row), shows } })}
    >
      <Icon name="ellipsis" />
    </button>
  );
}

function subjectOf({ family, series, endpointUrl, labels }: GridRow): Omit<MenuSubject, "shows"> {
  return { family, series: [{ id: series, endpointUrl, labels }] };
}

interface RowViewProps {
  readonly row: GridRow;
  readonly model: GridModel;
  readonly unitOf: UnitOf;
  readonly at: number;
  readonly hintId: string;
  /** The column whose estimate the Tab key stops at, when it is in this row. */
  readonly stopColumn: number | undefined;
  /** The Tab key stops at its menu; arrow keys go on to those of the other rows. */
  readonly reachable: boolean;
  readonly shows: MenuSubject["shows"];
}

function RowView({ row, model, unitOf, at, hintId, stopColumn, reachable, shows }: RowViewProps) {
  const place = { transform: `translateY(${at * ROW_HEIGHT}px)` };
  return (
    <div
      class={`grid-row ${row.incomplete ? "incomplete" : ""} ${at % 2 === 1 ? "odd" : ""}`}
      role="row"
      aria-rowindex={at + 2}
      style={place}
      onContextMenu={(event) => {
        event.preventDefault();
        event.currentTarget.querySelector<HTMLElement>(".row-menu")?.click();
      }}
    >
      {row.texts.map((value, i) => (
        <div
          key={model.textColumns[i]?.key ?? i}
          class="grid-cell text"
          role="cell"
          title={`${row.family}\n${fullName(row)}`}
        >
          {i === 0 && row.pinned && <Icon name="pinned" label="Pinned" class="row-pin" />}
          <Middle text={value} />
          {i === 0 && row.name !== undefined && <CellName name={row.name} />}
          {i === 0 && <RowMenu row={row} reachable={reachable} shows={shows} />}
          {i === 0 && row.unit !== undefined && <span class="cell-unit muted">{row.unit}</span>}
          {i === 0 && row.failed !== undefined && <Icon name="error" label={row.failed} class="row-note tone-error" />}
          {i === 0 && row.note !== undefined && (
            <Icon name={row.incomplete ? "debug-step-over" : "info"} label={row.note} class="row-note" />
          )}
        </div>
      ))}
      {model.numberColumns.map((column, i) => {
        const value = row.numbers[i] ?? NaN;
        const unit = cellUnit(column.unit ?? unitOf(row, column.key));
        const estimate = model.estimateAt(row, i);
        const failure = model.failureAt(row, i);
        const cellClass = `grid-cell numeric ${failure === undefined ? "" : "cell-failed"}`;
        if (estimate === undefined) {
          return (
            <div
              key={column.key}
              class={cellClass}
              role="cell"
              title={[Number.isNaN(value) ? "none" : String(value), failure]
                .filter((part) => part !== undefined)
                .join("\n")}
            >
              <ShownNumber value={value} unit={unit} />
            </div>
          );
        }
        return (
          <div
            key={column.key}
            class={cellClass}
            role="cell"
            data-estimate={`${row.index}/${i}`}
            tabIndex={stopColumn === i ? 0 : -1}
            aria-describedby={hintId}
          >
            <ShownEstimate value={value} estimate={estimate} unit={unit} />
          </div>
        );
      })}
    </div>
  );
}

/** The exposed name beside a title. */
export function CellName({ name }: { readonly name: string }) {
  return (
    <span class="cell-name muted">
      <Middle text={name} />
    </span>
  );
}

/** A number and its unit, set smaller. */
export function ShownNumber({ value, unit }: { readonly value: number; readonly unit: string | undefined }) {
  const shown = splitValue(value, unit);
  return (
    <>
      {shown.number}
      {shown.unit !== "" && <span class="cell-unit">{shown.unit.startsWith("/") ? shown.unit : ` ${shown.unit}`}</span>}
    </>
  );
}

/** Beyond the last bound only that bound is known. */
function ShownEstimate({
  value,
  estimate,
  unit,
}: {
  readonly value: number;
  readonly estimate: CellEstimate;
  readonly unit: string | undefined;
}) {
  if (!isBeyond(estimate) || !Number.isFinite(estimate.lower)) return <ShownNumber value={value} unit={unit} />;
  return (
    <>
      ≥ <ShownNumber value={estimate.lower} unit={unit} />
    </>
  );
}

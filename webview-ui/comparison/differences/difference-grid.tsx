import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { shareText, sideText } from "../../../src/core/compare/report.js";
import type { Comparison, ComparisonCell, ComparisonRow, SideValue } from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { symbolOnly } from "../../format/unit.js";
import { Menu, type MenuItem } from "../../menu/menu.js";
import { EstimateHintView, type EstimateHint } from "../../tables/estimate-hint.js";
import { CellName, ShownNumber } from "../../tables/grid.js";
import { Middle } from "../../components/middle.js";
import { ROW_HEIGHT, useVirtualRows } from "../../tables/virtual-rows.js";
import type { RowSorting } from "../layout.js";
import { DIRECTION_TEXT } from "../words.js";
import { differenceColumns, unitWord, type DifferenceColumn, type DifferenceColumns } from "./columns.js";
import { Details } from "./details.js";
import { IntervalBar } from "./interval-bar.js";
import { intervalScale, type IntervalScale } from "./interval-scale.js";
import { verdictLines } from "./row-text.js";
import type { DifferenceModel, DifferenceRow } from "./rows.js";
import { Trend } from "./trend.js";
import { VerdictMark } from "./verdict.js";
import { RunSwatch } from "../run-swatch.js";

interface DifferenceGridProps {
  readonly comparison: Comparison;
  readonly model: DifferenceModel;
  readonly rows: readonly DifferenceRow[];
  readonly sorting: RowSorting | null;
  readonly onSort: (sorting: RowSorting | null) => void;
  readonly menuOf: (row: ComparisonRow) => readonly MenuItem[];
  /** Enter. */
  readonly onChart: (row: ComparisonRow) => void;
  /** Ctrl+C. */
  readonly onCopy: (row: ComparisonRow) => void;
}

interface Place {
  readonly id: string;
  readonly column: number;
}

/** Before it is measured, and what a details row takes at the least. */
const DETAILS_HEIGHT = 120;

/** Stands for the row of column heads among the rows' ids. */
const HEAD = ":head";

/**
 * The rows in sight, a column group for each candidate. One stop of the Tab key: arrows, Page Up and Page Down, Home
 * and End move, from the first row up to the heads; Space opens a row's details, Enter charts it (or sorts, on a head),
 * Ctrl+C copies it, Shift+F10 opens its menu.
 */
export function DifferenceGrid({
  comparison,
  model,
  rows,
  sorting,
  onSort,
  menuOf,
  onChart,
  onCopy,
}: DifferenceGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const hint = useSignal<EstimateHint | undefined>(undefined);
  const hintId = useId();
  const layout = useMemo(() => differenceColumns(comparison, model), [comparison, model]);
  const scale = useMemo(() => intervalScale(comparison.rows, comparison.method.threshold), [comparison]);
  const [open, setOpen] = useState<ReadonlyMap<string, number>>(new Map());
  const [stop, setStop] = useState<Place>();
  const [menu, setMenu] = useState<{ readonly row: ComparisonRow; readonly anchor: Element }>();
  /** The cell that gets the focus once it is drawn. */
  const wanted = useRef<Place | undefined>(undefined);
  const heightOf = (index: number) => open.get(rows[index]?.row.id ?? "") ?? 0;
  const { items, totalSize, scrollTo } = useVirtualRows(scroller, rows.length, {
    key:
      open.size === 0
        ? ""
        : JSON.stringify([...open].map(([id, height]) => [rows.findIndex(({ row }) => row.id === id), height])),
    of: heightOf,
  });

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [sorting]);
  useLayoutEffect(() => {
    const place = wanted.current;
    if (place === undefined) return;
    const cell = scroller.current?.querySelector<HTMLElement>(
      `[data-row="${CSS.escape(place.id)}"] [data-column="${place.column}"]`,
    );
    if (cell === null || cell === undefined) return;
    wanted.current = undefined;
    cell.focus({ preventScroll: true });
    keepInSight(cell);
  });

  const drawn = items.flatMap((item) => rows[item.index] ?? []);
  const stopRow = drawn.find(({ row }) => row.id === stop?.id) ?? drawn[0];
  const stopColumn = Math.min(stop?.column ?? 0, layout.columns.length - 1);
  const hide = () => {
    hint.value = undefined;
  };
  const show = (target: EventTarget | null) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-hint]") : null;
    const row =
      cell === null
        ? undefined
        : drawn.find((one) => one.row.id === cell.closest<HTMLElement>("[data-row]")?.dataset["row"])?.row;
    const column = layout.columns[Number(cell?.dataset["column"])];
    const judged = column?.candidate === undefined ? undefined : row?.cells[column.candidate];
    if (cell === null || row === undefined || judged === undefined) hide();
    else
      hint.value = {
        cell,
        lines: verdictLines(judged, row, comparison.method.threshold, comparison.method.confidence),
      };
  };
  const placeOf = (target: EventTarget | null): Place | undefined => {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-column]") : null;
    const id = cell?.closest<HTMLElement>("[data-row]")?.dataset["row"];
    return cell === null || id === undefined ? undefined : { id, column: Number(cell.dataset["column"]) };
  };
  const toggle = (id: string) => {
    const next = new Map(open);
    if (!next.delete(id)) next.set(id, DETAILS_HEIGHT);
    setOpen(next);
  };
  const openMenu = (row: ComparisonRow, anchor: Element) => {
    hide();
    setMenu({ row, anchor });
  };
  const move = (index: number, column: number) => {
    const to = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (to === undefined) return;
    wanted.current = { id: to.row.id, column: Math.max(0, Math.min(layout.columns.length - 1, column)) };
    setStop(wanted.current);
    scrollTo(rows.indexOf(to));
  };
  const focusHead = (column: number, step: number) => {
    for (let c = column; c >= 0 && c < layout.columns.length; c += step) {
      const head = scroller.current?.querySelector<HTMLElement>(`[data-row="${HEAD}"] [data-column="${c}"]`);
      if (head === null || head === undefined) continue;
      head.focus();
      return;
    }
  };
  const onHeadKeyDown = (event: KeyboardEvent, column: number) => {
    const action = {
      ArrowDown: () => move(0, column),
      ArrowLeft: () => focusHead(column - 1, -1),
      ArrowRight: () => focusHead(column + 1, 1),
      Home: () => focusHead(0, 1),
      End: () => focusHead(layout.columns.length - 1, -1),
    }[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const place = placeOf(event.target);
    if (place?.id === HEAD) {
      onHeadKeyDown(event, place.column);
      return;
    }
    const index = place === undefined ? -1 : rows.findIndex(({ row }) => row.id === place.id);
    const row = rows[index]?.row;
    if (place === undefined || row === undefined || !(event.target instanceof Element)) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 4);
    const control = event.ctrlKey || event.metaKey;
    const steps: { readonly [key: string]: () => void } = {
      ArrowDown: () => move(index + 1, place.column),
      ArrowUp: () => (index === 0 ? focusHead(place.column, -1) : move(index - 1, place.column)),
      ArrowRight: () => move(index, place.column + 1),
      ArrowLeft: () => move(index, place.column - 1),
      PageDown: () => move(index + page, place.column),
      PageUp: () => move(index - page, place.column),
      Home: () => (control ? move(0, 0) : move(index, 0)),
      End: () => (control ? move(rows.length - 1, place.column) : move(index, layout.columns.length - 1)),
      " ": () => toggle(row.id),
      ContextMenu: () => openMenu(row, event.target as Element),
    };
    const onButton = event.target.closest("button") !== null;
    const action =
      event.key === "Enter" && !onButton
        ? () => onChart(row)
        : event.key === "F10" && event.shiftKey
          ? steps["ContextMenu"]
          : event.key === "c" && control && String(getSelection()) === ""
            ? () => onCopy(row)
            : onButton && event.key === " "
              ? undefined
              : control && !["Home", "End"].includes(event.key)
                ? undefined
                : steps[event.key];
    if (event.key === "Escape") hide();
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    <>
      <div
        class="grid-scroller difference-scroller"
        ref={scroller}
        onPointerOver={(event) => show(event.target)}
        onPointerLeave={hide}
        onFocusIn={(event) => {
          const place = placeOf(event.target);
          if (place !== undefined && place.id !== HEAD && (place.id !== stop?.id || place.column !== stop.column))
            setStop(place);
          show(event.target);
        }}
        onFocusOut={hide}
        onKeyDown={onKeyDown}
      >
        <div
          class="grid difference-grid"
          role="grid"
          aria-label="Differences"
          aria-rowcount={rows.length + 2}
          aria-colcount={layout.columns.length}
          style={{ "--grid-columns": layout.template, "--first-column": layout.first }}
        >
          <Head comparison={comparison} layout={layout} scale={scale} sorting={sorting} onSort={onSort} />
          <div class="grid-body" role="rowgroup" style={{ height: `${totalSize}px` }}>
            {items.map((item) => {
              const one = rows[item.index];
              if (one === undefined) return null;
              const { id } = one.row;
              return (
                <RowView
                  // By place: a filter changes what rows say, which costs less than making them anew.
                  key={item.index}
                  one={one}
                  at={item.index}
                  top={item.start}
                  comparison={comparison}
                  layout={layout}
                  scale={scale}
                  hintId={hintId}
                  stop={one === stopRow ? stopColumn : undefined}
                  height={open.get(id)}
                  onToggle={() => toggle(id)}
                  onHeight={(height) => {
                    if (open.get(id) !== height)
                      setOpen((known) => (known.has(id) ? new Map(known).set(id, height) : known));
                  }}
                  onMenu={(cell) => openMenu(one.row, cell)}
                  onChart={() => onChart(one.row)}
                />
              );
            })}
          </div>
        </div>
      </div>
      <EstimateHintView id={hintId} hint={hint} onGone={hide} />
      {menu !== undefined && (
        <Menu
          label={`Actions for ${menu.row.family} ${menu.row.quantity}`}
          anchor={menu.anchor}
          items={menuOf(menu.row)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  );
}

/** Scrolls sideways so that a cell is not beneath the fixed columns. */
function keepInSight(cell: HTMLElement): void {
  const scroller = cell.closest<HTMLElement>(".grid-scroller");
  const fixed = cell.parentElement?.querySelector(".fixed");
  if (scroller === null || fixed === null || fixed === undefined || Number(cell.dataset["column"]) < 2) return;
  const box = cell.getBoundingClientRect();
  const left = fixed.getBoundingClientRect().right;
  const { right } = scroller.getBoundingClientRect();
  if (box.left < left) scroller.scrollLeft -= left - box.left;
  else if (box.right > right) scroller.scrollLeft += Math.min(box.right - right, box.left - left);
}

interface HeadProps {
  readonly comparison: Comparison;
  readonly layout: DifferenceColumns;
  readonly scale: IntervalScale;
  readonly sorting: RowSorting | null;
  readonly onSort: (sorting: RowSorting | null) => void;
}

function Head({ comparison, layout, scale, sorting, onSort }: HeadProps) {
  const own = layout.columns.filter(({ candidate, key }) => candidate === undefined && key !== "actions").length;
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row difference-groups" role="row" aria-rowindex={1}>
        <div class="grid-cell" role="columnheader" />
        <div class="grid-cell fixed" role="columnheader" />
        {own > 3 && <div class="grid-cell" role="columnheader" />}
        <div class="grid-cell group-cell numeric" role="columnheader" title={comparison.baseline.label}>
          <RunSwatch position={0} />
          <Middle text={comparison.baseline.label} />
        </div>
        {comparison.candidates.map(({ label }, c) => (
          <div
            key={label}
            class="grid-cell group-cell"
            role="columnheader"
            title={label}
            style={{ gridColumn: "span 6" }}
            aria-colspan={6}
          >
            <span class="group-name">
              <RunSwatch position={c + 1} />
              <Middle text={label} />
            </span>
          </div>
        ))}
      </div>
      <div class="grid-row" role="row" aria-rowindex={2} data-row={HEAD}>
        {layout.columns.map((column, c) => (
          <HeadCell key={column.key} column={column} at={c} scale={scale} sorting={sorting} onSort={onSort} />
        ))}
      </div>
    </div>
  );
}

/** Words sort up first, numbers down first; the third click gives the order by effect back. */
function HeadCell({
  column,
  at,
  scale,
  sorting,
  onSort,
}: { readonly column: DifferenceColumn; readonly at: number } & Pick<HeadProps, "scale" | "sorting" | "onSort">) {
  const { key, title, hint, numeric, sortable } = column;
  const descendingFirst = numeric || key.endsWith("/verdict");
  const current = sorting?.key === key ? sorting : undefined;
  const next =
    current === undefined
      ? { key, descending: descendingFirst }
      : current.descending === descendingFirst
        ? { key, descending: !descendingFirst }
        : null;
  const arrow = current !== undefined && <Icon name={current.descending ? "arrow-down" : "arrow-up"} />;
  const classes = `grid-cell ${numeric ? "numeric" : ""} ${placeClass(column)}`;
  if (!sortable) {
    return (
      <div class={classes} role="columnheader" title={hint} aria-label={key === "actions" ? "Actions" : title}>
        {key.endsWith("/interval") ? <IntervalAxis scale={scale} /> : <span class="unsorted">{title}</span>}
      </div>
    );
  }
  return (
    <div
      class={classes}
      role="columnheader"
      aria-sort={current === undefined ? "none" : current.descending ? "descending" : "ascending"}
    >
      <button
        type="button"
        class="sort"
        tabIndex={-1}
        data-column={at}
        title={`${hint}\nActivate to sort`}
        onClick={() => onSort(next)}
      >
        {numeric && arrow}
        {title}
        {!numeric && arrow}
      </button>
    </div>
  );
}

/** The quantity stays in sight with the metric; each run's columns begin with a line. */
function placeClass({ key }: DifferenceColumn): string {
  if (key === "quantity") return "fixed";
  return key === "baseline" || key.endsWith("/value") ? "group-start" : "";
}

function IntervalAxis({ scale }: { readonly scale: IntervalScale }) {
  const end = `${Number((100 * scale.limit).toPrecision(2))} %`;
  return (
    <span class="interval-axis" aria-hidden="true">
      <span>−{end}</span>
      <span>0</span>
      <span>+{end}</span>
    </span>
  );
}

interface RowViewProps {
  readonly one: DifferenceRow;
  readonly at: number;
  readonly top: number;
  readonly comparison: Comparison;
  readonly layout: DifferenceColumns;
  readonly scale: IntervalScale;
  readonly hintId: string;
  /** The column that the Tab key stops at, when it is in this row. */
  readonly stop: number | undefined;
  /** Of its details, when they are open. */
  readonly height: number | undefined;
  readonly onToggle: () => void;
  readonly onHeight: (height: number) => void;
  readonly onMenu: (cell: Element) => void;
  readonly onChart: () => void;
}

function RowView({
  one,
  at,
  top,
  comparison,
  layout,
  scale,
  hintId,
  stop,
  height,
  onToggle,
  onHeight,
  onMenu,
  onChart,
}: RowViewProps) {
  const { row } = one;
  const isOpen = height !== undefined;
  const menuCell = layout.columns.length - 1;
  return (
    <>
      <div
        class={`grid-row ${at % 2 === 1 ? "odd" : ""} ${isOpen ? "open" : ""}`}
        role="row"
        aria-rowindex={at + 3}
        aria-expanded={isOpen}
        data-row={row.id}
        style={{ transform: `translateY(${top}px)` }}
        onDblClick={onChart}
        onContextMenu={(event) => {
          event.preventDefault();
          const cell = event.target instanceof Element ? event.target.closest(".grid-cell") : null;
          onMenu(cell ?? event.currentTarget);
        }}
      >
        {layout.columns.map((column, c) => {
          const cell = column.candidate === undefined ? undefined : row.cells[column.candidate];
          const hasHint = cell !== undefined && /\/(verdict|interval|share)$/.test(column.key);
          return (
            <div
              key={column.key}
              class={`grid-cell ${column.numeric ? "numeric" : ""} ${column.key === "metric" || column.key === "labels" ? "text" : ""} ${/interval|trend|actions/.test(column.key) ? "drawing" : ""} ${placeClass(column)}`}
              role="gridcell"
              tabIndex={stop === c && c !== menuCell ? 0 : -1}
              {...(column.key === "actions" ? {} : { "data-column": c })}
              {...(hasHint ? { "data-hint": "", "aria-describedby": hintId } : {})}
              {...titleOf(column, one)}
            >
              {column.key === "metric" ? (
                <MetricName one={one} isOpen={isOpen} onToggle={onToggle} />
              ) : column.key === "actions" ? (
                <button
                  type="button"
                  class="row-action"
                  tabIndex={stop === c ? 0 : -1}
                  data-column={c}
                  aria-label={`Actions for ${one.name} ${row.quantity}`}
                  title="Actions (Shift+F10)"
                  aria-haspopup="menu"
                  onClick={(event) => onMenu(event.currentTarget)}
                >
                  <Icon name="ellipsis" />
                </button>
              ) : (
                <Content column={column} one={one} cell={cell} comparison={comparison} scale={scale} />
              )}
            </div>
          );
        })}
      </div>
      {isOpen && (
        <div class="details-row" role="row" style={{ transform: `translateY(${top + ROW_HEIGHT}px)` }}>
          <div role="gridcell" aria-colspan={layout.columns.length}>
            <Details row={row} comparison={comparison} onHeight={onHeight} />
          </div>
        </div>
      )}
    </>
  );
}

function titleOf({ key }: DifferenceColumn, { row, labels }: DifferenceRow): { readonly title?: string } {
  if (key === "metric") return { title: `${row.family}\n${DIRECTION_TEXT[row.direction]}` };
  return key === "labels" && labels !== "" ? { title: labels } : {};
}

const DIRECTION_ICONS = { up: "arrow-up", down: "arrow-down", neutral: undefined } as const;

function MetricName({
  one: { row, name },
  isOpen,
  onToggle,
}: {
  readonly one: DifferenceRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const direction = DIRECTION_ICONS[row.direction];
  const unit = unitWord(row.unit);
  return (
    <>
      <button
        type="button"
        class="row-expand"
        tabIndex={-1}
        aria-label={`${isOpen ? "Hide" : "Show"} the details of ${name} ${row.quantity}`}
        title="Details (Space)"
        onClick={onToggle}
      >
        <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
      </button>
      <Middle text={name} />
      {name !== row.family && <CellName name={row.family} />}
      {unit !== "" && <span class="cell-unit muted">{unit}</span>}
      {direction !== undefined && (
        <Icon name={direction} label={DIRECTION_TEXT[row.direction]} class="row-note muted" />
      )}
    </>
  );
}

interface ContentProps {
  readonly column: DifferenceColumn;
  readonly one: DifferenceRow;
  readonly cell: ComparisonCell | undefined;
  readonly comparison: Comparison;
  readonly scale: IntervalScale;
}

function Content({ column, one: { row, labels }, cell, comparison, scale }: ContentProps) {
  if (column.key === "labels") return <Middle text={labels} />;
  if (column.key === "quantity") return <>{row.quantity}</>;
  if (column.key === "baseline") return <Value side={row.baseline} unit={row.unit} />;
  if (cell === undefined || column.candidate === undefined) return null;
  switch (column.key.slice(column.key.indexOf("/") + 1)) {
    case "value":
      return <Value side={cell.candidate} unit={row.unit} />;
    case "difference":
      return (
        <>
          {cell.difference > 0 ? "+" : cell.difference < 0 ? "−" : ""}
          <ShownNumber value={Math.abs(cell.difference)} unit={symbolOnly(row.unit)} />
        </>
      );
    case "share":
      return <>{shareText(cell.share)}</>;
    case "interval":
      return <IntervalBar cell={cell} scale={scale} threshold={comparison.method.threshold} />;
    case "verdict":
      return (
        <>
          <VerdictMark verdict={cell.verdict} />
          {cell.reason !== undefined && <span class="verdict-more" aria-hidden="true" />}
        </>
      );
    case "trend":
      return <Trend baseline={row.baseline.trend} candidate={cell.candidate.trend} color={column.candidate + 1} />;
    default:
      return null;
  }
}

function Value({ side, unit }: { readonly side: SideValue; readonly unit: string | undefined }) {
  return (
    <span title={sideText(side, unit)}>
      {side.atLeast === true && "≥ "}
      <ShownNumber value={side.value} unit={symbolOnly(unit)} />
    </span>
  );
}

import { t } from "@vscode/l10n";
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Hint } from "../components/hint.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { gridTracks, measure, SAMPLE, PADDING, type Width, type GridGroup } from "./columns.js";
import { GridHead, placeAfter, rowAction, type CellPosition } from "./grid-head.js";
import type { GridProps } from "./grid-props.js";
import { GridRowView, ROW_HEIGHT, useVirtualRows } from "./grid-row.js";
import type { RefObject } from "preact";

/** Before it is measured, and what a row of details takes at the least. */
const DETAILS_HEIGHT = 120;

/**
 * The one table of the views: rows in sight, columns that are sorted and resized. One stop of the Tab key: arrows, Page
 * Up and Page Down, Home and End move, from the first row up to the heads. On a row Enter opens it, Space shows its
 * details or selects it, F2 changes a cell, Ctrl+C copies the row, Shift+F10 opens its menu; on a head Enter sorts,
 * Shift+Left and Shift+Right change the column's width, Alt+Left and Alt+Right its place.
 */
export function Grid<Row extends object>(props: GridProps<Row>) {
  const { columns, rows, idOf, details, selection, groups = [], widths } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const hint: CellHintProps["hint"] = useSignal();
  const hintId = useId();
  const [open, setOpen] = useState<ReadonlyMap<string, number>>(new Map());
  const [stop, setStop] = useState<{ readonly id: string; readonly column: number }>();
  const [edited, setEdited] = useState<{ readonly id: string; readonly key: string }>();
  /** The cell that gets the focus once it is drawn. */
  const wanted = useRef<CellPosition | undefined>(undefined);
  const widest = useMemo(() => new Map<string, Width>(), []);
  const { items, totalSize, scrollTo } = useVirtualRows(scroller, rows.length, {
    key:
      open.size === 0
        ? ""
        : JSON.stringify([...open].map(([id, height]) => [rows.findIndex((row) => idOf(row) === id), height])),
    of: (index) => {
      const row = rows[index];
      return row === undefined ? 0 : (open.get(idOf(row)) ?? 0);
    },
  });
  const drawn = items.flatMap((item) => rows[item.index] ?? []);
  const measured = useMemo(() => {
    const step = Math.max(1, Math.floor(rows.length / SAMPLE));
    const sample = rows.filter((_row, i) => i % step === 0);
    measure(columns, sample, widest);
    return new WeakSet<Row>(sample);
  }, [columns]);
  const fresh = drawn.filter((row) => !measured.has(row));
  measure(columns, fresh, widest);
  for (const row of fresh) measured.add(row);
  const tracks = gridTracks(columns, widest, widths);
  const titles = useTextGroup(groups.map(({ title }) => title));
  const unseen = useUnseenGroups(scroller, groups, tracks.template);

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [props.sorting]);
  useLayoutEffect(() => {
    const place = wanted.current;
    const cell = place === undefined ? undefined : cellAt(scroller.current, place);
    if (cell === undefined) return;
    wanted.current = undefined;
    cell.focus({ preventScroll: true });
    keepInSight(cell);
  });

  const stopRow = drawn.find((row) => idOf(row) === stop?.id) ?? drawn[0];
  const hide = () => {
    hint.value = undefined;
  };
  const show = (target: EventTarget | null) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-hint]") : null;
    const at = placeOf(cell);
    const row = at === undefined ? undefined : rows[at.row];
    const said = at === undefined ? undefined : columns[at.column]?.hint;
    if (cell === null || row === undefined || said === undefined) hide();
    else hint.value = { cell, lines: said.lines(row) };
  };
  const go = (place: CellPosition) => {
    const row = rows[place.row];
    wanted.current = place;
    // Heads are always drawn.
    if (row === undefined) return cellAt(scroller.current, place)?.focus();
    setStop({ id: idOf(row), column: place.column });
    scrollTo(place.row);
  };
  const toggle = (row: Row) => {
    const next = new Map(open);
    if (!next.delete(idOf(row))) next.set(idOf(row), DETAILS_HEIGHT);
    setOpen(next);
  };
  const setHeight = (row: Row, height: number) => {
    const id = idOf(row);
    if (open.get(id) !== height) setOpen((known) => (known.has(id) ? new Map(known).set(id, height) : known));
  };
  const edit = (row: Row, column: number) => {
    const { key, edit: change } = columns[column] ?? {};
    if (key !== undefined && change !== undefined) setEdited({ id: idOf(row), key });
  };
  const endEdit = (row: Row, at: number, text: string | undefined) => {
    const column = columns.findIndex(({ key }) => key === edited?.key);
    setEdited(undefined);
    wanted.current = { row: at, column };
    if (text !== undefined) columns[column]?.edit?.done(row, text);
  };
  const openMenu = (row: Row, anchor: Element) => {
    hide();
    props.onMenu?.(row, anchor);
  };
  const act = (row: Row, what: ReturnType<typeof rowAction>, target: Element, column: number): boolean => {
    const copying = what === "copy" && String(getSelection()) === "";
    if (what === "details" && details !== undefined) toggle(row);
    else if (what === "details" && selection !== undefined) selection.toggle(row, false);
    else if (what === "edit" && columns[column]?.edit !== undefined) edit(row, column);
    else if (what === "open" && props.onOpen !== undefined) props.onOpen(row);
    else if ((what === "menu" || what === "open") && props.onMenu !== undefined) openMenu(row, target);
    else if (what === "open") target.querySelector("button")?.click();
    else if (copying && props.onCopy !== undefined) props.onCopy(row);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") hide();
    const { target } = event;
    const at = placeOf(target);
    if (at === undefined || !(target instanceof Element)) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 4);
    const next = placeAfter(event, at, { rows: rows.length, columns: columns.length, page });
    const row = rows[at.row];
    // A button does what it says; what else it lies in does not.
    const own = target.closest("button") !== null && (event.key === "Enter" || event.key === " ");
    if (next !== undefined) go(next);
    else if (own || row === undefined || !act(row, rowAction(event), target, at.column)) return;
    event.preventDefault();
  };
  return (
    <div class="grid-frame">
      {unseen.overflows && (
        <div class="grid-unseen-line">
          {unseen.names.length > 0 && (
            <button type="button" class="grid-unseen" onClick={unseen.scroll}>
              <TruncatedText text={unseen.names[0] ?? ""} group={titles} />
              <span>{unseen.names.length > 1 ? t` and ${unseen.names.length - 1} more →` : " →"}</span>
            </button>
          )}
        </div>
      )}
      <div
        class={`grid-scroller ${groups.length > 0 ? "grouped" : ""} ${props.class ?? ""}`}
        ref={scroller}
        onScroll={unseen.look}
        onPointerOver={(event) => show(hintCell(event.target) ?? document.activeElement)}
        onPointerLeave={() => show(document.activeElement)}
        onFocusIn={(event) => {
          const at = placeOf(event.target);
          const row = at === undefined ? undefined : rows[at.row];
          if (at !== undefined && row !== undefined && (idOf(row) !== stop?.id || at.column !== stop.column))
            setStop({ id: idOf(row), column: at.column });
          show(event.target);
        }}
        onFocusOut={hide}
        onKeyDown={onKeyDown}
      >
        <div
          class="grid"
          role="grid"
          aria-label={props.name}
          aria-multiselectable={selection === undefined ? undefined : true}
          aria-describedby={props.captionId}
          aria-rowcount={rows.length + (groups.length > 0 ? 2 : 1)}
          aria-colcount={columns.length}
          style={{ "--grid-columns": tracks.template, "--first-column": tracks.first, minWidth: tracks.minWidth }}
        >
          <GridHead {...props} groups={groups} />
          <div class="grid-body" role="rowgroup" style={{ height: `${totalSize}px` }}>
            {items.map((item) => {
              const row = rows[item.index];
              if (row === undefined) return null;
              const id = idOf(row);
              return (
                <GridRowView
                  // By place: a filter changes what rows say, which costs less than making them anew.
                  key={item.index}
                  grid={props}
                  row={row}
                  at={item.index}
                  top={item.start}
                  firstIndex={groups.length > 0 ? 3 : 2}
                  hintId={hintId}
                  stop={row === stopRow ? Math.min(stop?.column ?? 0, columns.length - 1) : undefined}
                  height={open.get(id)}
                  edited={edited?.id === id ? edited.key : undefined}
                  acts={{ toggle, menu: openMenu, edit, endEdit, setHeight }}
                />
              );
            })}
          </div>
        </div>
      </div>
      <CellHint id={hintId} hint={hint} />
    </div>
  );
}

interface CellHintProps {
  readonly id: string;
  /** What is said of a cell beyond its number, and the cell. */
  readonly hint: Signal<{ readonly cell: Element; readonly lines: readonly string[] } | undefined>;
}

/** By itself, so that the table is not drawn anew with it. */
function CellHint({ id, hint }: CellHintProps) {
  const at = () => {
    const { cell } = hint.peek() ?? {};
    if (cell?.isConnected === false) hint.value = undefined;
    const box = cell?.getBoundingClientRect();
    return box && { x: (box.left + box.right) / 2, top: box.top, bottom: box.bottom };
  };
  return <Hint id={id} role="tooltip" lines={hint.value?.lines ?? []} at={at} />;
}

function hintCell(target: EventTarget | null): Element | undefined {
  return target instanceof Element ? (target.closest("[data-hint]") ?? undefined) : undefined;
}

function placeOf(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-column]") : null;
  const row = cell?.closest<HTMLElement>("[data-at]");
  return cell === null || row === null || row === undefined
    ? undefined
    : { row: Number(row.dataset["at"]), column: Number(cell.dataset["column"]) };
}

function cellAt(scroller: Element | null, { row, column }: CellPosition): HTMLElement | undefined {
  return scroller?.querySelector<HTMLElement>(`[data-at="${row}"] [data-column="${column}"]`) ?? undefined;
}

/** Scrolls sideways so that a cell is not beneath the fixed columns. */
function keepInSight(cell: HTMLElement): void {
  const scroller = cell.closest<HTMLElement>(".grid-scroller");
  const fixed = [...(cell.closest("[data-at]")?.querySelectorAll(".fixed") ?? [])];
  if (scroller === null || fixed.some((one) => one.contains(cell))) return;
  const box = cell.getBoundingClientRect();
  const left = Math.max(...fixed.map((one) => one.getBoundingClientRect().right));
  const { right } = scroller.getBoundingClientRect();
  if (box.left < left) scroller.scrollLeft -= left - box.left;
  else if (box.right > right) scroller.scrollLeft += Math.min(box.right - right, box.left - left);
}

/** Of a group's columns this much has to be in sight for it to count as seen. Pixels. */
const SEEN = 60;

/**
 * Names of the groups of columns that lie beyond the right edge, and the way to the first of them. `overflows`: there
 * are such groups, or there would be after scrolling back.
 */
function useUnseenGroups(
  scroller: RefObject<HTMLElement | null>,
  groups: readonly GridGroup[],
  template: string,
): {
  readonly names: readonly string[];
  readonly overflows: boolean;
  readonly look: () => void;
  readonly scroll: () => void;
} {
  const [names, setNames] = useState<readonly string[]>([]);
  const [overflows, setOverflows] = useState(false);
  const heads = () => [...(scroller.current?.querySelectorAll<HTMLElement>("[data-group]") ?? [])];
  /** @param scrolled how far back they are looked at */
  const beyond = (scrolled = 0): readonly HTMLElement[] => {
    const right = scroller.current?.getBoundingClientRect().right ?? 0;
    return heads().filter((head) => head.getBoundingClientRect().left + scrolled > right - SEEN);
  };
  const look = () => {
    if (groups.length === 0) return;
    fitHeads(scroller.current);
    const { scrollLeft = 0 } = scroller.current ?? {};
    setOverflows(beyond(scrollLeft).length > 0);
    const found = beyond().map((head) => head.title);
    setNames((before) => (before.join("\n") === found.join("\n") ? before : found));
  };
  const scroll = () => {
    const [first] = beyond();
    const element = scroller.current;
    if (first === undefined || element === null) return;
    element.scrollLeft += Math.max(SEEN, first.getBoundingClientRect().right - element.getBoundingClientRect().right);
  };
  useLayoutEffect(() => {
    look();
    const element = scroller.current;
    if (element === null || groups.length === 0) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [groups, template]);
  return { names, overflows: overflows && groups.length > 0, look, scroll };
}

/** Tells each head how much of it is in sight, so that its name is shortened to that instead of cut by the edge. */
function fitHeads(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const edgesOf = (selector: string) =>
    [...scroller.querySelectorAll<HTMLElement>(selector)].map((head) => ({ head, box: head.getBoundingClientRect() }));
  const begin = Math.max(...edgesOf(".grid-groups .fixed").map(({ box }) => box.right));
  const end = scroller.getBoundingClientRect().left + scroller.clientWidth;
  for (const { head, box } of edgesOf("[data-group]"))
    head.style.setProperty("--in-sight", `${Math.max(SEEN, Math.floor(end - Math.max(begin, box.left))) - PADDING}px`);
}

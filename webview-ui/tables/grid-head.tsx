import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { NARROWEST, type GridColumn, type GridGroup } from "./columns.js";
import type { GridProps } from "./grid-props.js";
import type { Sorting } from "./table-state.js";

/** A place in a table; the row of column heads is row -1. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export const HEAD_ROW = -1;

interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows that Page Up and Page Down go. */
  readonly page: number;
}

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Where a key goes from a place: the keys of a grid as the ARIA practices have them; undefined: it goes nowhere. */
export function placeAfter(event: Key, at: CellPosition, { rows, columns, page }: Extent): CellPosition | undefined {
  if (event.shiftKey || event.altKey) return undefined;
  const control = event.ctrlKey || event.metaKey;
  const to = (row: number, column: number): CellPosition => ({
    row: Math.max(HEAD_ROW, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  });
  if (event.key === "Home") return to(control ? 0 : at.row, 0);
  if (event.key === "End") return to(control ? rows - 1 : at.row, columns - 1);
  if (control) return undefined;
  const places: { readonly [key: string]: CellPosition } = {
    ArrowDown: to(at.row + 1, at.column),
    ArrowUp: to(at.row - 1, at.column),
    ArrowRight: to(at.row, at.column + 1),
    ArrowLeft: to(at.row, at.column - 1),
    PageDown: to(at.row + page, at.column),
    // To the first row, not past it to the heads.
    PageUp: to(at.row === HEAD_ROW ? HEAD_ROW : Math.max(0, at.row - page), at.column),
  };
  return places[event.key];
}

/** What a key does to the row that it is pressed on. */
export function rowAction(event: Key): "details" | "open" | "copy" | "menu" | "edit" | undefined {
  const control = event.ctrlKey || event.metaKey;
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return "menu";
  if (event.key === "c" && control) return "copy";
  if (event.key === "F2") return "edit";
  if (control || event.shiftKey || event.altKey) return undefined;
  return event.key === "Enter" ? "open" : event.key === " " ? "details" : undefined;
}

/** By how much Shift+arrow changes a column's width, pixels. */
const STEP = 16;
/** What a dragged head carries: its column's key. */
const DRAGGED = "application/x-column";

/** The heads of the columns, and above them those of groups of columns. */
export function GridHead<Row>({
  columns,
  groups,
  sorting,
  onSort,
  widths,
  onWidths,
  onMove,
}: GridProps<Row> & { readonly groups: readonly GridGroup[] }) {
  const resize = (key: string, pixels: number | undefined) => {
    const { [key]: _before, ...others } = widths;
    onWidths(pixels === undefined ? others : { ...others, [key]: Math.max(NARROWEST, Math.round(pixels)) });
  };
  return (
    <div class="grid-head" role="rowgroup">
      {groups.length > 0 && (
        <div class="grid-row grid-groups" role="row" aria-rowindex={1}>
          {groups.map((group) => (
            <div
              key={group.key}
              class={`grid-cell ${group.title === "" ? "" : "group-cell"} ${group.numeric === true ? "numeric" : ""} ${group.fixed === true ? "fixed" : ""}`}
              role="columnheader"
              {...(group.title === "" ? {} : { title: group.title, "data-group": group.key })}
              style={{ gridColumn: `span ${group.span}` }}
              aria-colspan={group.span}
            >
              {group.content}
            </div>
          ))}
        </div>
      )}
      <div class="grid-row" role="row" aria-rowindex={groups.length > 0 ? 2 : 1} data-at={HEAD_ROW}>
        {columns.map((column, at) => (
          <HeadCell
            key={column.key}
            column={column}
            at={at}
            sorting={sorting}
            onSort={onSort}
            onResize={(pixels) => resize(column.key, pixels)}
            onMove={
              // The first one is fixed.
              onMove === undefined || at === 0
                ? undefined
                : {
                    by: (step) => {
                      const to = at + step < 1 ? undefined : columns[at + step];
                      if (to !== undefined) onMove(column.key, to.key);
                    },
                    here: (key) => onMove(key, column.key),
                  }
            }
          />
        ))}
      </div>
    </div>
  );
}

interface HeadCellProps<Row> {
  readonly column: GridColumn<Row>;
  readonly at: number;
  readonly sorting: Sorting | undefined;
  readonly onSort: GridProps<Row>["onSort"];
  /** Undefined: as wide as it needs. */
  readonly onResize: (pixels: number | undefined) => void;
  /** Moves this column, or another one here. */
  readonly onMove: { readonly by: (step: number) => void; readonly here: (key: string) => void } | undefined;
}

/** Words sort up first, numbers down first; the third click gives the table its own order back. */
function HeadCell<Row>({ column, at, sorting, onSort, onResize, onMove }: HeadCellProps<Row>) {
  const { key, title, about, exposed, kind } = column;
  const cell = useRef<HTMLDivElement>(null);
  const numeric = kind === "number";
  const sortable = column.order !== undefined && onSort !== undefined;
  const descendingFirst = column.descendingFirst ?? numeric;
  const current = sorting?.key === key ? sorting : undefined;
  const next =
    current === undefined
      ? { key, descending: descendingFirst }
      : current.descending === descendingFirst
        ? { key, descending: !descendingFirst }
        : undefined;
  const arrow = current !== undefined && <Icon name={current.descending ? "arrow-down" : "arrow-up"} />;
  const whole = exposed === undefined ? undefined : `${title}\n${exposed}`;
  const tip = [
    whole,
    about,
    sortable ? t("Activate to sort") : undefined,
    t("Shift+Left, Shift+Right: column width"),
    ...(onMove === undefined ? [] : [t("Alt+Left, Alt+Right: place")]),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const moves = event.altKey && onMove !== undefined;
    if (step === undefined || !(moves || event.shiftKey) || cell.current === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (moves) onMove.by(step);
    else onResize(cell.current.offsetWidth + step * STEP);
  };
  return (
    <div
      class={`grid-cell ${numeric ? "numeric" : ""} ${at === 0 || column.fixed === true ? "fixed" : ""} ${column.starts === true ? "group-start" : ""}`}
      role="columnheader"
      ref={cell}
      onKeyDown={onKeyDown}
      {...(onMove !== undefined && {
        draggable: true,
        onDragStart: (event: DragEvent) => event.dataTransfer?.setData(DRAGGED, key),
        onDragOver: (event: DragEvent) => {
          if (event.dataTransfer?.types.includes(DRAGGED) === true) event.preventDefault();
        },
        onDrop: (event: DragEvent) => {
          event.preventDefault();
          onMove.here(event.dataTransfer?.getData(DRAGGED) ?? "");
        },
      })}
      {...(sortable
        ? { "aria-sort": current === undefined ? "none" : current.descending ? "descending" : "ascending" }
        : { "data-column": at, tabIndex: -1, title: tip, "aria-label": title })}
    >
      {sortable ? (
        <button type="button" class="sort" tabIndex={-1} data-column={at} title={tip} onClick={() => onSort(next)}>
          {numeric && arrow}
          {title}
          {!numeric && arrow}
          {exposed !== undefined && (
            <span class="exposed-name">
              <TruncatedText text={exposed} />
            </span>
          )}
        </button>
      ) : (
        (column.head?.() ?? <span class="unsorted">{title}</span>)
      )}
      <span
        class="column-edge"
        aria-hidden="true"
        onDblClick={() => onResize(undefined)}
        onPointerDown={(event) => {
          if (cell.current === null || event.button !== 0) return;
          const edge = event.currentTarget;
          const start = cell.current.offsetWidth - event.clientX;
          event.preventDefault();
          edge.setPointerCapture(event.pointerId);
          const move = (moved: PointerEvent) => onResize(start + moved.clientX);
          const end = () => edge.removeEventListener("pointermove", move);
          edge.addEventListener("pointermove", move);
          edge.addEventListener("lostpointercapture", end, { once: true });
        }}
      />
    </div>
  );
}

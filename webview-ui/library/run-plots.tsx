import { textOfCell, type Interval } from "../../src/core/library/runs.js";
import type { ShownRow, ShownRuns, LibraryPlot } from "../../src/protocol/library.js";
import { numberOf, plotAxis, useWidth, type ShownCell } from "../charts/plot-axes.js";
import { naturalOrder } from "../../src/core/text/names.js";
import { PALETTE_SIZE, seriesColor } from "../charts/line-styles.js";
import { t } from "@vscode/l10n";
import { PointPlot, PlotKey, type PlottedPoint } from "../charts/point-plot.js";
import { Placeholder } from "../components/message.js";
import type { RowSelection } from "../tables/grid-props.js";
import { idOf, nameOf } from "./columns.js";

/** What an answer's rows have in a column. */
interface PlottedColumn {
  readonly unit: string | undefined;
  readonly title: string;
  readonly cell: (row: ShownRow) => ShownCell;
  readonly interval: (row: ShownRow) => Interval | undefined;
  /** "TTFT p99: 120 ms". */
  readonly said: (row: ShownRow) => string;
}

function plottedColumn({ columns }: ShownRuns, name: string): PlottedColumn {
  const i = columns.findIndex((column) => column.name === name);
  const { unit, title = name } = columns[i] ?? {};
  const cell = ({ cells }: ShownRow) => cells[i] ?? null;
  return {
    unit,
    title,
    cell,
    interval: ({ intervals }) => intervals[i] ?? undefined,
    said: (row) => `${title}: ${textOfCell(cell(row), unit) || "–"}`,
  };
}

/** Told by no axis and no colour. */
const NO_QUANTITY =
  /^(?:time|run|label|star|tags|note|archived|finding|verdict|formats|problem|host|(?:client\.)?load)$/;

/** Columns shown whose values differ between the rows, without those that only name runs. */
function differing({ columns, rows }: ShownRuns): readonly string[] {
  return columns.flatMap(({ name }, i) => {
    const values = new Set(rows.flatMap(({ cells }) => cells[i] ?? [])).size;
    return values < 2 || NO_QUANTITY.test(name) ? [] : [name];
  });
}

interface ColorScale {
  readonly of: (cell: ShownCell) => string;
  readonly key: readonly { readonly text: string; readonly color: string }[];
}

const NONE = "var(--sm-muted)";

/** Few values get a colour each; many numbers go from one colour to another. */
function colorScale(cells: readonly ShownCell[], unit: string | undefined): ColorScale {
  const known = cells.filter((cell) => cell !== null);
  const values = [...new Set(known.map(String))].sort(naturalOrder);
  const textOf = (value: string) => textOfCell(numberOf(value) ?? value, unit);
  if (values.length <= PALETTE_SIZE) {
    const colorOf = (value: string) => seriesColor(values.indexOf(value));
    return {
      of: (cell) => (cell === null ? NONE : colorOf(String(cell))),
      key: values.map((value) => ({ text: textOf(value), color: colorOf(value) })),
    };
  }
  const axis = plotAxis(known, unit, 2);
  const places = known.flatMap((cell) => axis.place(cell) ?? []);
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const mixed = (share: number) =>
    `color-mix(in oklch, var(--sm-series-2) ${Math.round(100 * share)}%, var(--sm-series-1))`;
  const [first = "", last = ""] = [values[0], values.at(-1)];
  return {
    of: (cell) => {
      const place = axis.place(cell);
      return place === undefined ? NONE : mixed((place - least) / (most - least || 1));
    },
    key: [
      { text: textOf(first), color: mixed(0) },
      { text: textOf(last), color: mixed(1) },
    ],
  };
}

interface ScatterProps {
  readonly answer: ShownRuns;
  readonly plot: LibraryPlot;
  /** That of the table. */
  readonly selection: RowSelection<ShownRow>;
}

/** The columns that a scatter plot asks for. */
export function scatterColumns({ x, y, color }: LibraryPlot): readonly string[] {
  return [x, y, ...(color === undefined ? [] : [color])];
}

/** The runs that the table shows as points: one column against another, coloured by a third. */
export function Scatter({ answer, plot, selection }: ScatterProps) {
  const { rows } = answer;
  const [x, y] = [plottedColumn(answer, plot.x), plottedColumn(answer, plot.y)];
  const color = plot.color === undefined ? undefined : plottedColumn(answer, plot.color);
  const colors = colorScale(color === undefined ? [] : rows.map(color.cell), color?.unit);
  const known = rows.filter((row) => x.cell(row) !== null && y.cell(row) !== null);
  const points = known.map((row): PlottedPoint => ({
    key: idOf(row),
    x: x.cell(row),
    y: y.cell(row),
    wide: x.interval(row),
    high: y.interval(row),
    color: color === undefined ? seriesColor(0) : colors.of(color.cell(row)),
    name: [nameOf(row), y.said(row), x.said(row), ...(color === undefined ? [] : [color.said(row)])].join("\n"),
    isSelected: selection.has(row),
    onPick: (event) => selection.toggle(row, event.shiftKey),
  }));
  if (points.length === 0)
    return (
      <Placeholder reason={t`No run shown has both ${x.title} and ${y.title}.`} remedy={t("Choose other columns.")} />
    );
  return (
    <PointPlot
      label={t`${y.title} against ${x.title} of ${points.length} runs, which the table lists`}
      x={x}
      y={y}
      courses={[points]}
      colors={colors.key}
    />
  );
}

const HEIGHT = 320;
const MARGIN = { side: 70, top: 34, bottom: 22 } as const;
/** Axes where none are chosen. */
const MOST_AXES = 7;
/** Words of an axis that have room. */
const MOST_WORDS = 8;

/** The axes that are drawn: those chosen, else columns shown whose values differ. */
export function parallelAxes({ axes }: LibraryPlot, shown: ShownRuns): readonly string[] {
  return axes ?? differing(shown).slice(0, MOST_AXES);
}

interface ParallelProps {
  readonly answer: ShownRuns;
  readonly axes: readonly string[];
  readonly plot: LibraryPlot;
  /** That of the table. */
  readonly selection: RowSelection<ShownRow>;
}

/** A line a run, across one axis a column, each from its least to its greatest value. */
export function Parallel({ answer, axes, plot, selection }: ParallelProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const color = plot.color === undefined ? undefined : plottedColumn(answer, plot.color);
  const colors = colorScale(color === undefined ? [] : answer.rows.map(color.cell), color?.unit);
  const apart = (width - 2 * MARGIN.side) / Math.max(1, axes.length - 1);
  const drawn = axes.map((name, i) => {
    const column = plottedColumn(answer, name);
    return { name, column, at: MARGIN.side + i * apart, axis: axisOf(column, answer.rows) };
  });
  const someSelected = answer.rows.some(selection.has);
  return (
    <>
      <div ref={box}>
        {width > 0 && (
          <svg
            class="plot"
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            aria-label={t`${drawn.map(({ column }) => column.title).join(", ")} of ${answer.rows.length} runs, which the table lists`}
          >
            {answer.rows.map((row) => {
              const places = drawn.map(({ column, axis, at }) => ({ at, high: axis.place(column.cell(row)) }));
              const isSelected = selection.has(row);
              return (
                <path
                  key={idOf(row)}
                  class={`parallel-line ${isSelected ? "selected" : someSelected ? "aside" : ""}`}
                  style={{ color: color === undefined ? seriesColor(0) : colors.of(color.cell(row)) }}
                  d={lineThrough(places)}
                  onClick={(event) => selection.toggle(row, event.shiftKey)}
                >
                  <title>{[nameOf(row), ...drawn.map(({ column }) => column.said(row))].join("\n")}</title>
                </path>
              );
            })}
            {drawn.map(({ name, column, axis, at }, i) => (
              <g key={name} class="parallel-axis" aria-hidden="true">
                <line x1={at} x2={at} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
                <text x={at} y={14} text-anchor="middle" class="parallel-title">
                  <title>{name}</title>
                  {shortened(column.title, apart)}
                </text>
                {axis.ticks.map((tick) => (
                  <text
                    key={tick.text}
                    x={at + (i === axes.length - 1 ? -6 : 6)}
                    y={up(tick.at) + (tick.at === 1 ? -4 : tick.at === 0 ? 13 : 4)}
                    text-anchor={i === axes.length - 1 ? "end" : "start"}
                  >
                    {tick.text}
                  </text>
                ))}
              </g>
            ))}
          </svg>
        )}
      </div>
      <PlotKey points={[]} colors={colors.key} />
    </>
  );
}

const up = (at: number): number => HEIGHT - MARGIN.bottom - at * (HEIGHT - MARGIN.top - MARGIN.bottom);

/** Where a run has nothing, its line has a gap. */
function lineThrough(places: readonly { readonly at: number; readonly high: number | undefined }[]): string {
  return places
    .flatMap(({ at, high }, i) =>
      high === undefined ? [] : `${i === 0 || places[i - 1]?.high === undefined ? "M" : "L"}${at},${up(high)}`,
    )
    .join("");
}

/** From the least to the greatest value; of words each has its tick, as far as there is room. */
function axisOf({ cell, unit }: PlottedColumn, rows: readonly ShownRow[]) {
  const cells = rows.map(cell);
  const axis = plotAxis(cells, unit, MOST_WORDS);
  const placed = cells.flatMap((one) => {
    const at = axis.place(one);
    return at === undefined ? [] : [{ at, one }];
  });
  const [least, most] = [Math.min(...placed.map(({ at }) => at)), Math.max(...placed.map(({ at }) => at))];
  const place = (one: ShownCell) => {
    const at = axis.place(one);
    return at === undefined ? undefined : most > least ? (at - least) / (most - least) : 0.5;
  };
  const ends = [least, most].flatMap((end) => placed.find(({ at }) => at === end)?.one ?? []);
  const texts = axis.isNumeric ? ends : [...new Set(axis.ticks.map(({ text }) => text))];
  return {
    place,
    ticks: [...new Set(texts)].map((one) => ({ at: place(one) ?? 0, text: textOfCell(one, unit) })),
  };
}

/** Of a title as much as has room between two axes. */
function shortened(title: string, room: number): string {
  const most = Math.max(6, Math.floor(room / 6.5));
  return title.length <= most ? title : `${title.slice(0, most - 1)}…`;
}

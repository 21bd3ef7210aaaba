import { t } from "@vscode/l10n";
import { textOfCell } from "../../src/core/library/runs.js";
import type { LibraryPlot, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { useWidth, plotAxis, type ShownCell } from "../charts/plot-axes.js";
import { seriesColor } from "../charts/line-styles.js";
import { PlotKey } from "../charts/point-plot.js";
import type { RowSelection } from "../tables/grid-props.js";
import { colorScale } from "./color-scale.js";
import { idOf, nameOf } from "./columns.js";
import { differing, plottedColumn, type PlottedColumn } from "./plotted.js";

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

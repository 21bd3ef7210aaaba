import { useEffect, useMemo, useState } from "preact/hooks";
import { textOfCell } from "../../src/core/library/cell-text.js";
import { naturalOrder } from "../../src/core/text/natural-order.js";
import { describeError, type DescribedError } from "../../src/protocol/index.js";
import type { LibraryPlot, OfferedColumn, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { PALETTE_SIZE } from "../charts/colors.js";
import { PlotAxes, plotBox, useWidth } from "../charts/plot-axes.js";
import { Placeholder, ProblemLine } from "../components/message.js";
import { Popover } from "../components/popover.js";
import type { RowSelection } from "../tables/grid-props.js";
import { numberOf, plotAxis, type ShownCell } from "./axis.js";
import { ColumnList } from "./column-list.js";
import { idOf, nameOf } from "./columns.js";
import type { LibraryStore } from "./store.js";

interface ScatterProps {
  readonly store: LibraryStore;
  readonly shown: ShownRuns;
  readonly plot: LibraryPlot;
  /** That of the table. */
  readonly selection: RowSelection<ShownRow>;
}

/** The runs that the table shows as points: one column against another, coloured by a third. */
export function Scatter({ store, shown, plot, selection }: ScatterProps) {
  const { choice } = store.layout.value;
  const [answer, setAnswer] = useState<ShownRuns>();
  const [error, setError] = useState<DescribedError>();
  const names = [plot.x, plot.y, ...(plot.color === undefined ? [] : [plot.color])];
  useEffect(() => {
    const left = new AbortController();
    store.client.call("libraryRuns", { ...choice, columns: names }, left.signal).then(
      (found) => {
        setAnswer(found);
        setError(undefined);
      },
      (thrown: unknown) => {
        if (!left.signal.aborted) setError(describeError(thrown));
      },
    );
    return () => left.abort();
  }, [shown, ...names]);
  const [box, width] = useWidth<HTMLDivElement>();
  const change = (changed: Partial<LibraryPlot>) => store.setPlot({ ...plot, ...changed });
  const titleOf = (name: string) => answer?.columns.find((column) => column.name === name)?.title ?? name;
  const choose = (label: string, name: string | undefined, take: (column: OfferedColumn) => void) => {
    const text = `${label} ${name === undefined ? "nothing" : titleOf(name)}`;
    return (
      <Popover label={text} button={text}>
        {(close) => (
          <ColumnList
            store={store}
            label={`${label} search columns`}
            onPick={(column) => {
              close();
              take(column);
            }}
          />
        )}
      </Popover>
    );
  };
  return (
    <figure class="card library-plot" aria-label="Plot of the runs">
      <div class="library-axes">
        {choose("Upwards:", plot.y, ({ name }) => change({ y: name }))}
        {choose("To the right:", plot.x, ({ name }) => change({ x: name }))}
        {choose("Colour:", plot.color, ({ name }) => change({ color: name }))}
        {plot.color !== undefined && (
          <button type="button" class="link" onClick={() => store.setPlot({ x: plot.x, y: plot.y })}>
            One colour
          </button>
        )}
      </div>
      {error !== undefined && (
        <ProblemLine problem={{ severity: "error", reason: error.message, remedy: error.remedy }} />
      )}
      <div ref={box}>
        {width > 0 && answer !== undefined && (
          <Points answer={answer} plot={plot} width={width} selection={selection} />
        )}
      </div>
    </figure>
  );
}

/** What an answer's rows have in a column. */
interface PlotColumn {
  readonly unit: string | undefined;
  readonly title: string;
  readonly cell: (row: ShownRow) => ShownCell;
  readonly deviation: (row: ShownRow) => number;
}

function columnOf({ columns }: ShownRuns, name: string): PlotColumn {
  const i = columns.findIndex((column) => column.name === name);
  return {
    unit: columns[i]?.unit,
    title: columns[i]?.title ?? name,
    cell: ({ cells }) => cells[i] ?? null,
    deviation: ({ deviations }) => deviations[i] ?? NaN,
  };
}

interface PointsProps {
  readonly answer: ShownRuns;
  readonly plot: LibraryPlot;
  readonly width: number;
  readonly selection: RowSelection<ShownRow>;
}

function Points({ answer, plot, width, selection }: PointsProps) {
  const box = plotBox(width);
  const { rows } = answer;
  const [x, y] = [columnOf(answer, plot.x), columnOf(answer, plot.y)];
  const color = plot.color === undefined ? undefined : columnOf(answer, plot.color);
  const axes = useMemo(
    () => ({ x: plotAxis(rows.map(x.cell), x.unit, box.ticks.x), y: plotAxis(rows.map(y.cell), y.unit, box.ticks.y) }),
    [answer, width],
  );
  const colors = useMemo(() => colorScale(color === undefined ? [] : rows.map(color.cell), color?.unit), [answer]);
  const across = (at: number) => box.left + at * (box.right - box.left);
  const up = (at: number) => box.bottom - at * (box.bottom - box.top);
  const points = rows.flatMap((row) => {
    const [right, high] = [axes.x.place(x.cell(row)), axes.y.place(y.cell(row))];
    return right === undefined || high === undefined ? [] : [{ row, cx: across(right), cy: up(high) }];
  });
  if (points.length === 0)
    return (
      <Placeholder
        problem={{
          severity: "info",
          reason: `No run shown has both ${x.title} and ${y.title}.`,
          remedy: "Choose other columns.",
        }}
      />
    );
  /** The ends of a bar of one standard deviation. */
  const bar = (column: PlotColumn, axis: typeof axes.x, row: ShownRow) => {
    const [value, deviation] = [numberOf(column.cell(row)), column.deviation(row)];
    const ends = value === undefined ? [] : [value - deviation, value + deviation].map((end) => axis.place(end));
    const [from, to] = ends;
    return !axis.isNumeric || !(deviation > 0) || from === undefined || to === undefined
      ? undefined
      : ([from, to] as const);
  };
  const said = ({ title, unit, cell }: PlotColumn, row: ShownRow) => `${title}: ${textOfCell(cell(row), unit) || "–"}`;
  return (
    <>
      <svg
        class="plot"
        width={width}
        height={box.height}
        role="img"
        aria-label={`${y.title} against ${x.title} of ${points.length} runs, which the table lists`}
      >
        <PlotAxes
          box={box}
          x={axes.x.ticks.map(({ at, text }) => ({ at: across(at), text }))}
          y={axes.y.ticks.map(({ at, text }) => ({ at: up(at), text }))}
        />
        {points.map(({ row, cx, cy }) => {
          const [wide, high] = [bar(x, axes.x, row), bar(y, axes.y, row)];
          return (
            <g
              key={idOf(row)}
              class={`plot-point ${selection.has(row) ? "selected" : ""}`}
              style={{ color: color === undefined ? "var(--sm-series-1)" : colors.of(color.cell(row)) }}
              onClick={(event) => selection.toggle(row, event.shiftKey)}
            >
              <title>
                {[nameOf(row), said(y, row), said(x, row), ...(color === undefined ? [] : [said(color, row)])].join(
                  "\n",
                )}
              </title>
              {wide !== undefined && <line x1={across(wide[0])} x2={across(wide[1])} y1={cy} y2={cy} />}
              {high !== undefined && <line x1={cx} x2={cx} y1={up(high[0])} y2={up(high[1])} />}
              <circle cx={cx} cy={cy} r={10} class="plot-target" />
              <circle cx={cx} cy={cy} r={5} />
            </g>
          );
        })}
      </svg>
      {colors.key.length > 0 && (
        <figcaption class="library-key">
          {colors.key.map(({ text, value }) => (
            <span key={text}>
              <svg width={10} height={10} aria-hidden="true" style={{ color: value }}>
                <circle cx={5} cy={5} r={4} fill="currentColor" />
              </svg>{" "}
              {text}
            </span>
          ))}
        </figcaption>
      )}
    </>
  );
}

interface ColorScale {
  readonly of: (cell: ShownCell) => string;
  readonly key: readonly { readonly text: string; readonly value: string }[];
}

const NONE = "var(--sm-muted)";

/** Few values get a colour each; many numbers go from one colour to another. */
function colorScale(cells: readonly ShownCell[], unit: string | undefined): ColorScale {
  const known = cells.filter((cell) => cell !== null);
  const values = [...new Set(known.map(String))].sort(naturalOrder);
  const textOf = (value: string) => textOfCell(numberOf(value) ?? value, unit);
  if (values.length <= PALETTE_SIZE) {
    const colorOf = (value: string) => `var(--sm-series-${values.indexOf(value) + 1})`;
    return {
      of: (cell) => (cell === null ? NONE : colorOf(String(cell))),
      key: values.map((value) => ({ text: textOf(value), value: colorOf(value) })),
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
      { text: textOf(first), value: mixed(0) },
      { text: textOf(last), value: mixed(1) },
    ],
  };
}

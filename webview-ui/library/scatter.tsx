import { t } from "@vscode/l10n";
import { kneeOf, paretoFront } from "../../src/core/sweep/knee.js";
import { groupBy } from "../../src/core/math/index.js";
import type { LibraryPlot, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { PALETTE_SIZE, seriesColor } from "../charts/colors.js";
import { numberOf, plotAxis } from "../charts/plot-axis.js";
import { PlotKey, PointPlot, type PlottedPoint } from "../charts/point-plot.js";
import { Placeholder } from "../components/message.js";
import { isReport } from "../report/opened.js";
import type { RowSelection } from "../tables/grid-props.js";
import { colorScale } from "./color-scale.js";
import { idOf, nameOf } from "./columns.js";
import { differing, plottedColumn } from "./plotted.js";

interface ScatterProps {
  readonly answer: ShownRuns;
  readonly plot: LibraryPlot;
  /** That of the table. */
  readonly selection: RowSelection<ShownRow>;
}

const THROUGHPUT = /^(?:client\.)?(?:requests|tokens)$/;
const LATENCY = /^(?:client\.)?(?:latency|ttft|itl)(?:\.p\d+)?$/;

/** A plot of throughput against latency is a sweep: it has courses by load, their knees and the Pareto frontier. */
const isSweep = ({ x, y }: LibraryPlot): boolean => THROUGHPUT.test(y) && LATENCY.test(x);

/** A sweep of the columns shown, coloured by the first setting that differs. */
export function sweepPlot(shown: ShownRuns): LibraryPlot {
  const first = (names: readonly string[]) =>
    names.find((name) => shown.columns.some((column) => column.name === name)) ?? names[0] ?? "";
  const color = configured(shown).find(({ values }) => values <= PALETTE_SIZE);
  return {
    x: first(["latency.p99", "ttft.p99", "client.latency.p99", "client.ttft.p99"]),
    y: first(["tokens", "requests", "client.tokens", "client.requests"]),
    ...(color === undefined ? {} : { color: color.name }),
  };
}

/** Columns shown that tell one configuration from another, whatever its load. */
const configured = (shown: ShownRuns) =>
  differing(shown).filter(({ name }) => !/concurrency|rate$|^commit$/.test(name) && !isFigure(name));

const isFigure = (name: string): boolean =>
  THROUGHPUT.test(name) || LATENCY.test(name) || name.includes(" ") || name === "duration";

/** The columns that a scatter plot asks for. */
export function scatterColumns(plot: LibraryPlot, shown: ShownRuns): readonly string[] {
  const { x, y, color } = plot;
  const own = [x, y, ...(color === undefined ? [] : [color])];
  return isSweep(plot) ? [...own, "load", ...configured(shown).map(({ name }) => name)] : own;
}

/** The runs that the table shows as points: one column against another, coloured by a third. */
export function Scatter({ answer, plot, selection }: ScatterProps) {
  const { rows } = answer;
  const [x, y, load] = [plot.x, plot.y, "load"].map((name) => plottedColumn(answer, name));
  if (x === undefined || y === undefined || load === undefined) return null;
  const color = plot.color === undefined ? undefined : plottedColumn(answer, plot.color);
  const colors = colorScale(color === undefined ? [] : rows.map(color.cell), color?.unit);
  const loadOf = (row: ShownRow) => Number(/[\d.]+/.exec(String(load.cell(row) ?? ""))?.[0] ?? NaN);
  const known = rows.filter((row) => x.cell(row) !== null && y.cell(row) !== null);
  const own = known.map((row): PlottedPoint => ({
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
  if (own.length === 0)
    return (
      <Placeholder reason={t`No run shown has both ${x.title} and ${y.title}.`} remedy={t("Choose other columns.")} />
    );
  // All that was asked for but the axes and the load.
  const configuration = answer.columns.flatMap(({ name }, i) => (i < 2 || name === "load" ? [] : i));
  const configurationOf = ({ cells }: ShownRow) => configuration.map((i) => cells[i]).join("\n");
  const { points, courses } = isSweep(plot)
    ? sweptPoints(own, known.map(loadOf), known.map(configurationOf))
    : { points: own, courses: [] };
  return (
    <>
      {isReport && <div class="plot-title on-paper muted">{y.title}</div>}
      <PointPlot
        label={t`${y.title} against ${x.title} of ${points.length} runs, which the table lists`}
        axes={(ticks) => ({
          x: plotAxis(
            rows.map(x.cell),
            x.unit,
            ticks.x,
            points.map(({ wide }) => wide?.[1]),
          ),
          y: plotAxis(
            rows.map(y.cell),
            y.unit,
            ticks.y,
            points.map(({ high }) => high?.[1]),
          ),
        })}
        points={points}
        courses={courses}
      />
      {isReport && <div class="plot-title plot-below on-paper muted">{x.title}</div>}
      <PlotKey
        points={points}
        colors={colors.key}
        labels={points.some(({ label }) => label !== undefined) ? "load" : undefined}
      />
    </>
  );
}

/** With their loads, the frontier of all, and of each configuration a course in the order of load with its knee. */
function sweptPoints(
  own: readonly PlottedPoint[],
  loads: readonly number[],
  configurations: readonly string[],
): { readonly points: readonly PlottedPoint[]; readonly courses: readonly (readonly PlottedPoint[])[] } {
  const placed = own.flatMap((point, i) => {
    const [latency, throughput, load = NaN, configuration] = [
      numberOf(point.x),
      numberOf(point.y),
      loads[i],
      configurations[i],
    ];
    return latency === undefined || throughput === undefined
      ? []
      : [{ point, latency, throughput, load, configuration }];
  });
  const pareto = paretoFront(placed);
  const withLoad = placed.filter(({ load }) => !Number.isNaN(load));
  const courses = [...groupBy(withLoad, ({ configuration }) => configuration).values()].map((course) =>
    course.sort((a, b) => a.load - b.load),
  );
  const knees = new Set(courses.map((course) => course[kneeOf(course) ?? -1]?.point));
  const marked = new Map(
    placed.map(({ point, load }, i) => [
      point,
      {
        ...point,
        isPareto: pareto[i] === true,
        isKnee: knees.has(point),
        ...(Number.isNaN(load) ? {} : { label: String(load) }),
      },
    ]),
  );
  return {
    points: [...marked.values()],
    courses: courses.map((course) => course.flatMap(({ point }) => marked.get(point) ?? [])),
  };
}

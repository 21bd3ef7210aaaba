import { t } from "@vscode/l10n";
import type { LibraryPlot, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { seriesColor } from "../charts/line-styles.js";
import { PointPlot, type PlottedPoint } from "../charts/point-plot.js";
import { Placeholder } from "../components/message.js";
import type { RowSelection } from "../tables/grid-props.js";
import { colorScale } from "./color-scale.js";
import { idOf, nameOf } from "./columns.js";
import { plottedColumn } from "./plotted.js";

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

import { t } from "@vscode/l10n";
import { formatClock, formatRelative, relativeSeconds } from "../format/time.js";
import { heatColor, heatPlace, type HeatGrid } from "./heat-grid.js";
import type { Chart } from "chart.js";
import { leftOut, type Plot, type PlotPoint } from "../charts/drawing.js";
import { css } from "../charts/theme.js";

/** One cell of a heatmap. */
export interface HeatmapCell {
  readonly column: number;
  readonly row: number;
}

interface Times {
  readonly profilingStart: number;
  readonly originMs: number;
}

function rateAt({ rates, rows }: Pick<HeatGrid, "rates" | "rows">, { column, row }: HeatmapCell): number {
  return rates[column * rows + row] ?? NaN;
}

/** The cell at a time, seconds from the start of profiling, and at a place on the axis of rows. */
export function cellAt(
  { edges, rows }: Pick<HeatGrid, "edges" | "rows">,
  { seconds, value }: PlotPoint,
  profilingStart: number,
): HeatmapCell | undefined {
  const column = edges.findLastIndex((edge) => relativeSeconds(edge, profilingStart) <= seconds);
  if (column < 0 || column > edges.length - 2) return undefined;
  return { column, row: Math.min(rows - 1, Math.max(0, Math.floor(value))) };
}

/** Nothing is known of that stretch of time: no scrape answered in it. */
function isGap(grid: Pick<HeatGrid, "rates" | "rows">, column: number): boolean {
  for (let row = 0; row < grid.rows; row++) if (!Number.isNaN(rateAt(grid, { column, row }))) return false;
  return grid.rows > 0;
}

export function hasGaps(grid: HeatGrid): boolean {
  for (let column = 0; column < grid.edges.length - 1; column++) if (isGap(grid, column)) return true;
  return false;
}

/** Row, rate and time of one cell, line by line. */
export function cellLines(grid: HeatGrid, cell: HeatmapCell, { profilingStart, originMs }: Times): string[] {
  const [start = NaN, end = NaN] = [grid.edges[cell.column], grid.edges[cell.column + 1]];
  const time = (offset: number) => formatRelative(relativeSeconds(offset, profilingStart), end - start < 10e9 ? 1 : 0);
  const when = t`${time(start)} to ${time(end)} · ${formatClock(originMs, start)}`;
  if (isGap(grid, cell.column)) return [t("No scrape answered: nothing is known"), when];
  return [grid.rowText(cell.row), grid.rateText(rateAt(grid, cell)), when];
}

/** What a heatmap shows, for those who do not see it: the row with most, at first and at last. */
export function heatmapSummary(grid: HeatGrid): string {
  const columns = grid.edges.length - 1;
  const { rows } = grid;
  const busiest = (from: number, to: number): number => {
    const sums = Array.from({ length: rows }, (_, row) => {
      let sum = 0;
      for (let column = from; column < to; column++) sum += rateAt(grid, { column, row }) || 0;
      return sum;
    });
    const most = Math.max(...sums);
    return most > 0 ? sums.indexOf(most) : -1;
  };
  const say = (row: number) => (row < 0 ? t("none") : grid.rowText(row));
  const third = Math.max(1, Math.floor(columns / 3));
  const gaps = Array.from({ length: columns }, (_, column) => isGap(grid, column)).filter(Boolean).length;
  const ofGaps = gaps === 0 ? "" : t` In ${gaps} of the stretches no scrape answered.`;
  return t`Heatmap of ${rows} ${grid.rowsAre} over ${columns} stretches of time. ${grid.counted === "observations" ? t("Most observations") : t("Greatest")}: ${say(busiest(0, columns))}; in the first third ${say(busiest(0, third))}, in the last ${say(busiest(columns - third, columns))}.${ofGaps}`;
}

/** How much of a cell's colour is taken away where statistics leave it out. */
const PALE = 0.5;
/** Pixels between the strokes that fill a gap. */
const HATCH = 6;

/** Draws the cells of a chart that has some. */
export function drawCells({ chart, model, x, y }: Plot): void {
  if (model.heat === undefined) return;
  const { ctx } = chart;
  const { theme } = model;
  const { grid, scale } = model.heat;
  const { top, height } = chart.chartArea;
  const place = (column: number) =>
    Math.round(x.getPixelForValue(relativeSeconds(grid.edges[column] ?? NaN, model.profilingStart)));
  for (let column = 0; column < grid.edges.length - 1; column++) {
    const [left, right] = [place(column), place(column + 1)];
    if (isGap(grid, column)) drawGap(chart, css(theme.muted, 0.8), left, right);
    for (let row = 0; row < grid.rows; row++) {
      const heat = heatPlace(rateAt(grid, { column, row }), scale);
      if (Number.isNaN(heat)) continue;
      const [upper, lower] = [Math.round(y.getPixelForValue(row + 1)), Math.round(y.getPixelForValue(row))];
      ctx.fillStyle = css(heatColor(heat, theme));
      ctx.fillRect(left, upper, right - left, lower - upper);
    }
  }
  ctx.fillStyle = css(theme.background, PALE);
  for (const { from, to } of leftOut(model)) {
    const left = x.getPixelForValue(from);
    ctx.fillRect(left, top, x.getPixelForValue(to) - left, height);
  }
}

/** Hatched, as no colour of the scale is: strokes of neighbouring gaps meet. */
function drawGap({ ctx, chartArea }: Chart, color: string, left: number, right: number): void {
  const { top, height } = chartArea;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, height);
  ctx.clip();
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = left - ((left + height) % HATCH) - height; x < right; x += HATCH) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

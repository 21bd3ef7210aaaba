import type { Chart } from "chart.js";
import type { Plot } from "../charts/plot.js";
import { leftOut } from "../charts/stretches.js";
import { css } from "../charts/theme.js";
import { relativeSeconds } from "../format/time.js";
import { heatColor, heatPlace } from "./color-scale.js";
import { isGap, rateAt } from "./heatmap-text.js";

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

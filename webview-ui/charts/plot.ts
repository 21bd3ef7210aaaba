import type { Chart } from "chart.js";

/** Draws nothing beside the plot. @param out pixels by which it may stand out of it */
export function withinPlot({ ctx, chartArea }: Chart, draw: () => void, out = 0): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left - out, chartArea.top - out, chartArea.width + 2 * out, chartArea.height + 2 * out);
  ctx.clip();
  draw();
  ctx.restore();
}

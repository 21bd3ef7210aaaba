import type { Chart, Scale } from "chart.js";
import type { ChartModel } from "./drawing.js";

/** A chart and what it shows, for what is drawn behind and over its lines. */
export interface Plot {
  readonly chart: Chart;
  readonly model: ChartModel;
  readonly x: Scale;
  readonly y: Scale;
}

/** Draws nothing beside the plot. @param out pixels by which it may stand out of it */
export function withinPlot(chart: Chart, draw: () => void, out = 0): void {
  const { ctx, chartArea } = chart;
  ctx.save();
  clipTo(chart, chartArea.left - out, chartArea.top - out, chartArea.right + out, chartArea.bottom + out);
  draw();
  ctx.restore();
}

/**
 * Nothing is drawn beside this until the context is restored. It is widened to whole pixels of the screen: within the
 * fraction of a pixel, lines of noise take half as long again to rasterise.
 */
export function clipTo(
  { ctx, currentDevicePixelRatio: ratio }: Pick<Chart, "ctx" | "currentDevicePixelRatio">,
  left: number,
  top: number,
  right: number,
  bottom: number,
): void {
  const [x, y] = [Math.floor(left * ratio) / ratio, Math.floor(top * ratio) / ratio];
  ctx.beginPath();
  ctx.rect(x, y, Math.ceil(right * ratio) / ratio - x, Math.ceil(bottom * ratio) / ratio - y);
  ctx.clip();
}

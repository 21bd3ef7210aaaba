import { Chart } from "chart.js";
import type { Viewport } from "../state/run-store.js";
import { configuration, type LineConfiguration } from "./chart-options.js";
import type { PlotPlace } from "./crosshair.js";
import { dataset } from "./dataset.js";
import { chartTurns } from "./draw-turns.js";
import type { ChartModel } from "./drawing.js";
import type { LinePoint } from "./lines.js";
import { pointNearest, setUpCharts } from "./setup.js";
import { css } from "./theme.js";
import { fullScale, leastDecade, reachOf } from "./value-scale.js";
import { bounded } from "./viewport.js";

export interface SeriesChart {
  /** Drawn when its turn has come. */
  update(model: ChartModel): void;
  /** Where the lines are. */
  place(): PlotPlace | undefined;
  /** The time of the point nearest to a place on the canvas, CSS pixels; undefined beside the plot. */
  secondsAt(x: number): number | undefined;
  /** Until the pointer moves again. */
  hideTooltip(): void;
  destroy(): void;
}

type LineChart = Chart<"line", LinePoint[]>;

/**
 * A Chart.js chart that is fed whole models; zooming and panning is reported, never kept to itself.
 * @param onDrawn after each update: the plot may lie elsewhere
 */
export function createSeriesChart(
  canvas: HTMLCanvasElement,
  first: ChartModel,
  pointedAt: () => number | undefined,
  onViewport: (viewport: Viewport | undefined) => void,
  onDrawn: () => void,
): SeriesChart {
  setUpCharts();
  let model = first;
  let wanted = first;
  const config = configuration(
    () => model,
    pointedAt,
    () => report(),
  );
  // Made with all it shows, a chart is laid out once.
  apply(config, model);
  const chart: LineChart = new Chart(canvas, config);
  const report = () => {
    const x = chart.scales["x"];
    if (x !== undefined) onViewport(bounded({ from: x.min, to: x.max }, model.whole));
  };
  return {
    update(next) {
      if (next === wanted) return;
      wanted = next;
      chartTurns.draw(chart, () => {
        model = next;
        apply(chart, next);
        chart.update("none");
        onDrawn();
      });
    },
    place() {
      const x = chart.scales["x"];
      if (x === undefined) return undefined;
      const { left, top, width, height } = chart.chartArea;
      return { left, top, width, height, x: (seconds) => x.getPixelForValue(seconds) };
    },
    secondsAt(px) {
      const { left, right } = chart.chartArea;
      return px < left || px > right ? undefined : pointNearest(chart, px);
    },
    hideTooltip() {
      if (chart.getActiveElements().length === 0) return;
      chart.setActiveElements([]);
      chart.tooltip?.setActiveElements([], { x: 0, y: 0 });
      chart.update("none");
    },
    destroy() {
      chartTurns.forget(chart);
      chart.destroy();
    },
  };
}

/** Puts a model into a chart, or into what one will be made of. */
function apply({ data, options }: Pick<LineChart, "data" | "options"> | LineConfiguration, model: ChartModel): void {
  const { theme } = model;
  data.datasets = model.lines.map((line) => dataset(line, theme));
  const { x, y } = options.scales ?? {};
  const axisColors = {
    grid: { color: css(theme.grid), tickColor: css(theme.grid) },
    border: { color: css(theme.grid) },
  };
  if (x !== undefined) {
    Object.assign(x, { min: model.axis.from, max: model.axis.to });
    Object.assign(x.grid ?? {}, axisColors.grid);
    Object.assign(x.border ?? {}, axisColors.border);
    Object.assign(x.ticks ?? {}, { color: css(theme.muted) });
  }
  if (y !== undefined) {
    Object.assign(y, {
      type: model.logarithmic === true ? "logarithmic" : "linear",
      min: model.logarithmic === true ? leastDecade(model) : undefined,
      // Dates are far from zero, and from each other by little.
      beginAtZero: model.unit !== "timestamp" && model.logarithmic !== true,
      max: fullScale(model),
      suggestedMin: model.range?.low,
      suggestedMax: reachOf(model) ?? model.range?.high,
    });
    Object.assign(y.grid ?? {}, axisColors.grid);
    Object.assign(y.border ?? {}, axisColors.border);
    Object.assign(y.ticks ?? {}, { color: css(theme.muted) });
  }
  const { plugins, font } = options;
  if (plugins?.zoom !== undefined)
    plugins.zoom.limits = { x: { min: model.whole.from, max: model.whole.to, minRange: 0.5 } };
  if (plugins?.tooltip !== undefined)
    Object.assign(plugins.tooltip, {
      backgroundColor: css(theme.surface),
      borderColor: css(theme.border),
      titleColor: css(theme.foreground),
      bodyColor: css(theme.foreground),
      footerColor: css(theme.muted),
      titleFont: { size: 11, weight: "bold", family: theme.fontFamily },
      bodyFont: { size: 11, family: theme.fontFamily },
      footerFont: { size: 10, weight: "normal", family: theme.fontFamily },
    });
  if (font !== undefined) Object.assign(font, { family: theme.fontFamily });
}

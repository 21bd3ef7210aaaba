import {
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
  Interaction,
  type ActiveElement,
  type ChartEvent,
  type InteractionItem,
  type InteractionModeFunction,
} from "chart.js";
import zoom from "chartjs-plugin-zoom";
import type { Viewport } from "../state/run-store.js";
import { lineOptions } from "./chart-options.js";
import { chartTurns } from "./draw-turns.js";
import type { ChartModel, PlotPlace, PlotPoint } from "./drawing.js";
import { lineDetails, dataset } from "./line-details.js";
import { nearestIndex, type LinePoint } from "./lines.js";
import { overlay } from "./overlay.js";
import { bounded } from "./viewport.js";

declare module "chart.js" {
  interface InteractionModeMap {
    nearestPerLine: InteractionModeFunction;
  }
}

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Tooltip, Filler, zoom);
Interaction.modes.nearestPerLine = nearestPerLine;

export interface SeriesChart {
  /** Drawn when its turn has come. */
  update(model: ChartModel): void;
  /** Where the lines are. */
  place(): PlotPlace | undefined;
  /** The time of the point nearest to a place on the canvas, CSS pixels; undefined beside the plot. */
  secondsAt(x: number): number | undefined;
  /** What the axes say at a place on the canvas, CSS pixels; undefined beside the plot. */
  pointAt(x: number, y: number): PlotPoint | undefined;
  /** Until the pointer moves again. */
  hideTooltip(): void;
  destroy(): void;
}

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
  let model = first;
  let wanted = first;
  const parts = () => ({
    data: { datasets: model.lines.map((line) => dataset(line, model.theme)) },
    options: lineOptions(model, pointedAt, () => {
      const x = chart.scales["x"];
      if (x !== undefined) onViewport(bounded({ from: x.min, to: x.max }, model.whole));
    }),
  });
  // Made with all it shows, a chart is laid out once.
  const chart: Chart<"line", LinePoint[]> = new Chart(canvas, {
    type: "line",
    plugins: [overlay(() => model), lineDetails(() => model)],
    ...parts(),
  });
  return {
    update(next) {
      if (next === wanted) return;
      wanted = next;
      chartTurns.draw(chart, () => {
        model = next;
        Object.assign(chart, parts());
        chart.update("none");
        onDrawn();
      });
    },
    place() {
      const { x, y } = chart.scales;
      if (x === undefined || y === undefined) return undefined;
      const { left, top, width, height } = chart.chartArea;
      return {
        left,
        top,
        width,
        height,
        x: (seconds) => x.getPixelForValue(seconds),
        y: (value) => y.getPixelForValue(value),
      };
    },
    secondsAt(px) {
      const { left, right } = chart.chartArea;
      return px < left || px > right ? undefined : pointNearest(chart, px);
    },
    pointAt(px, py) {
      const { left, right, top, bottom } = chart.chartArea;
      const seconds = chart.scales["x"]?.getValueForPixel(px);
      const value = chart.scales["y"]?.getValueForPixel(py);
      const isInside = px >= left && px <= right && py >= top && py <= bottom;
      return isInside && seconds !== undefined && value !== undefined ? { seconds, value } : undefined;
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

/**
 * The time of the point of any visible line that is nearest to a place on the canvas, where the values are that are
 * shown for it; that of the place itself where no line has a point near it.
 */
function pointNearest(chart: Chart, px: number): number | undefined {
  const axis = chart.scales["x"];
  const at = axis?.getValueForPixel(px);
  if (axis === undefined || at === undefined) return undefined;
  let nearest: number | undefined;
  for (const { index } of chart.getSortedVisibleDatasetMetas()) {
    const points = (chart.data.datasets[index]?.data ?? []) as LinePoint[];
    const x = points[nearestIndex(points, at)]?.x;
    if (x === undefined || x < axis.min || x > axis.max) continue;
    if (nearest === undefined || Math.abs(x - at) < Math.abs(nearest - at)) nearest = x;
  }
  return nearest ?? at;
}

/**
 * Lines of different endpoints have no common times: each answers with its own point nearest to the pointer. The lines
 * that pass nearest to it come first: a tooltip has room for no more than those.
 */
function nearestPerLine(chart: Chart, event: ChartEvent): InteractionItem[] {
  const x = chart.scales["x"];
  const { y } = event;
  if (x === undefined || event.x === null || y === null) return [];
  const wanted = pointNearest(chart, event.x);
  if (wanted === undefined) return [];
  const items: (ActiveElement & InteractionItem)[] = [];
  for (const meta of chart.getSortedVisibleDatasetMetas()) {
    const index = nearestIndex((chart.data.datasets[meta.index]?.data ?? []) as LinePoint[], wanted);
    const element = meta.data[index];
    if (element !== undefined) items.push({ element, datasetIndex: meta.index, index });
  }
  return items.sort((a, b) => Math.abs(a.element.y - y) - Math.abs(b.element.y - y));
}

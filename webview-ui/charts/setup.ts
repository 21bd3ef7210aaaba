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
import { nearestIndex, type LinePoint } from "./lines.js";

declare module "chart.js" {
  interface InteractionModeMap {
    nearestPerLine: InteractionModeFunction;
  }
}

/**
 * The time of the point of any visible line that is nearest to a place on the canvas, where the values are that are
 * shown for it; that of the place itself where no line has a point near it.
 */
export function pointNearest(chart: Chart, px: number): number | undefined {
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

let registered = false;

/** Registers the parts of Chart.js in use; safe to call again. */
export function setUpCharts(): void {
  if (registered) return;
  registered = true;
  Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Tooltip, Filler, zoom);
  Interaction.modes.nearestPerLine = nearestPerLine;
}

import {
  Chart,
  Filler,
  LinearScale,
  PointElement,
  Tooltip,
  Interaction,
  type ActiveElement,
  type ChartEvent,
  type InteractionItem,
  type InteractionModeFunction,
} from "chart.js";
import zoom from "chartjs-plugin-zoom";
import { BareLineController } from "./line-controller.js";
import { PiecewiseLine } from "./line-element.js";
import { nearestIndex, type Point } from "./lines.js";

declare module "chart.js" {
  interface InteractionModeMap {
    nearestPerLine: InteractionModeFunction;
  }
}

/** Lines of different endpoints have no common times: each answers with its own point nearest to the pointer. */
function nearestPerLine(chart: Chart, event: ChartEvent): InteractionItem[] {
  const x = chart.scales["x"];
  if (x === undefined || event.x === null) return [];
  const wanted = x.getValueForPixel(event.x);
  if (wanted === undefined) return [];
  const items: (ActiveElement & InteractionItem)[] = [];
  for (const meta of chart.getSortedVisibleDatasetMetas()) {
    const index = nearestIndex((chart.data.datasets[meta.index]?.data ?? []) as Point[], wanted);
    const element = meta.data[index];
    if (element !== undefined) items.push({ element, datasetIndex: meta.index, index });
  }
  return items;
}

let registered = false;

/** Registers the parts of Chart.js in use; safe to call again. */
export function setUpCharts(): void {
  if (registered) return;
  registered = true;
  Chart.register(BareLineController, PiecewiseLine, PointElement, LinearScale, Tooltip, Filler, zoom);
  Interaction.modes.nearestPerLine = nearestPerLine;
}

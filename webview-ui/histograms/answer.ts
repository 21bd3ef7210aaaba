import type { ChartData, ChartQuery, DistributionData, HeatmapData } from "../../src/protocol/index.js";
import type { RunStore } from "../state/run-store.js";
import type { CardMode } from "./mode.js";

/** What a chart card was last answered, and what as: while another mode is asked for, it shows what it has. */
export type CardAnswer =
  | { readonly mode: "lines"; readonly data: ChartData }
  | { readonly mode: "heatmap"; readonly data: HeatmapData }
  | { readonly mode: "distribution"; readonly data: DistributionData };

/** Columns of a heatmap at the most: a few pixels each in a card. */
const MAX_COLUMNS = 120;

/** Heatmaps follow the zoom as lines do and add up all series; a distribution is of the run's window, as the tables are. */
export async function askCard(run: Pick<RunStore, "client" | "chart">, mode: CardMode, query: ChartQuery, abort: AbortSignal): Promise<CardAnswer> {
  const { family, series, from, to } = query;
  const what = { family, ...(series === undefined ? {} : { series }) };
  switch (mode) {
    case "lines":
      return { mode, data: await run.chart(query, abort) };
    case "heatmap":
      return { mode, data: await run.client.call("heatmap", { ...what, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), maxColumns: MAX_COLUMNS }, abort) };
    case "distribution":
      return { mode, data: await run.client.call("distribution", what, abort) };
  }
}

import type {
  ChartData,
  ChartQuery,
  DistributionData,
  HeatmapData,
  ModeSettings,
  RankingData,
  SharesData,
  VectorData,
} from "../../src/protocol/index.js";
import { ofEndpoints, type RunStore } from "../state/run-store.js";
import { overlaid } from "./overlaid.js";
import { USUAL_COUNT, type CardMode } from "../state/chart-mode.js";

/** What a chart card was last answered, and what as: while another mode is asked for, it shows what it has. */
export type CardAnswer =
  | { readonly mode: "lines"; readonly data: ChartData }
  | { readonly mode: "heatmap"; readonly data: HeatmapData }
  | { readonly mode: "distribution"; readonly data: DistributionData }
  | { readonly mode: "vector"; readonly data: VectorData }
  | { readonly mode: "ranking"; readonly data: RankingData }
  | { readonly mode: "shares"; readonly data: SharesData };

/** Columns of a heatmap at the most: a few pixels each in a card. */
const MAX_COLUMNS = 120;

/**
 * Heatmaps follow the zoom as lines do and add up all series; all else is of the run's window, as the tables are.
 * A ranking is among all series of the family, whichever of them were chosen to be drawn.
 */
export async function askCard(
  { client, chart, only }: Pick<RunStore, "client" | "chart" | "only">,
  mode: CardMode,
  query: ChartQuery,
  settings: ModeSettings,
  abort: AbortSignal,
  also: readonly string[] = [],
): Promise<CardAnswer> {
  const whole = { ...query, ...ofEndpoints(only.peek()) };
  const { series: _first, ...ofOthers } = whole;
  if (mode === "lines") {
    const [first, ...others] = await Promise.all([
      chart(whole, abort),
      ...also.map((one) => chart({ ...ofOthers, family: one }, abort)),
    ]);
    return { mode, data: others.length === 0 ? first : overlaid([first, ...others]) };
  }
  const { maxSeries: _series, maxPoints: _points, together: _together, ...heatmap } = whole;
  const { from: _from, to: _to, ...what } = heatmap;
  const { statistic, count = USUAL_COUNT, by } = settings;
  switch (mode) {
    case "heatmap":
      return { mode, data: await client.call("heatmap", { ...heatmap, maxColumns: MAX_COLUMNS }, abort) };
    case "distribution":
      return { mode, data: await client.call("distribution", what, abort) };
    case "vector":
      return { mode, data: await client.call("vector", what, abort) };
    case "ranking": {
      const { series: _chosen, ...all } = what;
      const asked = { ...all, count, ...(statistic === undefined ? {} : { statistic }) };
      return { mode, data: await client.call("ranking", asked, abort) };
    }
    case "shares":
      return { mode, data: await client.call("shares", { ...what, ...(by === undefined ? {} : { by }) }, abort) };
  }
}

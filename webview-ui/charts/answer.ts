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
import type { RunStore } from "../state/run-store.js";
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
  run: Pick<RunStore, "client" | "chart" | "only">,
  mode: CardMode,
  whole: ChartQuery,
  settings: ModeSettings,
  abort: AbortSignal,
  also: readonly string[] = [],
): Promise<CardAnswer> {
  if (mode === "lines") {
    const { series: _series, ...ofOthers } = whole;
    const [first, ...others] = await Promise.all([
      narrowedChart(run, whole, abort),
      ...also.map((one) => narrowedChart(run, { ...ofOthers, family: one }, abort)),
    ]);
    return { mode, data: others.length === 0 ? first : overlaid([first, ...others]) };
  }
  const { family, series, from, to } = await narrowed(run, whole, abort);
  const what = { family, ...(series === undefined ? {} : { series }) };
  const { statistic, count = USUAL_COUNT, by } = settings;
  switch (mode) {
    case "heatmap":
      return {
        mode,
        data: await run.client.call(
          "heatmap",
          {
            ...what,
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
            maxColumns: MAX_COLUMNS,
          },
          abort,
        ),
      };
    case "distribution":
      return { mode, data: await run.client.call("distribution", what, abort) };
    case "vector":
      return { mode, data: await run.client.call("vector", what, abort) };
    case "ranking":
      return {
        mode,
        data: await run.client.call(
          "ranking",
          { family, count, ...(statistic === undefined ? {} : { statistic }) },
          abort,
        ),
      };
    case "shares":
      return { mode, data: await run.client.call("shares", { ...what, ...(by === undefined ? {} : { by }) }, abort) };
  }
}

/** The lines of a family, as the view is narrowed. */
export async function narrowedChart(
  run: Pick<RunStore, "client" | "chart" | "only">,
  query: ChartQuery,
  abort: AbortSignal,
): Promise<ChartData> {
  return run.chart(await narrowed(run, query, abort), abort);
}

/** Families of one unit as one chart: each line says whose it is. */
function overlaid(charts: readonly [ChartData, ...ChartData[]]): ChartData {
  const [{ empty, ...first }] = charts;
  const lines = charts.flatMap(({ family, lines }) => lines.map((line) => ({ ...line, family })));
  return {
    ...first,
    lines,
    seriesTotal: charts.reduce((sum, { seriesTotal }) => sum + seriesTotal, 0),
    ...(lines.length > 0 || empty === undefined ? {} : { empty }),
  };
}

/** Of a view that is narrowed: the series of its endpoints alone. */
export async function narrowed<Q extends Pick<ChartQuery, "family" | "series"> & { readonly maxSeries?: number }>(
  { client, only }: Pick<RunStore, "client" | "only">,
  query: Q,
  abort: AbortSignal,
): Promise<Q> {
  const urls = only.peek()?.urls;
  if (urls === undefined) return query;
  const all = await client.call("series", { family: query.family }, abort);
  const own = all.filter(({ endpointUrl }) => urls.includes(endpointUrl)).map(({ id }) => id);
  const series = query.series === undefined ? own : query.series.filter((id) => own.includes(id));
  return { ...query, series: series.slice(0, query.maxSeries) };
}

import type { EpochNs, SeriesId } from "../core/model/index.js";
import {
  chartSteps,
  distributionData,
  familySummaries,
  heatmapData,
  labelCounts,
  runEntries,
  seriesSummaries,
  SliceEstimates,
  storedChart,
  storedDistribution,
  storedEntries,
  storedFamilies,
  storedHeatmap,
  storedSeries,
  type ChartData,
  type ChartQuery,
  type DistributionData,
  type FamilySummary,
  type HeatmapData,
  type HeatmapQuery,
  type LabelCount,
  type ResultEntry,
  type SeriesSummary,
  type StoredRun,
} from "../core/query/index.js";
import type { Run } from "../core/store/index.js";

/** What views ask of a run, whether its samples are there or only their statistics. */
export interface Answers {
  /** Time of offset 0. */
  readonly origin: EpochNs;
  /** Grows when series appear. */
  readonly seriesCount: number;
  families(): FamilySummary[];
  series(family: string): SeriesSummary[];
  labels(): LabelCount[];
  /** Yields the share done. */
  chart(query: ChartQuery): Generator<number, ChartData>;
  entries(): Iterable<ResultEntry>;
  heatmap(query: HeatmapQuery): HeatmapData;
  distribution(query: { readonly family: string; readonly series?: readonly SeriesId[] }): DistributionData;
}

export function runAnswers(run: Run): Answers {
  const kept = new SliceEstimates();
  return {
    get origin() {
      return run.store.origin;
    },
    get seriesCount() {
      return run.store.seriesCount;
    },
    families: () => familySummaries(run),
    series: (family) => seriesSummaries(run, family),
    labels: () => labelCounts(run.store.seriesKeys()),
    chart: (query) => chartSteps(run, query, kept),
    entries: () => runEntries(run),
    heatmap: (query) => heatmapData(run, query),
    distribution: (query) => distributionData(run, query),
  };
}

export function storedAnswers(run: StoredRun): Answers {
  return {
    origin: run.origin,
    seriesCount: run.series.length,
    families: () => storedFamilies(run),
    series: (family) => storedSeries(run, family),
    labels: () => labelCounts(run.series.map(({ key }) => key)),
    *chart(query) {
      return storedChart(run, query);
    },
    entries: () => storedEntries(run),
    heatmap: (query) => storedHeatmap(run, query),
    distribution: (query) => storedDistribution(run, query),
  };
}

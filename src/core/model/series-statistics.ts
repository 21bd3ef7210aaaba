import type { HistogramResult, SeriesResult } from "./statistics.js";

/**
 * All statistics of a series, by their keys: what tables, tiles, comparisons, findings, sinks and gates read. Lint
 * forbids reading `stats` of a result elsewhere than here, where it is computed and in the formats.
 */
export function statisticsOf({ stats }: SeriesResult): Readonly<Record<string, number | undefined>> {
  return stats;
}

/** One of them, NaN where there is none. Counts of what did not happen are 0, not absent. */
export function statisticOf(result: SeriesResult | undefined, statistic: string): number {
  if (result === undefined) return NaN;
  const all = statisticsOf(result);
  const value = Object.hasOwn(all, statistic) ? all[statistic] : undefined;
  if (value !== undefined) return value;
  if (statistic === "resets" || statistic === "gaps") return 0;
  // The names that the files have for it where AIPerf's own fields say another.
  if (result.kind === "counter" && statistic === "increase") return result.stats.total;
  if (result.kind === "histogram" && statistic === "increase_count") return result.stats.count;
  if (result.kind === "histogram" && statistic === "increase_sum") return result.stats.sum ?? 0;
  return NaN;
}

/** The same where AIPerf's rule (last less first) gives another, as after a restart; undefined where it does not. */
export function aiperfStatisticOf(result: SeriesResult, statistic: string): number | undefined {
  if (result.kind === "gauge" || result.aiperf === undefined) return undefined;
  const all: Readonly<Record<string, number | undefined>> = result.aiperf.stats;
  return Object.hasOwn(all, statistic) ? all[statistic] : undefined;
}

const AMOUNT = { gauge: "avg", counter: "total", histogram: "count" } as const;

/** What a series weighs: a gauge's mean, a counter's increase, a histogram's observations; NaN without a result. */
export function amountOf(result: SeriesResult | undefined): number {
  return result === undefined ? NaN : statisticOf(result, AMOUNT[result.kind]);
}

/**
 * What histograms of one family observed together: those that observed anything, and the one of them with most
 * observations. Sum and average are NaN where one does not tell its sum. Undefined where nothing was observed.
 */
export function observedTogether(all: readonly HistogramResult[]) {
  const series = all.filter(({ stats }) => stats.count > 0);
  const [first] = series;
  if (first === undefined) return undefined;
  const main = series.reduce((most, each) => (each.stats.count > most.stats.count ? each : most), first);
  const count = series.reduce((total, { stats }) => total + stats.count, 0);
  const sum = series.reduce((total, { stats }) => total + (stats.sum ?? NaN), 0);
  return { series, main, count, sum, avg: sum / count };
}

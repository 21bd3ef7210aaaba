import { shownUnit } from "../catalog/index.js";
import type { MetricType } from "../model/index.js";
import { knownEstimate } from "../stats/index.js";
import { askedEntries, noDataProblem } from "./load.js";
import { shownStats, statisticColumns, type ResultEntry } from "./tables.js";
import type { RankingData, RankingQuery } from "./types/index.js";

const USUAL: { readonly [T in MetricType]: string } = {
  gauge: "avg",
  unknown: "avg",
  counter: "rate",
  histogram: "avg",
};

/** The series with the greatest values of a statistic over the window, greatest first. Yields the share done. */
export function* rankingSteps(all: Iterable<ResultEntry>, query: RankingQuery): Generator<number, RankingData> {
  const entries = askedEntries(all, query);
  const family = entries[0]?.key.family;
  const type = family?.type ?? "unknown";
  const statistics = statisticColumns(type, family === undefined ? undefined : shownUnit(family));
  const wanted =
    statistics.find(({ key }) => key === query.statistic) ?? statistics.find(({ key }) => key === USUAL[type]);
  const statistic = wanted ?? { key: USUAL[type], title: USUAL[type] };
  const ranked: {
    readonly entry: ResultEntry;
    readonly value: number;
    readonly lower: number;
    readonly upper: number;
    readonly note?: string;
  }[] = [];
  for (const [i, entry] of entries.entries()) {
    const result = entry.result();
    const { stats, note } = shownStats(result);
    const value = stats[statistic.key] ?? NaN;
    const estimate = result?.kind === "histogram" ? knownEstimate(result, statistic.key) : undefined;
    if (!Number.isNaN(value))
      ranked.push({
        entry,
        value,
        lower: estimate?.lower ?? NaN,
        upper: estimate?.upper ?? NaN,
        ...(note === undefined ? {} : { note }),
      });
    yield (i + 1) / entries.length;
  }
  ranked.sort((a, b) => b.value - a.value);
  const first = ranked.slice(0, Math.max(1, query.count));
  const numbers = (of: "value" | "lower" | "upper") => Float64Array.from(first, (row) => row[of]);
  return {
    family: query.family,
    statistic,
    statistics,
    rows: first.map(({ entry: { key }, note }) => ({
      series: key.id,
      endpointUrl: key.endpointUrl,
      labels: key.labels,
      ...(note === undefined ? {} : { note }),
    })),
    values: numbers("value"),
    ...(statistic.key.endsWith("_estimate") ? { bounds: { lower: numbers("lower"), upper: numbers("upper") } } : {}),
    seriesTotal: entries.length,
    unranked: entries.length - ranked.length,
    ...(ranked.length > 0 ? {} : { empty: unrankable(query.family, entries, statistic.title) }),
  };
}

function unrankable(family: string, entries: readonly ResultEntry[], statistic: string) {
  const some = entries.some((entry) => entry.result() !== undefined);
  return some
    ? {
        severity: "info" as const,
        reason: `No series of ${family} has the statistic ${statistic} in this window.`,
        remedy: "Rank by another one.",
      }
    : noDataProblem(family, entries.length);
}

import { aboutServers, conceptOf, isStaticFamily, joiningOf, familyUnit, JOIN } from "../catalog/index.js";
import type { ClientResult } from "../client/index.js";
import { amountOf, observedTogether, statisticOf, type FamilyResult, type RunStatistics } from "../model/index.js";
import { LATENCY_CONCEPTS, loadOf, type Estimated, type Figures } from "../sweep/index.js";
import type { Interval } from "./runs.js";

/**
 * What the library keeps of a run's statistics: the key figures of its servers, and statistics of every family.
 * Percentiles of several series are not those of all, and are left out.
 * @param measured as `measureServer` has it
 */
export function measuredOf(statistics: RunStatistics, measured: Figures) {
  const values = new Map<string, number>();
  const add = (name: string, value: number | undefined) => {
    if (value !== undefined && Number.isFinite(value)) values.set(name, value);
  };
  const figures = keyFigures(measured);
  for (const [name, { value }] of figures) add(name, value);
  for (const family of statistics.families) {
    if (isStaticFamily(family.name)) continue;
    for (const [statistic, value] of statisticsIn(family)) add(`${family.name} ${statistic}`, value);
  }
  const { servers, models, facts } = aboutServers(
    statistics.families.flatMap((family) =>
      family.series.map((result) => ({ family, labels: result.labels, value: () => amountOf(result) })),
    ),
  );
  return { servers, models, facts: Object.fromEntries(facts), values, intervals: intervalsOf(figures) };
}

/** The column of a key figure that a family has, by its concept and statistic (`p99_estimate`). */
export function figureColumn(family: string, statistic: string): string | undefined {
  const concept = conceptOf(family)?.concept.id;
  if (concept === "generation-tokens" && statistic === "rate") return "tokens";
  const [column] = Object.entries(LATENCY_CONCEPTS).find(([, latency]) => latency === concept) ?? [];
  if (column === undefined) return undefined;
  return statistic === "avg" ? column : /_estimate$/.test(statistic) ? `${column}.${statistic.slice(0, 3)}` : undefined;
}

/**
 * What a benchmark client measured, and the load that it was set to: columns that begin with `client`.
 * @param measured as `measureClient` has it
 */
export function clientValues(
  result: ClientResult,
  measured: Figures,
): {
  readonly values: readonly (readonly [string, number])[];
  readonly intervals: Readonly<Record<string, Interval>>;
} {
  const load = loadOf(result);
  const figures = keyFigures(measured).map(([name, figure]) => [`client.${name}`, figure] as const);
  return {
    values: [
      ...figures.map(([name, { value }]) => [name, value] as const),
      ...(load === undefined
        ? []
        : [[load.kind === "concurrency" ? "client.concurrency" : "client.rate", load.value] as const]),
    ],
    intervals: intervalsOf(figures),
  };
}

function intervalsOf(figures: readonly Figure[]): Readonly<Record<string, Interval>> {
  return Object.fromEntries(
    figures.flatMap(([name, { interval }]) => (interval === undefined ? [] : [[name, interval] as const])),
  );
}

type Figure = readonly [column: string, figure: Estimated];

function keyFigures(figures: Figures): readonly Figure[] {
  return Object.entries(figures).flatMap(([name, figure]) => (figure === undefined ? [] : [[name, figure] as const]));
}

function statisticsIn(family: FamilyResult): readonly (readonly [string, number | undefined])[] {
  const unit = conceptOf(family.name)?.concept.unit ?? familyUnit(family);
  const { compared } = joiningOf(family.type, unit);
  const joined = (values: readonly number[]) => {
    const known = values.filter(Number.isFinite);
    return known.length === 0 ? undefined : JOIN[compared](known);
  };
  switch (family.type) {
    case "counter":
      return (["total", "rate"] as const).map((key) => [
        key,
        joined(family.series.map((result) => statisticOf(result, key))),
      ]);
    case "histogram": {
      const observed = observedTogether(family.series);
      const [only, another] = family.series;
      return [
        ["count", observed?.count ?? 0],
        ["avg", observed?.avg],
        ...(["p50", "p90", "p99"] as const).map(
          (p) => [p, another === undefined ? statisticOf(only, `${p}_estimate`) : undefined] as const,
        ),
      ];
    }
    case "gauge":
    case "unknown":
      return [
        ["avg", joined(family.series.map((result) => statisticOf(result, "avg")))],
        ["max", joined(family.series.map((result) => statisticOf(result, "max")))],
      ];
  }
}

import { canonicalName, conceptOf, familyUnit, holdsConcepts } from "../catalog/index.js";
import {
  familyResult,
  formatLabels,
  NS_PER_SECOND,
  type Family,
  type FamilyResult,
  type HistogramResult,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import { currentWindow, runStatistics, type RunWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { Observed, familiesByEndpoint } from "./observed.js";
import { RULES } from "./rules/index.js";
import { loadOf } from "./rules/load.js";
import { DEFAULT_THRESHOLDS, type Thresholds } from "./thresholds.js";

const SLICES = 60;
const SHORTEST_SECONDS = 1;

/** Length of the timeslices that suits findings best, in seconds, for a run of this length. */
export function insightSlices(runSeconds: number): number {
  return Math.max(SHORTEST_SECONDS, runSeconds / SLICES);
}

/** What is looked at for findings. */
export interface InsightOptions {
  /** Absent: the run's own. */
  readonly window?: RunWindow | undefined;
  /** Whose series alone are computed; absent: all. */
  readonly endpointUrl?: string | undefined;
  /** Those that the findings are judged by. */
  readonly thresholds?: Partial<Thresholds> | undefined;
}

/**
 * Statistics of a run in the slices that findings are based on, in steps that yield the share done. Percentiles are
 * estimated only of histograms for which a rule needs them.
 */
export function* insightStatistics(
  run: Run,
  { window = currentWindow(run), endpointUrl, thresholds = {} }: InsightOptions = {},
): Generator<number, RunStatistics> {
  const options = {
    unitOf: familyUnit,
    window,
    sliceSeconds: insightSlices(Number(window.end - window.start) / NS_PER_SECOND),
  };
  const statistics = yield* runStatistics(run, {
    ...options,
    only: (family, key) => isUsedByFindings(family) && (endpointUrl === undefined || key.endpointUrl === endpointUrl),
    estimated: () => false,
  });
  const observed = new Observed(statistics);
  const limits = { ...DEFAULT_THRESHOLDS, ...thresholds };
  const needed = new Set<string>();
  yield* sliceStatistics(observed);
  for (const [, rule] of RULES) {
    for (const { family, endpointUrl: url } of rule.percentilesOf?.(observed, limits) ?? [])
      needed.add(placeOf(family, url));
    yield 1;
  }
  if (needed.size === 0) return statistics;
  const estimated = yield* runStatistics(run, {
    ...options,
    only: (family, key) => needed.has(placeOf(family.name, key.endpointUrl)),
    estimated: () => true,
  });
  return withHistograms(statistics, estimated);
}

/** Whether a rule may ask for a family: the rest of a large run need not be computed for findings. */
export function isUsedByFindings({ name, type }: Pick<Family, "name" | "type">): boolean {
  if (type === "counter" || conceptOf(name) !== undefined) return true;
  const canonical = canonicalName(name);
  return holdsConcepts(canonical) || RULES.some(([, rule]) => rule.uses?.(canonical));
}

/** What rules ask of each endpoint, which they share: so none of them takes long. */
export function* sliceStatistics(observed: Observed): Generator<number, void> {
  for (const endpointUrl of observed.servingEndpoints()) {
    loadOf(observed, endpointUrl);
    yield 1;
  }
}

/** Of a file what `insightStatistics` gives of its run: in the file's own slices where it has no finer ones. */
export function withFineSlices(run: RunStatistics): RunStatistics {
  return {
    ...run,
    families: run.families
      .filter(isUsedByFindings)
      .map((family) => familyResult(family, family.unit, family.series.map(readFinely))),
  };
}

function readFinely(series: SeriesResult): SeriesResult {
  switch (series.kind) {
    case "gauge":
      return { ...series, ...slicesOf(series.fineSlices) };
    case "counter":
      return { ...series, ...slicesOf(series.fineSlices) };
    case "histogram":
      return { ...series, ...slicesOf(series.fineSlices) };
  }
}

function slicesOf<T>(slices: readonly T[] | undefined): { readonly slices?: readonly T[] } {
  return slices === undefined ? {} : { slices };
}

function placeOf(family: string, endpointUrl: string): string {
  return `${family} ${endpointUrl}`;
}

/** Statistics with the histograms of others in place of their own. */
function withHistograms(run: RunStatistics, { families }: RunStatistics): RunStatistics {
  const series = new Map(
    families.flatMap((family) =>
      family.type === "histogram" ? family.series.map((one) => [seriesOf(family, one), one] as const) : [],
    ),
  );
  return {
    ...run,
    families: run.families.map((family) =>
      family.type === "histogram"
        ? { ...family, series: family.series.map((one) => series.get(seriesOf(family, one)) ?? one) }
        : family,
    ),
  };
}

function seriesOf({ name }: FamilyResult, { endpointUrl, labels }: HistogramResult): string {
  return placeOf(name, endpointUrl) + formatLabels(labels);
}

/** What a run's statistics say of one endpoint, as if it had been captured alone. */
export function ofEndpoint(run: RunStatistics, endpointUrl: string): RunStatistics {
  return {
    ...run,
    endpointsSuccessful: run.endpointsSuccessful.filter((url) => url === endpointUrl),
    endpointInfo: run.endpointInfo.filter(([url]) => url === endpointUrl),
    families: familiesByEndpoint(run.families).get(endpointUrl) ?? [],
  };
}

/** As `insightStatistics`, of all families and in finer slices: what moves with something may be anything. */
export function fineStatistics(run: Run, window = currentWindow(run)): Generator<number, RunStatistics> {
  const sliceSeconds = Math.max(SHORTEST_SECONDS, Number(window.end - window.start) / NS_PER_SECOND / (2 * SLICES));
  return runStatistics(run, { unitOf: familyUnit, window, sliceSeconds });
}

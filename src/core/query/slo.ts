import { objectiveApplies, shownUnit, type Objective } from "../catalog/index.js";
import {
  statisticOf,
  type BucketCounts,
  type EpochNs,
  type Family,
  type HistogramResult,
  type SliceTimes,
} from "../model/index.js";
import {
  goodputBounds,
  observesRequests,
  shareBelow,
  shareBelowInSlice,
  pooledShare,
  type ShareBelow,
} from "../stats/index.js";
import type { ResultEntry } from "./tables.js";

/** How far an objective was met by all series of its family. */
export interface Attainment extends Objective {
  /** As exposed. */
  readonly family: string;
  readonly unit?: string;
  readonly observations: number;
  readonly share: ShareBelow;
}

/**
 * Requests that meet all objectives. Buckets do not tell which requests are the same: their share has bounds. Requests
 * that are under way where the window begins or ends count for some objectives and not for others, beyond the bounds.
 */
export interface Goodput {
  /** Names of the objectives whose metrics observe each request once. */
  readonly of: readonly string[];
  /** Names of those that observe something else, such as tokens: of requests they tell nothing. */
  readonly without: readonly string[];
  readonly lower: number;
  readonly upper: number;
  /** Requests a second that the bounds make; NaN where no time is known. */
  readonly rateLower: number;
  readonly rateUpper: number;
}

export interface SloReport {
  readonly attained: readonly Attainment[];
  /** Names that no histogram of the run has. */
  readonly missing: readonly string[];
  /** With two or more objectives of requests. */
  readonly goodput?: Goodput;
}

interface SharePart {
  readonly observations: number;
  readonly share: ShareBelow;
}

/** One timeslice; NaN without observations. */
export interface SliceAttainment extends SliceTimes, SharePart {}

/** What became of objectives in a run's statistics. */
export function sloReport(entries: Iterable<ResultEntry>, objectives: readonly Objective[]): SloReport {
  const histograms = [...entries].filter(({ key }) => key.family.type === "histogram");
  const missing: string[] = [];
  const seconds: number[] = [];
  const attained = objectives.flatMap((objective): Attainment[] => {
    const { name, threshold } = objective;
    const measured = measuredFor(histograms, objective);
    if (measured === undefined) {
      missing.push(name);
      return [];
    }
    const { family, results } = measured;
    seconds.push(Math.max(...results.map(observedSeconds)));
    const unit = shownUnit(family);
    const together = attainedBy(results, threshold);
    return [{ name, threshold, family: family.name, ...(unit === undefined ? {} : { unit }), ...together }];
  });
  const ofRequests = observesRequests(attained.map(({ observations }) => observations));
  const same = attained.filter((_, i) => ofRequests[i]);
  if (same.length < 2) return { attained, missing };
  const { lower, upper } = goodputBounds(same.map(({ share }) => share));
  const rate = Math.min(...same.map(({ observations }) => observations)) / Math.max(...seconds);
  return {
    attained,
    missing,
    goodput: {
      of: same.map(({ name }) => name),
      without: attained.flatMap((one) => (same.includes(one) ? [] : [one.name])),
      lower,
      upper,
      rateLower: lower * rate,
      rateUpper: upper * rate,
    },
  };
}

/** The histograms of the family that an objective is about; undefined without any. */
function measuredFor(
  histograms: readonly ResultEntry[],
  objective: Objective,
): { readonly family: Family; readonly results: readonly BucketedResult[] } | undefined {
  const own = histograms.filter(({ key }) => objectiveApplies(key.family.name, objective));
  // An engine may tell one thing by two families: the first is the one.
  const family = own[0]?.key.family;
  const results = own.flatMap((entry): BucketedResult[] => {
    const result = entry.key.family.name === family?.name ? entry.result() : undefined;
    if (result?.kind !== "histogram") return [];
    const { buckets } = result;
    return buckets === undefined ? [] : [{ ...result, buckets }];
  });
  return family === undefined || results.length === 0 ? undefined : { family, results };
}

type BucketedResult = HistogramResult & { readonly buckets: BucketCounts };

function attainedBy(results: readonly BucketedResult[], threshold: number) {
  return pooledShare(
    results.map((result) => ({ observations: observedIn(result.buckets), share: shareBelow(result, threshold) })),
  );
}

/** What the rates of a histogram run over; an artifact tells it by them alone. NaN without observations. */
function observedSeconds(result: HistogramResult): number {
  return result.seconds ?? statisticOf(result, "count") / statisticOf(result, "count_rate");
}

function observedIn(buckets: BucketCounts): number {
  return buckets.at(-1)?.[1] ?? 0;
}

/** How far an objective was met in each timeslice, in order of time; none where a run has no slices. */
export function sliceAttainment(entries: Iterable<ResultEntry>, objective: Objective): readonly SliceAttainment[] {
  const histograms = [...entries].filter(({ key }) => key.family.type === "histogram");
  const byStart = new Map<EpochNs, { readonly times: SliceTimes; readonly parts: SharePart[] }>();
  for (const result of measuredFor(histograms, objective)?.results ?? []) {
    const whole = shareBelow(result, objective.threshold);
    for (const { start_ns, end_ns, is_complete, buckets } of result.slices ?? []) {
      const times = { start_ns, end_ns, ...(is_complete === undefined ? {} : { is_complete }) };
      const slice = byStart.get(start_ns) ?? { times, parts: [] };
      byStart.set(start_ns, slice);
      const share = shareBelowInSlice(buckets, whole, objective.threshold);
      slice.parts.push({ observations: observedIn(buckets), share });
    }
  }
  return [...byStart.values()]
    .map(({ times, parts }) => ({ ...times, ...pooledShare(parts) }))
    .sort((a, b) => Number(a.start_ns > b.start_ns) - Number(a.start_ns < b.start_ns));
}

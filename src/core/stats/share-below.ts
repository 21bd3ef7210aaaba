import {
  boundValue,
  PERCENTILES,
  type BucketCounts,
  type EstimateIntervals,
  type HistogramStats,
} from "../model/index.js";

/** What share of a histogram's observations lies at or below a threshold: attainment of a service level objective. */
export interface ShareBelow {
  /** Between 0 and 1. NaN without observations. */
  readonly value: number;
  /** Certain: the cumulative counts of the bounds around the threshold, equal where it is a bound itself. */
  readonly lower: number;
  readonly upper: number;
  /** Holds the share in 90 % of the cases, inside [lower, upper]. */
  readonly interval: readonly [low: number, high: number];
  /** The threshold lies above the last bound: the share is `lower` at least, and nothing tells how much more. */
  readonly beyond?: true;
}

/** A point of the distribution: a share lies at or below a value. */
type Knot = readonly [value: number, share: number];

/**
 * Share of observations at or below a threshold. Bounds give it exactly; between them the estimated percentiles are
 * further points of the distribution, and it is linear from one to the next. The ends of their intervals make its
 * interval.
 *
 * @param threshold in the metric's unit
 */
export function shareBelow(
  result: {
    readonly stats: HistogramStats;
    readonly buckets?: BucketCounts;
    readonly intervals?: EstimateIntervals;
  },
  threshold: number,
): ShareBelow {
  const bounds = (result.buckets ?? []).map(([bound, count]): Knot => [boundValue(bound), count]);
  const all = bounds.at(-1)?.[1] ?? 0;
  if (!(all > 0) || Number.isNaN(threshold)) return { value: NaN, lower: NaN, upper: NaN, interval: [NaN, NaN] };
  const shares = bounds.map(([bound, count]): Knot => [bound, count / all]);
  const lower = shares.findLast(([bound]) => bound <= threshold)?.[1] ?? 0;
  const upper = shares.find(([bound]) => bound >= threshold)?.[1] ?? 1;
  const known = shares.filter(([bound]) => Number.isFinite(bound));
  if (upper > lower && threshold > (known.at(-1)?.[0] ?? Infinity))
    return { value: lower, lower, upper, interval: [lower, upper], beyond: true };
  // Values are taken to be positive where all bounds are.
  if ((known[0]?.[0] ?? 0) > 0) known.unshift([0, 0]);
  const inside = (share: number) => Math.max(lower, Math.min(upper, share));
  const knotsBy = (valueOf: (p: (typeof PERCENTILES)[number]) => number | undefined) => {
    const percentiles = PERCENTILES.flatMap((p): Knot[] => {
      const value = valueOf(p);
      return value === undefined || !Number.isFinite(value) ? [] : [[value, p / 100]];
    });
    return [...known, ...percentiles];
  };
  const estimated = knotsBy((p) => result.stats[`p${p}_estimate`]);
  const value = inside(shareAt(estimated, threshold));
  const { intervals } = result;
  if (intervals === undefined) return { value, lower, upper, interval: [lower, upper] };
  const low = shareAt(
    knotsBy((p) => intervals[`p${p}_interval`]?.[1]),
    threshold,
  );
  const high = shareAt(
    knotsBy((p) => intervals[`p${p}_interval`]?.[0]),
    threshold,
  );
  const slack = BETWEEN_KNOTS * stepAround(estimated, threshold);
  return {
    value,
    lower,
    upper,
    interval: [inside(Math.min(value, low) - slack), inside(Math.max(value, high) + slack)],
  };
}

/**
 * How far a share between two knots may lie from the straight line, of the step between them: measured on simulated
 * servers, whose batches of equal latencies lie anywhere between two percentiles.
 */
const BETWEEN_KNOTS = 0.1;

/** From the knot before a value to the one after it. */
function stepAround(knots: readonly Knot[], value: number): number {
  const before = Math.max(0, ...knots.flatMap(([x, share]) => (x <= value ? [share] : [])));
  const after = Math.min(1, ...knots.flatMap(([x, share]) => (x > value ? [share] : [])));
  return Math.max(0, after - before);
}

/**
 * The same of one slice of a histogram. Inside a bucket its observations are taken to lie as those of the whole run do,
 * so that the slices together give the share of the whole; nothing closer than the bounds is known of one slice.
 *
 * @param whole of all observations, at the same threshold
 */
export function shareBelowInSlice(buckets: BucketCounts, whole: ShareBelow, threshold: number): ShareBelow {
  const { lower, upper, beyond } = shareBelow({ stats: { count: NaN }, buckets }, threshold);
  const value = lower + partBelow(whole) * (upper - lower);
  return { value, lower, upper, interval: [lower, upper], ...(beyond === undefined ? {} : { beyond }) };
}

/** Of the bucket that a threshold lies in, the part of its observations below; 0 where it is a bound itself. */
export function partBelow({ value, lower, upper }: ShareBelow): number {
  return upper > lower ? (value - lower) / (upper - lower) : 0;
}

/** Between the knots around a value; the last one's share beyond it. */
function shareAt(knots: readonly Knot[], value: number): number {
  const sorted = [...knots].sort(([a, s], [b, t]) => a - b || s - t);
  let [before, share]: Knot = [-Infinity, 0];
  for (const [x, next] of sorted) {
    const rising = Math.max(share, next);
    if (x > value) {
      if (before === -Infinity) return rising / 2;
      // Densities of latencies and sizes fall with the value: even on a logarithm is nearer than even.
      const part = before > 0 ? Math.log(value / before) / Math.log(x / before) : (value - before) / (x - before);
      return share + part * (rising - share);
    }
    [before, share] = [x, rising];
  }
  return share;
}

/** Shares of several series' observations as that of all of them. */
export function pooledShare(parts: readonly { readonly observations: number; readonly share: ShareBelow }[]): {
  readonly observations: number;
  readonly share: ShareBelow;
} {
  const known = parts.filter(({ observations }) => observations > 0);
  const observations = known.reduce((sum, part) => sum + part.observations, 0);
  const mean = (of: (share: ShareBelow) => number) =>
    known.reduce((sum, part) => sum + part.observations * of(part.share), 0) / observations;
  return {
    observations,
    share: {
      value: mean(({ value }) => value),
      lower: mean(({ lower }) => lower),
      upper: mean(({ upper }) => upper),
      interval: [mean(({ interval }) => interval[0]), mean(({ interval }) => interval[1])],
      ...(known.some(({ share }) => share.beyond) ? { beyond: true } : {}),
    },
  };
}

/** Numbers of observations that differ by less are those of the same requests: some have begun and not ended. */
const SAME_REQUESTS = 0.1;

/** Which of several metrics observe each request once, by how often they were observed: those observed least. */
export function observesRequests(observations: readonly number[]): readonly boolean[] {
  const requests = Math.min(...observations);
  return observations.map((count) => requests > 0 && count <= requests * (1 + SAME_REQUESTS));
}

/**
 * Bounds of the share that meets all of several objectives, when only the share that meets each is known: that of the
 * hardest at most, and at least what is left when those who fail are all different ones (Fréchet 1935).
 */
export function goodputBounds(shares: readonly Pick<ShareBelow, "lower" | "upper">[]): {
  readonly lower: number;
  readonly upper: number;
} {
  return {
    lower: Math.max(
      0,
      shares.reduce((left, { lower }) => left - (1 - lower), 1),
    ),
    upper: Math.min(1, ...shares.map(({ upper }) => upper)),
  };
}

/** Where the order statistics around rank q·(n−1) lie. */
interface RankBuckets {
  /** Bucket of the order statistic at or below the rank. */
  readonly low: number;
  /** Bucket of the order statistic at or above the rank. */
  readonly high: number;
}

/**
 * Position of a quantile among n observations in order, from 0. Two conventions are in use: q·(n−1) between the
 * neighbours (numpy, and our gauges), and the first observation with a share q at or below it (Prometheus, attainment).
 * They lie less than one observation apart; this is midway. Where less than one observation lies beyond, it is the
 * outermost: p99 of 50 observations is the largest.
 */
export function quantileRank(n: number, q: number): number {
  const last = Math.max(0, n - 1);
  const share = Math.max(0, Math.min(1, q)) * n;
  if (share < 1) return 0;
  if (n - share < 1 - 1e-9) return last;
  return ((share * last) / n + Math.ceil(share - 1e-9 * (1 + share)) - 1) / 2;
}

/**
 * The buckets that hold the order statistics which a quantile interpolates between (rank q·(n−1), as for gauges).
 * Undefined without observations.
 */
export function rankBuckets(totals: Float64Array, q: number): RankBuckets | undefined {
  let n = 0;
  for (const total of totals) n += total;
  if (!(n > 0)) return undefined;
  // Counts are whole, but a product such as 0.95·100 is not quite: without rounding, the neighbour would be asked for
  // too.
  const rank = Math.max(0, Math.min(1, q)) * Math.max(0, n - 1);
  const slack = 1e-9 * (1 + rank);
  return { low: bucketOf(totals, Math.floor(rank + slack)), high: bucketOf(totals, Math.ceil(rank - slack)) };
}

/** Bucket of the order statistic at a position from 0. */
function bucketOf(totals: Float64Array, position: number): number {
  let below = 0;
  let last = 0;
  for (let b = 0; b < totals.length; b++) {
    const total = totals[b] ?? 0;
    if (total <= 0) continue;
    last = b;
    below += total;
    if (position < below) return b;
  }
  return last;
}

/**
 * Prometheus' `histogram_quantile` for classic buckets (promql/quantile.go, `bucketQuantile`): linear inside the bucket
 * that holds rank q·n; the first bucket starts at 0 unless its bound is ≤ 0, and the +Inf bucket answers with the last
 * finite bound.
 *
 * @param uppers upper bounds, ascending, the last Infinity.
 * @param totals observations per bucket, not cumulative.
 * @returns NaN without observations or with fewer than two buckets; ∓Infinity for q outside [0, 1].
 */
export function linearQuantile(uppers: Float64Array, totals: Float64Array, q: number): number {
  if (Number.isNaN(q)) return NaN;
  if (q < 0) return -Infinity;
  if (q > 1) return Infinity;
  const last = uppers.length - 1;
  let observations = 0;
  for (const total of totals) observations += total;
  if (last < 1 || uppers[last] !== Infinity || !(observations > 0)) return NaN;
  const rank = q * observations;
  let below = 0;
  let b = 0;
  while (b < last && below + (totals[b] ?? 0) < rank) below += totals[b++] ?? 0;
  if (b === last) return uppers[last - 1] ?? NaN;
  const end = uppers[b] ?? NaN;
  if (b === 0 && end <= 0) return end;
  const start = b === 0 ? 0 : (uppers[b - 1] ?? 0);
  return start + (end - start) * ((rank - below) / (totals[b] ?? 0));
}

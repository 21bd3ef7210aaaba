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

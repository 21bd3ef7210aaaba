/**
 * Percentiles by linear interpolation between order statistics at rank q·(n−1) (Hyndman & Fan type 7, numpy's default).
 * @param values finite numbers, at least one; sorted in place
 * @param qs in [0, 1]
 */
export function percentilesInPlace(values: Float64Array, qs: readonly number[]): number[] {
  values.sort();
  const last = values.length - 1;
  return qs.map((q) => {
    const rank = q * last;
    const below = values[Math.floor(rank)] ?? NaN;
    const above = values[Math.ceil(rank)] ?? NaN;
    return below + (above - below) * (rank - Math.floor(rank));
  });
}

/**
 * Puts the given ranks of `values` in their sorted places, in place: after the call `values[r]` is the r-th smallest
 * for every rank asked. Multiple quickselect (Hoare's FIND on a set of ranks, median-of-three pivots): expected O(n log
 * k) for k ranks.
 * @param ranks ascending integer ranks within [0, values.length)
 */
export function selectRanks(values: Float64Array, ranks: readonly number[]): void {
  select(values, 0, values.length - 1, ranks, 0, ranks.length);
}

function select(
  values: Float64Array,
  low: number,
  high: number,
  ranks: readonly number[],
  from: number,
  to: number,
): void {
  while (from < to && low < high) {
    if (high - low < 32) {
      values.subarray(low, high + 1).sort();
      return;
    }
    const pivot = medianOfThree(values[low] ?? 0, values[(low + high) >>> 1] ?? 0, values[high] ?? 0);
    // Three-way partition: runs of equal values (constant gauges) must not make it quadratic.
    let less = low;
    let i = low;
    let greater = high;
    while (i <= greater) {
      const value = values[i] ?? 0;
      if (value < pivot) swap(values, i++, less++);
      else if (value > pivot) swap(values, i, greater--);
      else i++;
    }
    let left = from;
    while (left < to && (ranks[left] ?? 0) < less) left++;
    let right = left;
    while (right < to && (ranks[right] ?? 0) <= greater) right++;
    select(values, low, less - 1, ranks, from, left);
    from = right;
    low = greater + 1;
  }
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function swap(values: Float64Array, i: number, j: number): void {
  const swapped = values[i] ?? 0;
  values[i] = values[j] ?? 0;
  values[j] = swapped;
}

/**
 * Percentiles by linear interpolation between order statistics at rank q·(n−1) (Hyndman & Fan type 7, numpy's default).
 * @param values finite numbers, at least one; reordered in place
 * @param qs ascending, in [0, 1]
 */
export function percentilesInPlace(values: Float64Array, qs: readonly number[]): number[] {
  const last = values.length - 1;
  const ranks = new Set<number>();
  for (const q of qs) {
    ranks.add(Math.floor(q * last));
    ranks.add(Math.ceil(q * last));
  }
  selectRanks(
    values,
    [...ranks].sort((a, b) => a - b),
  );
  return qs.map((q) => {
    const rank = q * last;
    const below = values[Math.floor(rank)] ?? NaN;
    const above = values[Math.ceil(rank)] ?? NaN;
    return below + (above - below) * (rank - Math.floor(rank));
  });
}

import type { Rows } from "./rows.js";

/**
 * By how much the counts of neighbouring rows differ more than those of independent observations would (Pearson's χ²
 * over its mean; Rao and Scott 1981): the observations that come as one. The mean is the exact one, which is above the
 * degrees of freedom by N / (N − 1) for N observations (Haldane 1940): twice as much for the two of a quiet server.
 */
export function designEffect(rows: Rows, buckets: number): number {
  let chi = 0;
  let expected = 0;
  for (let r = 0; r + 1 < rows.length; r += 1) {
    const n = rows.size[r] ?? 0;
    const m = rows.size[r + 1] ?? 0;
    let e = rows.start[r] ?? 0;
    const end = rows.start[r + 1] ?? 0;
    let f = end;
    const last = rows.start[r + 2] ?? 0;
    let filled = 0;
    // Entries of a row are in the order of their buckets.
    while (e < end || f < last) {
      const a = e < end ? (rows.bucket[e] ?? 0) : buckets;
      const b = f < last ? (rows.bucket[f] ?? 0) : buckets;
      const c = a <= b ? (rows.count[e++] ?? 0) : 0;
      const d = b <= a ? (rows.count[f++] ?? 0) : 0;
      const apart = c * m - d * n;
      filled++;
      chi += (apart * apart) / ((c + d) * n * m);
    }
    if (n + m > 1) expected += (Math.max(0, filled - 1) * (n + m)) / (n + m - 1);
  }
  return expected > 0 ? Math.max(1, chi / expected) : 1;
}

import type { Rows } from "./rows.js";

/**
 * By how much the counts of neighbouring rows differ more than those of independent observations would (Pearson's χ²
 * over its mean; Rao and Scott 1981): the observations that come as one. The mean is the exact one, which is above the
 * degrees of freedom by N / (N − 1) for N observations (Haldane 1940): twice as much for the two of a quiet server.
 */
export function designEffect(rows: Rows, buckets: number): number {
  let chi = 0;
  let expected = 0;
  const counts = new Float64Array(buckets);
  const other = new Float64Array(buckets);
  for (let r = 0; r + 1 < rows.length; r += 1) {
    counts.fill(0);
    other.fill(0);
    const [n, m] = [rows.size[r] ?? 0, rows.size[r + 1] ?? 0];
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++)
      counts[rows.bucket[e] ?? 0] = rows.count[e] ?? 0;
    for (let e = rows.start[r + 1] ?? 0; e < (rows.start[r + 2] ?? 0); e++)
      other[rows.bucket[e] ?? 0] = rows.count[e] ?? 0;
    let filled = 0;
    for (let a = 0; a < buckets; a++) {
      const [c, d] = [counts[a] ?? 0, other[a] ?? 0];
      if (c + d === 0) continue;
      filled++;
      chi += (c * m - d * n) ** 2 / ((c + d) * n * m);
    }
    if (n + m > 1) expected += (Math.max(0, filled - 1) * (n + m)) / (n + m - 1);
  }
  return expected > 0 ? Math.max(1, chi / expected) : 1;
}

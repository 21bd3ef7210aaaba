/** How far the mean of correlated values may be trusted. */
export interface LongRunVariance {
  readonly mean: number;
  /** Values that are there (not NaN). */
  readonly n: number;
  /** Variance of the mean; NaN for fewer than four values. */
  readonly varianceOfMean: number;
  /** Degrees of freedom of `varianceOfMean`. */
  readonly df: number;
  /** How many independent values would know the mean as well, at most n. n for a constant. */
  readonly effective: number;
}

const COSINES = 10;
const MIN_VALUES = 4;
/** Correlation of neighbours beyond which a series is as good as a random walk, of which one run tells little. */
const MAX_CORRELATION = 0.9;

/**
 * Variance of the mean of an autocorrelated series: the mean square of its first few cosine transforms, which see its
 * slow movements whatever makes them, with as many degrees of freedom as there are cosines (EWC; Müller 2004, Lazarus,
 * Lewis, Stock & Watson 2018). What a correlation of neighbours lets them miss of the slowest is added, as prewhitening
 * by it would (Andrews & Monahan 1992).
 * @param values in time order; NaN is left out
 */
export function longRunVariance(values: Float64Array): LongRunVariance {
  const y = values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  const n = y.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += y[i] ?? 0;
  mean /= n;
  if (n < MIN_VALUES) return { mean, n, varianceOfMean: NaN, df: 1, effective: n };
  let squares = 0;
  let products = 0;
  for (let i = 0; i < n; i++) {
    const centred = (y[i] ?? 0) - mean;
    squares += centred * centred;
    if (i > 0) products += centred * ((y[i - 1] ?? 0) - mean);
  }
  if (squares <= n * (1e-14 * mean) ** 2) return { mean, n, varianceOfMean: 0, df: n - 1, effective: n };
  const cosines = Math.min(COSINES, n >> 1);
  const rho = correlation(products / squares, n);
  const share = shareSeen(rho, n, cosines);
  const longRun = cosineVariance(y, mean, cosines) / share;
  // What the correlation's own uncertainty adds to that of the cosines, by the delta method.
  const step = 1e-4;
  const sensitivity = (Math.log(share) - Math.log(shareSeen(rho - step, n, cosines))) / step;
  return {
    mean,
    n,
    varianceOfMean: longRun / n,
    df: rho === 0 ? cosines : 1 / (1 / cosines + (sensitivity ** 2 * (1 - rho * rho)) / (2 * n)),
    effective: longRun > 0 ? Math.min(n, squares / longRun) : n,
  };
}

/** Of neighbours, freed from bias (Marriott & Pope 1954). A negative one is left to the cosines. */
function correlation(seen: number, n: number): number {
  return Math.max(0, Math.min(MAX_CORRELATION, (n * seen + 1) / Math.max(1, n - 3)));
}

/** Of the variance that an AR(1) process has at frequency 0, what the first cosines see on average. */
function shareSeen(rho: number, n: number, cosines: number): number {
  let share = 0;
  for (let j = 1; j <= cosines; j++)
    share += (1 - rho) ** 2 / (1 + rho * rho - 2 * rho * Math.cos((Math.PI * j) / n)) / cosines;
  return share;
}

/** Mean of the squared projections on the first `count` cosines. */
function cosineVariance(values: Float64Array, mean: number, count: number): number {
  const n = values.length;
  const table = cosineTable(n, count);
  let total = 0;
  for (let j = 0; j < count; j++) {
    let projection = 0;
    for (let i = 0, at = j * n; i < n; i++, at++) projection += ((values[i] ?? 0) - mean) * (table[at] ?? 0);
    total += projection * projection;
  }
  return (2 * total) / n / count;
}

let cached: { readonly n: number; readonly count: number; readonly table: Float64Array } | undefined;

/** Nearly all series of a comparison have the same length. */
function cosineTable(n: number, count: number): Float64Array {
  if (cached?.n !== n || cached.count !== count) {
    const table = new Float64Array(n * count);
    for (let j = 0; j < count; j++)
      for (let i = 0; i < n; i++) table[j * n + i] = Math.cos((Math.PI * (j + 1) * (i + 0.5)) / n);
    cached = { n, count, table };
  }
  return cached.table;
}

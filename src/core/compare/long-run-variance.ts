/** How far the mean of correlated values may be trusted. */
export interface LongRunVariance {
  readonly mean: number;
  /** Values that are there (not NaN). */
  readonly n: number;
  /** Variance of the mean. */
  readonly varianceOfMean: number;
  /** Degrees of freedom of `varianceOfMean`. */
  readonly df: number;
  /** How many independent values would know the mean as well, at most n. n for a constant. */
  readonly effective: number;
}

/**
 * Cosines used: this · n^(2/3). Fewer than the 0.4 that is best for size and power together: false alarms weigh more
 * here.
 */
const COSINE_SHARE = 0.25;
const FEWEST_COSINES = 4;
/** Sum of coefficients beyond which a series is as good as a random walk, of which one run tells nothing. */
const MOST_PERSISTENCE = 0.97;
const MOST_COEFFICIENTS = 8;

/**
 * Variance of the mean of an autocorrelated series: prewhitened by an autoregression (Andrews & Monahan 1992), then the
 * long-run variance of the residuals from equally weighted cosine transforms, whose degrees of freedom are those of a
 * chi-square (EWC; Lazarus, Lewis, Stock & Watson 2018), less what the coefficient's own uncertainty takes.
 * @param values in time order; NaN is left out
 */
export function longRunVariance(values: Float64Array): LongRunVariance {
  const y = values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  const n = y.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += y[i] ?? 0;
  mean /= n;
  if (n < 4) return { mean, n, varianceOfMean: NaN, df: 1, effective: n };
  const centred = y.map((value) => value - mean);
  const covariances = autocovariances(centred, Math.min(MOST_COEFFICIENTS, n - 2));
  const squares = covariances[0] ?? 0;
  if (squares <= n * (1e-14 * mean) ** 2) return { mean, n, varianceOfMean: 0, df: n - 1, effective: n };
  const coefficients = autoregression(covariances, n);
  const persistence = Math.min(
    MOST_PERSISTENCE,
    coefficients.reduce((sum, phi) => sum + phi, 0),
  );
  const residuals = residualsOf(centred, coefficients);
  const cosines = Math.min(
    residuals.length - 1,
    Math.max(FEWEST_COSINES, Math.round(COSINE_SHARE * residuals.length ** (2 / 3))),
  );
  const longRun = cosineVariance(residuals, cosines) / (1 - persistence) ** 2;
  return {
    mean,
    n,
    varianceOfMean: longRun / n,
    // What the coefficients' own uncertainty adds to that of the cosines, by the delta method.
    df: 1 / (1 / cosines + (2 * sumVariance(coefficients)) / ((1 - persistence) ** 2 * n)),
    effective: longRun > 0 ? Math.min(n, squares / longRun) : n,
  };
}

/** Sums of products at lags 0 … `lags`. */
function autocovariances(centred: Float64Array, lags: number): Float64Array {
  return Float64Array.from({ length: lags + 1 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < centred.length; i++) sum += (centred[i] ?? 0) * (centred[i - lag] ?? 0);
    return sum;
  });
}

/**
 * Coefficients of the autoregression that BIC prefers, by the recursion of Levinson and Durbin. More than one is needed
 * where load comes in waves, which AR(1) takes for a random walk, or where noise lies over slow drift. A single one is
 * freed from bias (Marriott & Pope 1954); a negative one is left to the cosines.
 */
function autoregression(covariances: Float64Array, n: number): readonly number[] {
  const penalty = Math.log(n);
  const zero = covariances[0] ?? 0;
  let coefficients: number[] = [];
  let variance = zero;
  let best: { readonly score: number; readonly coefficients: readonly number[] } | undefined;
  for (let order = 1; order < covariances.length; order++) {
    let rest = covariances[order] ?? 0;
    coefficients.forEach((phi, j) => (rest -= phi * (covariances[order - 1 - j] ?? 0)));
    const partial = rest / variance;
    coefficients = [...coefficients.map((phi, j) => phi - partial * (coefficients[order - 2 - j] ?? 0)), partial];
    variance *= 1 - partial * partial;
    // A series that its past tells exactly: nothing is left to explain.
    if (!(variance > 1e-12 * zero)) break;
    const score = n * Math.log(variance) + penalty * order;
    if (best === undefined || score < best.score) best = { score, coefficients };
  }
  if (best !== undefined && best.coefficients.length > 1) return best.coefficients;
  const rho = (n * ((covariances[1] ?? 0) / zero) + 1) / Math.max(1, n - 3);
  return [Math.max(0, Math.min(MOST_PERSISTENCE, rho))];
}

/**
 * n times the variance of the sum of estimated coefficients: 1'Γ⁻¹1, the inverse after Gohberg and Semencul. 1 − φ² for
 * one.
 */
function sumVariance(coefficients: readonly number[]): number {
  let variance = 0;
  let forward = 1;
  let backward = 0;
  for (let k = 0; k < coefficients.length; k++) {
    if (k > 0) forward -= coefficients[k - 1] ?? 0;
    backward -= coefficients[coefficients.length - 1 - k] ?? 0;
    variance += forward ** 2 - backward ** 2;
  }
  return Math.max(0, variance);
}

function residualsOf(centred: Float64Array, coefficients: readonly number[]): Float64Array {
  const order = coefficients.length;
  const residuals = new Float64Array(centred.length - order);
  for (let i = order; i < centred.length; i++) {
    let value = centred[i] ?? 0;
    for (let j = 0; j < order; j++) value -= (coefficients[j] ?? 0) * (centred[i - 1 - j] ?? 0);
    residuals[i - order] = value;
  }
  return residuals;
}

/** Mean of the squared projections on the first `count` cosines. */
function cosineVariance(values: Float64Array, count: number): number {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
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

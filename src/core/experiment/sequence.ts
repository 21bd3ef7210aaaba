/*
 * What may be said of a mean after each look, however often one looks: Student's t, valid at any time. README.md has
 * the method and its sources.
 */

/**
 * Variance of the effects (mean by standard deviation) that the test is made for. Any value keeps the error rates.
 * README.md says why this one.
 */
const EFFECT_VARIANCE = 8;

/** 80 % of normal values lie below this many standard deviations. */
const AT_80_PERCENT = 0.8416;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What a test needs of some values. */
export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** Sum of squares around the mean. */
  readonly squares: number;
}

export function sampleOf(values: readonly number[]): Sample {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  return { n, mean, squares: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) };
}

/** Standard deviation between values; NaN of fewer than two. */
export function deviationOf({ n, squares }: Sample): number {
  return n < 2 ? NaN : Math.sqrt(squares / (n - 1));
}

/**
 * Evidence against a mean: the e-value of the t statistic under normal effects (Lai 1976; Wang and Ramdas 2023). It
 * exceeds 1/α at any time with probability α at most, if the mean is right. 1 with fewer than two values.
 */
export function eValue({ n, mean, squares }: Sample, hypothesis: number): number {
  if (n < 2) return 1;
  const away = n * (mean - hypothesis) ** 2;
  if (squares === 0) return away === 0 ? (1 + n * EFFECT_VARIANCE) ** -0.5 : (1 + n * EFFECT_VARIANCE) ** ((n - 1) / 2);
  const grown = 1 + n * EFFECT_VARIANCE;
  return grown ** -0.5 * ((squares + away) / (squares + away / grown)) ** (n / 2);
}

/**
 * The means against which the evidence is below 1/α: this look's interval of the confidence sequence. All looks
 * together hold the true mean with probability 1 − α. Unbounded with too few values.
 */
export function sequenceInterval({ n, mean, squares }: Sample, alpha: number): Interval {
  const grown = 1 + n * EFFECT_VARIANCE;
  const limit = (Math.sqrt(grown) / alpha) ** (2 / n);
  if (n < 2 || limit >= grown) return { low: -Infinity, high: Infinity };
  const reach = Math.sqrt(((squares / n) * (limit - 1)) / (1 - limit / grown));
  return { low: mean - reach, high: mean + reach };
}

/**
 * The level at which an interval within two bounds proves equivalence at `alpha`: each bound is a one-sided test. With
 * the mean inside, the evidence of a test made for its side alone is twice that of both less what the other side says,
 * which is below 1; so evidence of (1/α + 1)/2 is enough.
 */
export function equivalenceLevel(alpha: number): number {
  return 2 / (1 / alpha + 1);
}

/**
 * How many of the hypotheses may be rejected so that on average at most `alpha` of the rejections are false, however
 * the e-values depend on each other and whenever one stops: e-BH (Wang and Ramdas 2022).
 */
export function rejections(eValues: readonly number[], alpha: number): number {
  const sorted = eValues.toSorted((a, b) => b - a);
  let rejected = 0;
  sorted.forEach((e, i) => {
    if (e >= eValues.length / (alpha * (i + 1))) rejected = i + 1;
  });
  return rejected;
}

/** The smallest mean that n values of this deviation show with a chance of 80 %; Infinity with too few. */
export function detectable(n: number, deviation: number, alpha: number): number {
  const { high } = sequenceInterval({ n, mean: 0, squares: (n - 1) * deviation ** 2 }, alpha);
  return high + (AT_80_PERCENT * deviation) / Math.sqrt(n);
}

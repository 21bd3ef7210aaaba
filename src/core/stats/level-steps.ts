import { twoSidedP } from "./student.js";

/** A place in a series of values from which on its level is another. */
export interface LevelStep {
  /** Position of the first value after it. */
  readonly at: number;
  /** Means of the values since the step before, and up to the next. */
  readonly before: number;
  readonly after: number;
  /** Two-sided, corrected for the places that it could have been at. */
  readonly p: number;
}

export interface LevelOptions {
  /** What the p of a step must be below. */
  readonly significant: number;
  /** Values that a level lasts for at least. */
  readonly shortest: number;
  /** At the end of the series. Absent: as elsewhere. */
  readonly shortestAtEnd?: number;
  /** Values below which no step can be found. */
  readonly fewest: number;
  /** Independent values that one value is worth, 0 to 1: less where neighbours are alike. */
  readonly worth: number;
}

/**
 * Where the level of a series changed for good: split at the place where the means of both sides differ most by
 * Student's t, and each part again, as long as that is significant after Bonferroni's correction for the number of
 * places (Hawkins 1977; binary segmentation, Scott & Knott 1974). Where no single place will do, two are tried: a
 * level that went and came back (as in circular binary segmentation, Olshen & others 2004). Then each step is tested
 * once more between its neighbours alone, as Hunter does (Fleming & others 2023). Errors, degrees of freedom and number
 * of places are those of the effective sample: as many values as `worth` makes of them.
 * @param values without NaN
 */
export function levelSteps(values: readonly number[], options: LevelOptions): readonly LevelStep[] {
  let cuts = splits(values, 0, values.length, options);
  for (;;) {
    const steps = cuts.map((cut, i) => stepAt(values, cuts[i - 1] ?? 0, cut, cuts[i + 1] ?? values.length, options));
    const worst = steps.reduce((a, b) => (b.p > a.p ? b : a), { at: -1, p: options.significant });
    if (worst.at < 0) return steps;
    cuts = cuts.filter((cut) => cut !== worst.at);
  }
}

/** Ascending. */
function splits(values: readonly number[], from: number, to: number, options: LevelOptions): number[] {
  const isStep = (start: number, at: number, end: number) =>
    stepAt(values, start, at, end, options).p < options.significant;
  const parts = (...borders: readonly number[]) =>
    borders.flatMap((border, i) => {
      const inside = splits(values, borders[i - 1] ?? from, border, options);
      return border === to ? inside : [...inside, border];
    });
  const [cut] = widest(values, from, to, 1, options);
  if (cut === undefined) return [];
  if (isStep(from, cut, to)) return parts(cut, to);
  const [first, second] = widest(values, from, to, 2, options);
  if (first === undefined || second === undefined) return [];
  return isStep(from, first, second) && isStep(first, second, to) ? parts(first, second, to) : [];
}

/**
 * The one or two places in [from, to) that leave least variance between them; for one, that is where Student's t is
 * largest. None where all values are equal.
 */
function widest(
  values: readonly number[],
  from: number,
  to: number,
  cuts: 1 | 2,
  { shortest, shortestAtEnd = shortest }: Pick<LevelOptions, "shortest" | "shortestAtEnd">,
): readonly number[] {
  const n = to - from;
  const center = meanOf(values, from, to);
  const sums = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) sums[i + 1] = (sums[i] ?? 0) + (values[from + i] ?? 0) - center;
  const between = (a: number, b: number) => ((sums[b] ?? 0) - (sums[a] ?? 0)) ** 2 / (b - a);
  const last = n - (to === values.length ? shortestAtEnd : shortest);
  // Relative to what rounding makes of equal values.
  let most = n * (1e-12 * center) ** 2;
  let best: readonly number[] = [];
  for (let a = shortest; a <= last; a++) {
    const left = between(0, a);
    for (let b = cuts === 1 ? n : a + shortest; b <= (cuts === 1 ? n : last); b++) {
      const explained = left + between(a, b) + (b < n ? between(b, n) : 0);
      if (explained <= most) continue;
      most = explained;
      best = cuts === 1 ? [from + a] : [from + a, from + b];
    }
  }
  return best;
}

/**
 * How many independent values one of a series is worth, by the correlation of neighbours: (1 − ρ) / (1 + ρ), as of an
 * AR(1) process. ρ is that of what is left when the two places that explain most are taken for steps, freed from the
 * bias of the three means (Marriott & Pope 1954): a step must not count as correlation. A negative one counts as none.
 * @param values without NaN
 * @param shortest values between two steps at least
 */
export function effectiveSampleSize(values: readonly number[], shortest: number): number {
  const borders = [0, ...widest(values, 0, values.length, 2, { shortest }), values.length];
  const n = values.length;
  const left = borders.slice(1).flatMap((to, i) => {
    const from = borders[i] ?? 0;
    const mean = meanOf(values, from, to);
    return values.slice(from, to).map((value) => value - mean);
  });
  let squares = 0;
  let products = 0;
  left.forEach((value, i) => {
    squares += value * value;
    products += value * (left[i - 1] ?? 0);
  });
  // What rounding leaves of constants is no noise.
  if (squares <= n * (1e-12 * meanOf(values.map(Math.abs), 0, n)) ** 2) return 1;
  const levels = borders.length - 1;
  const rho = Math.max(0, Math.min(1, ((n * products) / squares + levels) / (n - 4 * levels)));
  return (1 - rho) / (1 + rho);
}

/** The means of [from, at) and [at, to), and how likely such a difference is at the best of all places. */
function stepAt(
  values: readonly number[],
  from: number,
  at: number,
  to: number,
  { fewest, worth }: LevelOptions,
): LevelStep {
  const [before, after] = [meanOf(values, from, at), meanOf(values, at, to)];
  const n = to - from;
  const df = n * worth - 2;
  // Values that repeat to the last digit differ by any amount for certain, but not by rounding.
  if (n < fewest || df <= 0 || Math.abs(after - before) <= 1e-12 * Math.abs(before)) return { at, before, after, p: 1 };
  const squares = squaresOf(values, from, at, before) + squaresOf(values, at, to, after);
  const variance = (squares * worth) / df;
  const error = Math.sqrt((variance * (1 / (at - from) + 1 / (to - at))) / worth);
  const p = error === 0 ? 0 : twoSidedP((after - before) / error, df);
  return { at, before, after, p: Math.min(1, p * Math.max(1, df)) };
}

function meanOf(values: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] ?? 0;
  return sum / (to - from);
}

function squaresOf(values: readonly number[], from: number, to: number, center: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += ((values[i] ?? 0) - center) ** 2;
  return sum;
}

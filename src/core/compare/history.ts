import type { Direction } from "../catalog/index.js";
import { twoSidedP } from "./student.js";
import type { ComparisonRow, Quantity, RunSummary } from "./types.js";
import type { Comparison } from "./types.js";

/** A place in a series of runs from which on a metric was another. */
export interface Step {
  /** Position of the first run after it. */
  readonly at: number;
  /** Means of the runs since the step before, and up to the next. */
  readonly before: number;
  readonly after: number;
  /** Of `before`; ±Infinity from 0. */
  readonly share: number;
  /** Two-sided, corrected for the places it could have been at. */
  readonly p: number;
  readonly verdict: "better" | "worse" | "differs";
}

/** One quantity over all runs, the oldest first. */
export interface Course {
  /** Of its row. */
  readonly id: string;
  readonly family: string;
  readonly labels: ComparisonRow["labels"];
  readonly quantity: Quantity;
  readonly unit?: string;
  readonly direction: Direction;
  /** NaN where a run has none. */
  readonly values: readonly number[];
  readonly steps: readonly Step[];
}

export interface History {
  /** The oldest first. */
  readonly runs: readonly Pick<RunSummary, "label" | "benchmarkId" | "start">[];
  readonly courses: readonly Course[];
}

/** Fewest runs by which a step can be distinguished from their variation. */
export const FEWEST_RUNS = 5;
/** What the p of a step must be below. */
const SIGNIFICANT = 0.01;

/** The courses of what several runs have in common, from their comparison in order of time. */
export function historyOf({ baseline, candidates, method }: Comparison, rows: readonly ComparisonRow[]): History {
  return {
    runs: [baseline, ...candidates].flatMap(({ runs }) =>
      runs.map(({ label, benchmarkId, start }) => ({ label, benchmarkId, start })),
    ),
    courses: rows.map(({ id, family, labels, quantity, unit, direction, baseline: first, cells }) => {
      const values = [first, ...cells.map(({ candidate }) => candidate)].map(({ value }) => value);
      return {
        id,
        family,
        labels,
        quantity,
        ...(unit === undefined ? {} : { unit }),
        direction,
        values,
        steps: stepsOf(values, method.threshold, direction),
      };
    }),
  };
}

/**
 * Where a series of values changed for good: split at the place where the means of both sides differ most by Student's
 * t, and each part again, as long as that is significant after Bonferroni's correction for the number of places
 * (Hawkins 1977; binary segmentation, Scott & Knott 1974). Where no single place is, a stretch in between is tried, for
 * a level that has come back hides both of its steps (circular binary segmentation; Olshen & others 2004). Then each
 * step is tested once more between its neighbours alone, as Hunter does (Fleming & others 2023). A single value is no
 * lasting change, except the newest.
 * @param values NaN is left out
 */
export function stepsOf(values: readonly number[], threshold: number, direction: Direction): readonly Step[] {
  const known = values.flatMap((value, at) => (Number.isNaN(value) ? [] : [{ value, at }]));
  const own = known.map(({ value }) => value);
  let cuts = splits(own, 0, own.length).sort((a, b) => a - b);
  for (;;) {
    const tested = cuts.map((cut, i) => ({ cut, p: stepAt(own, cuts[i - 1] ?? 0, cut, cuts[i + 1] ?? own.length).p }));
    const worst = tested.reduce((a, b) => (b.p > a.p ? b : a), { cut: -1, p: SIGNIFICANT });
    if (worst.cut < 0) break;
    cuts = cuts.filter((cut) => cut !== worst.cut);
  }
  return cuts.flatMap((cut, i): Step[] => {
    const { before, after, p } = stepAt(own, cuts[i - 1] ?? 0, cut, cuts[i + 1] ?? own.length);
    const share = (after - before) / Math.abs(before);
    if (Math.abs(share) < threshold) return [];
    const verdict = direction === "neutral" ? "differs" : after > before === (direction === "up") ? "better" : "worse";
    return [{ at: known[cut]?.at ?? 0, before, after, share, p, verdict }];
  });
}

function splits(values: readonly number[], from: number, to: number): number[] {
  let best: { readonly cut: number; readonly p: number } | undefined;
  for (let cut = from + 2; cut < to; cut++) {
    // One value at the end counts when it is the newest of all.
    if (to - cut < 2 && to < values.length) continue;
    const { p } = stepAt(values, from, cut, to);
    if (best === undefined || p < best.p) best = { cut, p };
  }
  const cuts = best !== undefined && best.p < SIGNIFICANT ? [best.cut] : passing(values, from, to);
  if (cuts.length === 0) return [];
  const ends = [from, ...cuts, to];
  return [...cuts, ...cuts.concat(to).flatMap((end, i) => splits(values, ends[i] ?? from, end))];
}

/** The most telling stretch at another level than what is before and after it; empty without one. */
function passing(values: readonly number[], from: number, to: number): number[] {
  const n = to - from;
  if (n < FEWEST_RUNS + 2) return [];
  // Squares of what lies far from 0 would lose their digits.
  const base = values[from] ?? 0;
  const own = values.slice(from, to).map((value) => value - base);
  const total = { sum: sumOf(own), squares: sumOf(own.map((value) => value * value)) };
  const rounding = 1e-12 * Math.abs(base);
  let best: { readonly cuts: number[]; readonly p: number } | undefined;
  for (let first = from + 2; first < to - 2; first++) {
    let [sum, squares] = [0, 0];
    for (let end = first + 1; end < to; end++) {
      const value = own[end - 1 - from] ?? 0;
      sum += value;
      squares += value * value;
      const inside = end - first;
      if (inside < 2 || (to - end < 2 && to < values.length)) continue;
      const outside = n - inside;
      const difference = sum / inside - (total.sum - sum) / outside;
      const spread = squares - sum ** 2 / inside + (total.squares - squares - (total.sum - sum) ** 2 / outside);
      const error = Math.sqrt((Math.max(0, spread) / (n - 2)) * (1 / inside + 1 / outside));
      if (Math.abs(difference) <= rounding) continue;
      const p = error > rounding ? twoSidedP(difference / error, n - 2) : 0;
      if (best === undefined || p < best.p) best = { cuts: [first, end], p };
    }
  }
  // There are about so many stretches.
  return best !== undefined && best.p * (n ** 2 / 2) < SIGNIFICANT ? best.cuts : [];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The means of [from, cut) and [cut, to), and how likely such a difference is at the best of all places. */
function stepAt(values: readonly number[], from: number, cut: number, to: number) {
  const [a, b] = [values.slice(from, cut), values.slice(cut, to)];
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const [before, after] = [mean(a), mean(b)];
  const squares = (part: readonly number[], center: number) =>
    part.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const df = a.length + b.length - 2;
  if (a.length + b.length < FEWEST_RUNS) return { before, after, p: 1 };
  const variance = (squares(a, before) + squares(b, after)) / df;
  const error = Math.sqrt(variance * (1 / a.length + 1 / b.length));
  const difference = after - before;
  // Values that repeat to the last digit differ by any amount for certain, but not by rounding.
  if (Math.abs(difference) <= 1e-12 * Math.abs(before)) return { before, after, p: 1 };
  const p = error === 0 ? 0 : twoSidedP(difference / error, df);
  return { before, after, p: Math.min(1, p * Math.max(1, a.length + b.length - 2)) };
}

/** What a gate on the newest steps says: 0 passed, 1 one of them is for the worse, 3 too few runs for any. */
export function historyGate({ courses }: History): { readonly exitCode: 0 | 1 | 3; readonly worse: readonly Course[] } {
  const worse = courses.filter(({ steps }) => steps.at(-1)?.verdict === "worse");
  const judged = courses.some(({ values }) => values.filter((value) => !Number.isNaN(value)).length >= FEWEST_RUNS);
  return { exitCode: worse.length > 0 ? 1 : judged ? 0 : 3, worse };
}

/** "▁▁▂▁▇▇", a gap where a run has none; steps are set off by a bar. */
export function sparkline(values: readonly number[], steps: readonly Pick<Step, "at">[]): string {
  const known = values.filter((value) => Number.isFinite(value));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const bars = "▁▂▃▄▅▆▇█";
  return values
    .map((value, i) => {
      const level = high > low ? Math.round(((value - low) / (high - low)) * (bars.length - 1)) : 0;
      const bar = Number.isFinite(value) ? (bars[level] ?? " ") : " ";
      return steps.some(({ at }) => at === i) ? `|${bar}` : bar;
    })
    .join("");
}

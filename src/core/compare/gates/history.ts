import type { Direction } from "../../catalog/index.js";
import { levelSteps, type LevelStep } from "../../stats/index.js";
import { shareText } from "../report/report.js";
import type { Comparison, ComparisonRow, Quantity, RunSummary } from "../types.js";

/** A place in a series of runs from which on a metric was another. */
export interface LevelShift extends LevelStep {
  /** Of `before`; ±Infinity from 0. */
  readonly share: number;
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
  readonly steps: readonly LevelShift[];
}

export interface History {
  /** The oldest first. */
  readonly runs: readonly Pick<RunSummary, "label" | "benchmarkId" | "start">[];
  readonly courses: readonly Course[];
}

/** "120 ms → 150 ms, +25 %, worse (p 0.001)". @param before the levels on both sides, as texts */
export function stepText({ share, verdict, p }: LevelShift, before: string, after: string): string {
  return `${before} → ${after}, ${shareText(share)}, ${verdict} (p ${p < 0.0001 ? "< 0.0001" : p.toPrecision(2)})`;
}

/** Fewest runs by which a step can be distinguished from their variation. */
export const MIN_RUNS = 5;
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
 * Where a series of values changed for good (`levelSteps`). A single value is no lasting change, except the newest.
 * @param values NaN is left out
 */
export function stepsOf(values: readonly number[], threshold: number, direction: Direction): readonly LevelShift[] {
  const known = values.flatMap((value, at) => (Number.isNaN(value) ? [] : [{ value, at }]));
  const steps = levelSteps(
    known.map(({ value }) => value),
    { significant: SIGNIFICANT, shortest: 2, shortestAtEnd: 1, fewest: MIN_RUNS, worth: 1 },
  );
  return steps.flatMap(({ at, before, after, p }): LevelShift[] => {
    const share = (after - before) / Math.abs(before);
    if (Math.abs(share) < threshold) return [];
    const verdict = direction === "neutral" ? "differs" : after > before === (direction === "up") ? "better" : "worse";
    return [{ at: known[at]?.at ?? 0, before, after, share, p, verdict }];
  });
}

/** What a gate on the newest steps says: 0 passed, 1 one of them is for the worse, 3 too few runs for any. */
export function historyGate({ courses }: History): { readonly exitCode: 0 | 1 | 3; readonly worse: readonly Course[] } {
  const worse = courses.filter(({ steps }) => steps.at(-1)?.verdict === "worse");
  const judged = courses.some(({ values }) => values.filter((value) => !Number.isNaN(value)).length >= MIN_RUNS);
  return { exitCode: worse.length > 0 ? 1 : judged ? 0 : 3, worse };
}

/** "▁▁▂▁▇▇", a gap where a run has none; steps are set off by a bar. */
export function sparkline(values: readonly number[], steps: readonly Pick<LevelShift, "at">[]): string {
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

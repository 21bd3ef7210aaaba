import { conceptOf } from "../catalog/index.js";
import { isRepeat } from "../model/index.js";
import { moments, oneSidedP } from "../stats/index.js";
import { holm } from "../math/index.js";
import { compareRuns } from "./compare.js";
import { traitsOf, isSameRun } from "./matching/repeats.js";
import { sourceOf, type MeasuredRun } from "./source.js";
import type { ComparedRun, ComparisonCell, ComparisonOptions, ComparisonRow } from "./types.js";

/*
 * What a gate makes of two single runs. The slices of a run show how much it varies within itself, not how much
 * another run of the same configuration would differ. So a variance between runs is added: of earlier runs where there
 * are some, else a bound that was set on measured servers.
 */

/** The chance that a gate over two single runs of one configuration fails at all. */
export const FALSE_FAILURES = 0.05;

/**
 * Without earlier runs, each run is taken to have gone through random stretches of this mean length in which it was
 * slower or faster by this much (standard deviation): averages and medians of whole requests and of the time between
 * tokens least, other latencies more, rates and queues, which follow the load, most.
 */
const STRETCH_SECONDS = 10;
const DEVIATION = { steady: 0.15, latency: 0.25, other: 0.4 };
/** A percentile between two humps moves further than its influence says: it is known no better than the average. */
const PERCENTILE_FACTOR = 1.2;
/** So many runs is the bound worth beside what earlier runs show (moderated t; Smyth 2004). */
const BOUND_WORTH = 4;

/** Degrees of freedom from which t is as good as normal. */
const AS_NORMAL = 1e4;

/** Earlier runs of the baseline's configuration. */
export interface EarlierRuns {
  readonly labels: readonly string[];
  /** By the id of a row: the baseline's own value, then theirs. */
  readonly values: ReadonlyMap<string, readonly number[]>;
}

/**
 * Which rows of a candidate a gate may fail by: that any of them is found by chance is held at 5 % (Holm 1979). Values
 * are compared by their ratio, as runs of one configuration differ by factors.
 * @param seconds of the shorter run
 * @returns by position: whether its worsening is more than two runs of one configuration differ by
 */
export function worseBeyondVariation(
  rows: readonly ComparisonRow[],
  cells: readonly (ComparisonCell | undefined)[],
  seconds: number,
  earlier: EarlierRuns["values"],
): readonly boolean[] {
  const changes = rows.map((row, i) => changeOf(row, cells[i]));
  const ofAverages = new Map(rows.map((row, i) => [`${row.quantity} ${seriesOf(row)}`, changes[i]?.error ?? NaN]));
  const p = rows.map((row, i) => {
    const change = changes[i];
    if (change === undefined) return NaN;
    const ofAverage = isPercentile(row) && !isSteady(row) ? (ofAverages.get(`avg ${seriesOf(row)}`) ?? 0) : 0;
    const within = Math.max(change.error, PERCENTILE_FACTOR * (Number.isFinite(ofAverage) ? ofAverage : 0)) ** 2;
    const between = betweenRuns(seconds, deviationOf(row)) ** 2;
    const bound = within + 2 * between;
    const seen = spreadOf(earlier.get(row.id) ?? [], change.level);
    return seen === undefined
      ? pOf(change.worsening, bound, bound ** 2 / (within ** 2 / change.df))
      : pOf(
          change.worsening,
          (BOUND_WORTH * bound + seen.df * 2 * seen.variance) / (BOUND_WORTH + seen.df),
          BOUND_WORTH + seen.df,
        );
  });
  return Array.from(holm(Float64Array.from(p)), (adjusted) => adjusted <= FALSE_FAILURES);
}

/** By how much a row got worse, with its standard error. */
interface Change {
  /** Logarithm of the ratio where `level` is absent; else the difference as a share of it. */
  readonly worsening: number;
  readonly error: number;
  readonly df: number;
  /** The mean of two values of which one is 0 or less. */
  readonly level?: number;
}

/**
 * Undefined of what cannot get worse, of what no run shows, such as preemptions where there were none, and of a
 * percentile that is 0 in one run: it says only that few were above, of which the average tells how many.
 */
function changeOf(row: ComparisonRow, cell: ComparisonCell | undefined): Change | undefined {
  const { baseline, direction } = row;
  if (cell === undefined || direction === "neutral" || cell.verdict === "cannot-tell") return undefined;
  const { se, df, candidate, difference } = cell;
  if (Number.isNaN(se) || (difference === 0 && se === 0)) return undefined;
  const [a, b] = [baseline.value, candidate.value];
  const sign = direction === "down" ? 1 : -1;
  // Of two runs that vary by the same share.
  if (a > 0 && b > 0) return { worsening: sign * Math.log(b / a), error: se / Math.hypot(a, b) / Math.SQRT1_2, df };
  if (isPercentile(row)) return undefined;
  const level = (Math.abs(a) + Math.abs(b)) / 2;
  return { worsening: (sign * difference) / level, error: se / level, df, level };
}

/** Variance of single runs, on the scale of a change; undefined of fewer than two values. */
function spreadOf(given: readonly number[], level: number | undefined) {
  const values = given.filter(Number.isFinite);
  const df = values.length - 1;
  if (df < 1) return undefined;
  const scaled = values.map((value) =>
    level === undefined ? Math.log(Math.max(value, Number.MIN_VALUE)) : value / level,
  );
  return { df, variance: moments(scaled).std ** 2 };
}

function pOf(worsening: number, variance: number, df: number): number {
  if (variance === 0) return worsening > 0 ? 0 : 1;
  return oneSidedP(worsening / Math.sqrt(variance), Math.min(df, AS_NORMAL));
}

function isPercentile({ quantity }: ComparisonRow): boolean {
  return /^p\d/.test(quantity);
}

function isSteady({ family, quantity }: ComparisonRow): boolean {
  const id = conceptOf(family)?.concept.id;
  return (quantity === "avg" || quantity === "p50") && (id === "inter-token-latency" || id === "e2e-latency");
}

function deviationOf(row: ComparisonRow): number {
  if (row.type !== "histogram") return DEVIATION.other;
  return isSteady(row) ? DEVIATION.steady : DEVIATION.latency;
}

function seriesOf({ family, baseline }: ComparisonRow): string {
  return JSON.stringify([family, baseline.series]);
}

/**
 * Standard deviation, as a share, of the mean over a run of a process whose correlation falls with e^(−t/θ)
 * (Ornstein–Uhlenbeck): 20 % of runs of 15 s at a deviation of 25 %, 10 % of two minutes, 5 % of ten.
 */
function betweenRuns(seconds: number, deviation: number): number {
  const stretches = seconds / STRETCH_SECONDS;
  if (!(stretches > 0)) return deviation;
  return deviation * Math.sqrt((2 / stretches) * (1 - (1 - Math.exp(-stretches)) / stretches));
}

/**
 * Those of `others` that are of the baseline's configuration and began before the candidate ended, with their values.
 * @throws UserError as `compareRuns`
 */
export function* earlierRunsOf(
  baseline: ComparedRun,
  candidate: ComparedRun,
  others: readonly ComparedRun[],
  options: ComparisonOptions,
): Generator<number, EarlierRuns> {
  const [reference, tested] = [sourceOf(baseline), sourceOf(candidate)];
  const traits = traitsOf(reference);
  const found: MeasuredRun[] = [];
  for (const other of others.map(sourceOf)) {
    const known = [reference, tested, ...found].some((one) => isSameRun(one, other));
    if (!known && other.start <= tested.end && isRepeat(traits, traitsOf(other))) found.push(other);
  }
  const sets = found.map(({ run }) => ({ label: run.label, runs: [run] }));
  if (sets.length === 0) return { labels: [], values: new Map() };
  const { rows } = yield* compareRuns({ label: baseline.label, runs: [baseline] }, sets, options);
  return {
    labels: sets.map(({ label }) => label),
    values: new Map(
      rows.map((row) => [row.id, [row.baseline, ...row.cells.map((cell) => cell.candidate)].map(({ value }) => value)]),
    ),
  };
}

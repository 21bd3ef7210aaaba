import { compareRuns } from "./compare.js";
import { isRepeat } from "../model/index.js";
import { traitsOf } from "./matching/repeats.js";
import { isSameRun } from "./same-run.js";
import type { EarlierRuns } from "./single-runs.js";
import { sourceOf, type MeasuredRun } from "./source.js";
import type { ComparedRun, ComparisonOptions } from "./types.js";

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

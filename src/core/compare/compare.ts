import { UserError } from "../text/user-error.js";
import { reporting } from "../stats/index.js";
import { configurationDifferences } from "./report/configuration.js";
import { unknownLoads } from "./matching/repeats.js";
import { mergeComparisons } from "./merge.js";
import { comparePair, type PairComparison } from "./pair.js";
import { INCOMPARABLE } from "./setup.js";
import { withoutDuplicates } from "./same-run.js";
import { sourceOf } from "./source.js";
import type { Comparison, ComparisonOptions, RunSet } from "./types.js";
import { repeatedWarnings, withoutRepeats } from "./report/warnings.js";

/**
 * Compares one baseline with one or several candidates, each a run or a set of repeats. A generator, so that its caller
 * can show progress, stay responsive and give up: yields the share done after each group of series. The same input
 * gives the same result, and each candidate's column is what it is without the others.
 *
 * Two single runs: mean of slices against mean of slices, with the error that their autocorrelation leaves
 * (`longRunVariance`), pair by pair where lengths allow; percentiles by their influence. Sets: the spread between
 * repeats. All rows of a candidate are corrected together (Benjamini-Hochberg).
 * @throws UserError for runs that cannot be compared at all
 */
export function* compareRuns(
  baseline: RunSet,
  candidates: readonly RunSet[],
  options: ComparisonOptions = {},
): Generator<number, Comparison> {
  if (candidates.length === 0)
    throw new UserError("A comparison needs a baseline and at least one candidate.", undefined, INCOMPARABLE);
  const given = [baseline, ...candidates];
  if (given.some((set) => set.runs.length === 0))
    throw new UserError("A set of runs to compare is empty.", undefined, INCOMPARABLE);
  const distinct = withoutDuplicates(given.map((set) => set.runs.map(sourceOf)));
  const [reference, ...others] = distinct.sets.map((runs, s) => ({ label: given[s]?.label ?? "", runs }));
  if (reference === undefined) throw new UserError("A comparison needs a baseline.", undefined, INCOMPARABLE);
  const parts: PairComparison[] = [];
  for (const [c, candidate] of others.entries()) {
    const steps = comparePair(reference, candidate, options);
    parts.push(yield* reporting(steps, (share) => (c + share) / others.length));
  }
  const merged = mergeComparisons(parts);
  return {
    ...merged,
    configuration: configurationDifferences(distinct.sets.flatMap(([first]) => first ?? [])),
    warnings: [
      ...repeatedWarnings(distinct.dropped),
      ...withoutRepeats(merged.warnings),
      ...unknownLoads(distinct.sets),
    ],
  };
}

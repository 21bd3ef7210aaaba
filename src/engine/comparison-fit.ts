import { compareRuns, ComparisonError, type RunSet } from "../core/compare/index.js";
import { describeError, type DescribedError } from "../protocol/index.js";
import type { SourceRun } from "./comparison-run.js";

export interface LabelledSet {
  readonly run: SourceRun;
  readonly set: RunSet;
}

/** Leaves out candidates that have nothing in common with the baseline, if that leaves any. */
export function fitting(sets: readonly LabelledSet[]): readonly LabelledSet[] {
  const [baseline, ...candidates] = sets;
  const allFit =
    baseline === undefined ||
    candidates.length < 2 ||
    misfitOf(
      baseline.set,
      candidates.map(({ set }) => set),
    ) === undefined;
  const misfits = new Map(allFit ? [] : candidates.map(({ run, set }) => [run, misfitOf(baseline.set, [set])]));
  const some = candidates.some(({ run }) => misfits.get(run) === undefined);
  for (const { run } of sets) run.misfit = some ? misfits.get(run) : undefined;
  return sets.filter(({ run }) => run.misfit === undefined);
}

/** Why these cannot be compared at all. */
function misfitOf(baseline: RunSet, candidates: readonly RunSet[]): DescribedError | undefined {
  try {
    // What makes runs incomparable is found before the first step.
    compareRuns(baseline, candidates).next();
    return undefined;
  } catch (error) {
    return describeComparisonError(error);
  }
}

export function describeComparisonError(error: unknown): DescribedError {
  if (!(error instanceof ComparisonError)) return describeError(error);
  return {
    code: "incomparable",
    message: error.message,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
  };
}

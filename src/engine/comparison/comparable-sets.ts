import { compareRuns, type RunSet } from "../../core/compare/index.js";
import type { RunId } from "../../protocol/comparison.js";
import { describeError, type DescribedError } from "../../protocol/index.js";
import type { SourceRun } from "./compared-run.js";

export interface LabelledSet {
  /** The first one of the set. */
  readonly run: SourceRun;
  /** All of them by what they are called in the set. */
  readonly ids: ReadonlyMap<string, RunId>;
  readonly set: RunSet;
}

/** Leaves out candidates that have nothing in common with the baseline, if that leaves any. */
export function comparableSets(sets: readonly LabelledSet[]): readonly LabelledSet[] {
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) return sets;
  // A single candidate is not left out: the comparison itself says why it cannot be.
  const alone = candidates.length < 2;
  const incomparable = new Map(
    candidates.map(({ run, set }) => [run, alone ? undefined : whyIncomparable(baseline.set, set)]),
  );
  const some = candidates.some(({ run }) => incomparable.get(run) === undefined);
  for (const { run } of sets) run.incomparable = some ? incomparable.get(run) : undefined;
  return sets.filter(({ run }) => run.incomparable === undefined);
}

/** Why a candidate cannot be compared at all. */
function whyIncomparable(baseline: RunSet, candidate: RunSet): DescribedError | undefined {
  try {
    // What makes two runs incomparable is found before the first step.
    compareRuns(baseline, [candidate]).next();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

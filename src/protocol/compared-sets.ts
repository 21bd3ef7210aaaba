import { setLabel } from "../core/compare/types.js";
import { groupBy } from "../core/math/index.js";
import type { ComparedRunStatus } from "./comparison.js";

/** Compared runs by their sets of repeats, the baseline's first. */
export function comparedSets(runs: readonly ComparedRunStatus[]): readonly (readonly ComparedRunStatus[])[] {
  return [...groupBy(runs, ({ id, set = id }) => set).values()];
}

/** What each set is called. */
export function comparedSetLabels(runs: readonly ComparedRunStatus[]): readonly string[] {
  return comparedSets(runs).map((repeats) => setLabel(repeats.map(({ label }) => label)));
}

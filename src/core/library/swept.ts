import type { SweepRuns } from "../sweep/types.js";
import { naturalOrder } from "../text/natural-order.js";
import { finishedRuns, type LibraryRun } from "./types.js";

/** What a sweep has of runs, in the order of their ids, and which of them could not be read. */
export function sweepRunsIn(all: readonly LibraryRun[]): SweepRuns {
  const runs = finishedRuns(all).toSorted((a, b) => naturalOrder(a.id, b.id));
  return {
    runs: runs.flatMap(({ measured }) => measured?.points ?? []),
    skipped: runs.flatMap(({ files: [path], measured, problem: reason }) =>
      path === undefined || reason === undefined || (measured?.points ?? []).length > 0 ? [] : [{ path, reason }],
    ),
  };
}

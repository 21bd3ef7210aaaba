import type { GroupContext } from "./matching/group.js";
import { sharedUppers } from "../stats/index.js";
import { rebin } from "./slices/joined-slices.js";
import type { BucketShares } from "./types.js";
import type { GroupOfRun } from "./run-view.js";

/**
 * Shares of all observations in each bucket that all sides have; undefined for other types, and with fewer than two
 * finite common bounds.
 */
export function bucketShares(
  views: readonly GroupOfRun[],
  { sets }: GroupContext,
): Omit<BucketShares, "rowId"> | undefined {
  const sides = sets.map((runs) =>
    runs.flatMap((r) => (views[r]?.slices?.kind === "histogram" ? [views[r].slices] : [])),
  );
  if (sides.some((side) => side.length === 0)) return undefined;
  const uppers = sharedUppers(sides.flat().map((slices) => slices.uppers));
  if (uppers.length === 0) return undefined;
  const [baseline, ...candidates] = sides.map((side) => {
    const totals = new Float64Array(uppers.length);
    for (const slices of side)
      rebin(slices, uppers).forEach((bucket, b) =>
        bucket.forEach((n) => (totals[b] = (totals[b] ?? 0) + (Number.isNaN(n) ? 0 : n))),
      );
    const all = totals.reduce((sum, n) => sum + n, 0);
    return totals.map((n) => n / all);
  });
  return baseline === undefined ? undefined : { uppers, baseline, candidates };
}

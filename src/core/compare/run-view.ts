import type { SeriesResult } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { sharedUppers } from "../stats/index.js";
import { aggregateSlices, trendOf } from "./slices/joined-slices.js";
import { measure, type Measured } from "./measured.js";
import type { SeriesSlices, SliceGrid } from "./slices/slices.js";
import type { SourceSeries } from "./source.js";

/** What one run has of a group. */
export interface GroupOfRun {
  readonly series: readonly SourceSeries[];
  /** On the run's own grid. */
  readonly slices: SeriesSlices | undefined;
  readonly slicesOn: (grid: SliceGrid) => SeriesSlices | undefined;
  /** By the statistics of the whole window; undefined when there are none. */
  readonly measured: () => Measured | undefined;
  readonly trend: Float64Array;
}

/** Reads a run's series of a group as one. */
export function viewOf(given: readonly SourceSeries[], own: SliceGrid, gauges: "sum" | "mean"): GroupOfRun {
  const series = given.map(measuredOnce);
  const slicesOn = remembered((grid: SliceGrid) =>
    aggregateSlices(
      series.flatMap((one) => one.slices(grid) ?? []),
      gauges,
    ),
  );
  const slices = slicesOn(own);
  let measured: { readonly value: Measured | undefined } | undefined;
  return {
    series,
    slices,
    slicesOn,
    measured: () => (measured ??= { value: measure(series, gauges) }).value,
    trend: trendOf(slices),
  };
}

/** Estimates cost the most of a comparison. */
function measuredOnce(series: SourceSeries): SourceSeries {
  let known: { readonly result: SeriesResult | undefined } | undefined;
  return { ...series, result: () => (known ??= { result: series.result() }).result };
}

/** Grids of one run differ in nothing but their slices' length. */
export function remembered<T>(make: (grid: SliceGrid) => T): (grid: SliceGrid) => T {
  const known = new Map<number, { readonly made: T }>();
  return (grid) => getOrInsert(known, grid.length, () => ({ made: make(grid) })).made;
}

/** Whether all runs have the same bucket bounds. */
export function boundsShared(views: readonly GroupOfRun[]): boolean {
  const layouts = views.flatMap(({ slices }) => (slices?.kind === "histogram" ? [slices.uppers] : []));
  const shared = sharedUppers(layouts);
  return layouts.every((layout) => layout.length === 0 || layout.length === shared.length);
}

/** Restarts that a view has seen. */
export function resetsOf({ slices }: GroupOfRun): number {
  return slices?.resets ?? 0;
}

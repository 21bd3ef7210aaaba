import { sharedUppers } from "../stats/index.js";
import { aggregateSlices, trendOf } from "./slices/joined-slices.js";
import { measure, type Measured } from "./measured.js";
import type { SeriesSlices, SliceGrid } from "./slices/slices.js";
import type { SourceSeries } from "./source.js";

/** What one run has of a group. */
export interface GroupOfRun {
  readonly series: readonly SourceSeries[];
  readonly grid: SliceGrid;
  readonly slices: SeriesSlices | undefined;
  /** By the statistics of the whole window; undefined when there are none. */
  readonly measured: () => Measured | undefined;
  readonly trend: Float64Array;
}

/** Reads a run's series of a group as one. */
function viewOf(given: readonly SourceSeries[], grid: SliceGrid, gauges: "sum" | "mean"): GroupOfRun {
  // Estimates cost the most of a comparison.
  const series = given.map((one) => ({ ...one, result: once(one.result) }));
  const slices = aggregateSlices(
    series.flatMap((one) => one.slices(grid) ?? []),
    gauges,
  );
  return { series, grid, slices, measured: once(() => measure(series, gauges)), trend: trendOf(slices) };
}

/** What each run has of some series. */
export function viewsOf(
  grids: readonly SliceGrid[],
  seriesOf: (run: number) => readonly SourceSeries[],
  gauges: "sum" | "mean",
): readonly GroupOfRun[] {
  return grids.map((grid, r) => viewOf(seriesOf(r), grid, gauges));
}

/** Made when it is asked for the first time. */
export function once<T>(make: () => T): () => T {
  let known: { readonly made: T } | undefined;
  return () => (known ??= { made: make() }).made;
}

/** Whether all runs have the same bucket bounds. */
export function boundsShared(views: readonly GroupOfRun[]): boolean {
  const layouts = views.flatMap(({ slices }) => (slices?.kind === "histogram" ? [slices.uppers] : []));
  const shared = sharedUppers(layouts);
  return layouts.every((layout) => layout.length === 0 || layout.length === shared.length);
}

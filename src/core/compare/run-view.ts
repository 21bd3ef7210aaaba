import { sharedUppers } from "../stats/index.js";
import { measure, type Measured } from "./measured.js";
import type { SeriesSlices, SliceGrid, HistogramSlices } from "./slices/slices.js";
import type { SourceSeries } from "./source.js";
import { getOrInsert } from "../math/index.js";

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

/**
 * Several series as one: rates and counts summed, gauges summed or averaged, buckets merged on the bounds that all
 * share.
 */
function aggregateSlices(parts: readonly SeriesSlices[], gauges: "sum" | "mean"): SeriesSlices | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  if (first.kind === "values") {
    const values = parts.flatMap((part) => (part.kind === "values" ? [part] : []));
    return {
      kind: "values",
      values: sumPresent(
        values.map((part) => part.values),
        gauges,
      ),
      resets: values.reduce((sum, part) => sum + part.resets, 0),
    };
  }
  const histograms = parts.flatMap((part) => (part.kind === "histogram" ? [part] : []));
  const uppers = sharedUppers(histograms.map((part) => part.uppers));
  const summed = (of: (part: HistogramSlices) => Float64Array) => sumPresent(histograms.map(of), "sum");
  const onShared = histograms.map((part) => rebin(part, uppers));
  return {
    kind: "histogram",
    uppers,
    counts: Array.from(uppers, (_, b) =>
      sumPresent(
        onShared.map((counts) => counts[b] ?? new Float64Array(0)),
        "sum",
      ),
    ),
    observed: summed(({ observed }) => observed),
    sums: summed(({ sums }) => sums),
    resets: histograms.reduce((sum, part) => sum + part.resets, 0),
  };
}

/** NaN only where all are. */
function sumPresent(parts: readonly Float64Array[], how: "sum" | "mean"): Float64Array {
  return Float64Array.from(parts[0] ?? [], (_, s) => {
    let sum = 0;
    let present = 0;
    for (const part of parts) {
      const value = part[s] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      present++;
    }
    return present === 0 ? NaN : how === "mean" ? sum / present : sum;
  });
}

/** A histogram's counts on bounds that are among its own: a finer bucket belongs to the next bound that stays. */
export function rebin(
  { uppers, counts }: Pick<HistogramSlices, "uppers" | "counts">,
  onto: Float64Array,
): readonly Float64Array[] {
  if (onto.length === uppers.length) return counts;
  const out = Array.from(onto, () => new Float64Array(counts[0]?.length ?? 0));
  counts.forEach((slices, b) => {
    const target = out[onto.findIndex((upper) => upper >= (uppers[b] ?? Infinity))];
    if (target !== undefined) slices.forEach((n, s) => (target[s] = (target[s] ?? 0) + n));
  });
  return out;
}

const POINTS = 48;

/** A small multiple: slices (of a histogram their averages) joined to at most 48 points. */
function trendOf(slices: SeriesSlices | undefined): Float64Array {
  if (slices === undefined) return new Float64Array(0);
  return slices.kind === "values" ? joined(slices.values) : joined(slices.sums, slices.observed);
}

/** A small multiple of the ratio of two counters; empty where a side has none. */
export function ratioTrend(above: SeriesSlices | undefined, below: SeriesSlices | undefined): Float64Array {
  return above?.kind === "values" && below?.kind === "values"
    ? joined(above.values, below.values)
    : new Float64Array(0);
}

function joined(above: Float64Array, below?: Float64Array): Float64Array {
  const points = Math.min(POINTS, above.length);
  return Float64Array.from({ length: points }, (_, i) => {
    let sum = 0;
    let weight = 0;
    for (let s = Math.round((i * above.length) / points); s < Math.round(((i + 1) * above.length) / points); s++) {
      const value = above[s] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      weight += below === undefined ? 1 : (below[s] ?? 0);
    }
    return weight > 0 ? sum / weight : NaN;
  });
}

/** Share of an endpoint's series that fall when its server restarts, at the least; fewer fall by themselves. */
const RESTARTED_SHARE = 0.5;

/** What one run's part of a group tells of restarts. */
export interface Trace {
  readonly endpoints: readonly string[];
  /** It counts something that rises, and has risen. */
  readonly active: boolean;
  readonly fell: boolean;
}

/** What each run's part of a group tells of restarts, in the order of the runs. */
export function tracesOf(views: readonly GroupOfRun[]): readonly Trace[] {
  return views.map((view) => ({
    endpoints: [...new Set(view.series.map(({ endpointUrl }) => endpointUrl))],
    active: isActive(view),
    fell: (view.slices?.resets ?? 0) > 0,
  }));
}

/** A gauge never tells; a counter that stands still has nowhere to fall from. */
function isActive({ series, slices }: GroupOfRun): boolean {
  const type = series[0]?.family.type;
  if (slices === undefined || (type !== "counter" && type !== "histogram")) return false;
  return (slices.kind === "values" ? slices.values : slices.observed).some((value) => value > 0);
}

/** What restarted of one run inside its window. */
export interface Restarts {
  /** Series that fell. */
  readonly fallen: number;
  /** Endpoints whose server restarted. */
  readonly endpoints: readonly string[];
}

/** @param traces one run's of all groups */
export function restartsOf(traces: readonly Trace[]): Restarts {
  const active = traces.filter((trace) => trace.active);
  const counts = new Map<string, { active: number; fell: number }>();
  for (const { endpoints, fell } of active) {
    for (const url of endpoints) {
      const count = getOrInsert(counts, url, () => ({ active: 0, fell: 0 }));
      count.active++;
      count.fell += Number(fell);
    }
  }
  const endpoints = [...counts].flatMap(([url, count]) =>
    count.fell > 0 && count.fell >= RESTARTED_SHARE * count.active ? [url] : [],
  );
  return { fallen: active.filter(({ fell }) => fell).length, endpoints };
}

/**
 * Did what a row is measured from fall, or a server behind it restart? @param restarted endpoints of the run that did
 */
export function isAffected({ endpoints, fell }: Trace, restarted: readonly string[]): boolean {
  return fell || restarted.some((url) => endpoints.includes(url));
}

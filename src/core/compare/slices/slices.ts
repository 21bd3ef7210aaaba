import {
  boundValue,
  NS_PER_SECOND,
  statisticOf,
  type BucketCounts,
  type EpochNs,
  type HistogramSamples,
  type HistogramSegment,
  type MetricType,
  type ScalarSamples,
  type SeriesResult,
  type SeriesSamples,
} from "../../model/index.js";
import { joinSegments, risesOf, type HistogramTrack } from "../../stats/index.js";
import { windowIndices } from "../../store/index.js";

/** Equal slices of one run's window, on its own axis (ns). */
export interface SliceGrid {
  readonly start: number;
  readonly length: number;
  readonly count: number;
}

/** A series by slice. */
export type SeriesSlices = ValueSlices | HistogramSlices;

/** Gauge: mean of each slice's samples; counter: its rate, per second. */
export interface ValueSlices {
  readonly kind: "values";
  /** NaN for a slice without samples. */
  readonly values: Float64Array;
  readonly resets: number;
}

export interface HistogramSlices {
  readonly kind: "histogram";
  /** Ascending, the last Infinity; empty when fewer than two finite bounds are shared. */
  readonly uppers: Float64Array;
  /**
   * `counts[b][s]`: observations (not cumulative) of bucket b in slice s; a fraction where a scrape interval spans a
   * boundary.
   */
  readonly counts: readonly Float64Array[];
  /** Observations of each slice, and the sum of their values (NaN when unknown). */
  readonly observed: Float64Array;
  readonly sums: Float64Array;
  readonly resets: number;
}

/** Slices of samples; undefined when none lies inside the window. Counters and histograms rise across restarts. */
export function slicesOfSamples(samples: SeriesSamples, type: MetricType, grid: SliceGrid): SeriesSlices | undefined {
  if (samples.kind === "histogram") return histogramSlices(samples, grid);
  const end = grid.start + grid.length * grid.count;
  const inside = windowIndices(samples.times, grid.start, end);
  if (inside.first === inside.end) return undefined;
  return type === "counter"
    ? counterRates(samples, grid)
    : { kind: "values", values: gaugeMeans(samples, grid, inside), resets: 0 };
}

function gaugeMeans(
  { times, values }: ScalarSamples,
  grid: SliceGrid,
  inside: { readonly first: number; readonly end: number },
): Float64Array {
  const sums = new Float64Array(grid.count);
  const counts = new Float64Array(grid.count);
  for (let i = inside.first; i < inside.end; i++) {
    const s = Math.min(grid.count - 1, Math.floor(((times[i] ?? 0) - grid.start) / grid.length));
    sums[s] = (sums[s] ?? 0) + (values[i] ?? 0);
    counts[s] = (counts[s] ?? 0) + 1;
  }
  for (let s = 0; s < sums.length; s++) sums[s] = (sums[s] ?? 0) / (counts[s] ?? 0);
  return sums;
}

function counterRates({ times, values }: ScalarSamples, grid: SliceGrid): ValueSlices {
  const { rising, resets } = withoutFalls(values, times, grid);
  const at = boundariesOf(times, grid);
  const seconds = grid.length / NS_PER_SECOND;
  return { kind: "values", values: differences(rising, at, grid.count).map((rise) => rise / seconds), resets };
}

/** The counter as if it had never restarted; itself when it did not. */
function withoutFalls(
  values: Float64Array,
  times: Float64Array,
  grid: SliceGrid,
): { readonly rising: Float64Array; readonly resets: number } {
  if (!falls(values, 0)) return { rising: values, resets: 0 };
  const rising = new Float64Array(values.length);
  let resets = 0;
  for (let i = 1; i < values.length; i++) {
    const before = values[i - 1] ?? 0;
    const now = values[i] ?? 0;
    if (now < before && (times[i] ?? 0) > grid.start) resets++;
    rising[i] = (rising[i - 1] ?? 0) + (now < before ? now : now - before);
  }
  return { rising, resets };
}

/** Where the slices' boundaries lie among the samples: after sample `index`, by `share` of the way to the next. */
interface Boundaries {
  readonly index: Int32Array;
  readonly share: Float64Array;
}

/** Before the first sample its value holds, after the last one that does. */
function boundariesOf(times: Float64Array, grid: SliceGrid): Boundaries {
  const index = new Int32Array(grid.count + 1);
  const share = new Float64Array(grid.count + 1);
  let i = Math.max(0, windowIndices(times, grid.start, grid.start).first - 1);
  const last = times.length - 1;
  for (let s = 0; s <= grid.count; s++) {
    const time = grid.start + s * grid.length;
    while (i < last && (times[i + 1] ?? Infinity) <= time) i++;
    const from = times[i] ?? 0;
    index[s] = i;
    share[s] = i < last && time > from ? (time - from) / ((times[i + 1] ?? 0) - from) : 0;
  }
  return { index, share };
}

/**
 * Rises from boundary to boundary, interpolated between samples, so that scrapes out of step with the slices make no
 * noise.
 */
function differences(values: Float64Array, { index, share }: Boundaries, count: number): Float64Array {
  const out = new Float64Array(count);
  let before = 0;
  for (let s = 0; s <= count; s++) {
    const i = index[s] ?? 0;
    const part = share[s] ?? 0;
    const from = values[i] ?? 0;
    const now = part === 0 ? from : from + part * ((values[i + 1] ?? from) - from);
    if (s > 0) out[s - 1] = now - before;
    before = now;
  }
  return out;
}

function histogramSlices(samples: HistogramSamples, grid: SliceGrid): HistogramSlices | undefined {
  const track = joinSegments(samples);
  if (track === undefined) return undefined;
  const inside = windowIndices(track.times, grid.start, grid.start + grid.length * grid.count);
  if (inside.first === inside.end) return undefined;
  const at = boundariesOf(track.times, grid);
  const plain = track.boundsChanged ? undefined : slicesOfTrack(track, at, grid.count);
  return plain ?? slicesOfRises(track, at, grid);
}

/** Undefined when a count or bucket falls: then every interval has to be looked at. */
function slicesOfTrack(track: HistogramSegment, at: Boundaries, count: number): HistogramSlices | undefined {
  const { counts } = track;
  if (falls(counts, Math.max(0, (at.index[0] ?? 0) - 1))) return undefined;
  const cumulative = track.buckets.map((cells) => differences(cells, at, count));
  if (cumulative.some((slices) => slices.some((rise) => rise < 0))) return undefined;
  const perBucket = cumulative.map((slices, b) => {
    const below = cumulative[b - 1];
    return below === undefined ? slices : slices.map((n, s) => Math.max(0, n - (below[s] ?? 0)));
  });
  return {
    kind: "histogram",
    uppers: track.uppers,
    counts: perBucket,
    observed: differences(counts, at, count),
    sums: differences(track.sums, at, count),
    resets: 0,
  };
}

/** After a sample. */
function falls(counts: Float64Array, from: number): boolean {
  for (let i = from + 1; i < counts.length; i++) if ((counts[i] ?? 0) < (counts[i - 1] ?? 0)) return true;
  return false;
}

function slicesOfRises(track: HistogramTrack, at: Boundaries, grid: SliceGrid): HistogramSlices {
  const { sequence } = risesOf(track);
  const bySlice = (rises: Float64Array) => differences(runningSum(rises), at, grid.count);
  const { rising, resets } = withoutFalls(track.counts, track.times, grid);
  return {
    kind: "histogram",
    uppers: track.uppers,
    counts: sequence.counts.map(bySlice),
    observed: differences(rising, at, grid.count),
    sums: bySlice(sequence.sums),
    resets,
  };
}

function runningSum(rises: Float64Array): Float64Array {
  const out = new Float64Array(rises.length + 1);
  for (let i = 0; i < rises.length; i++) out[i + 1] = (out[i] ?? 0) + (rises[i] ?? 0);
  return out;
}

/** The slices that an artifact without samples carries; undefined when it carries none of this series. */
export function slicesOfResult(result: SeriesResult, start: EpochNs, grid: SliceGrid): SeriesSlices | undefined {
  const { slices } = result;
  if (slices === undefined || grid.count === 0) return undefined;
  const position = (time: EpochNs) => Math.round(Number(time - start) / grid.length);
  const blank = () => new Float64Array(grid.count).fill(NaN);
  if (result.kind !== "histogram") {
    const values = blank();
    for (const slice of slices)
      if (slice.is_complete === undefined)
        values[position(slice.start_ns)] = "rate" in slice ? slice.rate : "avg" in slice ? slice.avg : NaN;
    return { kind: "values", values, resets: statisticOf(result, "resets") };
  }
  const bounds = result.slices?.[0]?.buckets ?? [];
  const counts = bounds.map(blank);
  const observed = blank();
  const sums = blank();
  for (const slice of result.slices ?? []) {
    const s = position(slice.start_ns);
    if (slice.is_complete !== undefined || s >= grid.count) continue;
    observed[s] = slice.count;
    sums[s] = slice.sum;
    bucketRises(slice.buckets).forEach((n, b) => counts[b]?.fill(n, s, s + 1));
  }
  return {
    kind: "histogram",
    uppers: uppersOf(bounds),
    counts,
    observed,
    sums,
    resets: statisticOf(result, "resets"),
  };
}

/** Upper bounds of buckets; the last one is +Inf. */
export function uppersOf(buckets: BucketCounts): Float64Array {
  return Float64Array.from(buckets, ([bound]) => boundValue(bound));
}

/** Per bucket, of counts that are cumulative over bounds. */
export function bucketRises(buckets: BucketCounts): number[] {
  return buckets.map(([, n], b) => Math.max(0, n - (buckets[b - 1]?.[1] ?? 0)));
}

/** Length and number of the slices that statistics carry, from the first complete one; none: count 0. */
export function gridOfResults(results: Iterable<SeriesResult>, start: EpochNs, end: EpochNs): SliceGrid {
  for (const { slices } of results) {
    const first = slices?.find((slice) => slice.is_complete === undefined);
    if (first === undefined) continue;
    const length = Number(first.end_ns - first.start_ns);
    if (length > 0) return { start: 0, length, count: Math.floor(Number(end - start) / length + 1e-6) };
  }
  return { start: 0, length: 0, count: 0 };
}

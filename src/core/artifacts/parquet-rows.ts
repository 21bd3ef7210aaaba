import {
  toEpoch,
  offsetNs,
  type BoundText,
  type CounterResult,
  type EpochNs,
  type Family,
  type HistogramResult,
  type HistogramSamples,
  type HistogramSegment,
  type ScalarSamples,
  type SeriesKey,
} from "../model/index.js";
import { positionOf, windowIndices, type Run } from "../store/index.js";
import {
  carriedSeries,
  compareText,
  counterIncrease,
  endpointWindow,
  seriesResult,
  type RunWindow,
  type StatisticsWindow,
} from "../stats/index.js";

/** The rows of one series, as columns; what is constant over a series stands once. */
export interface SeriesRows {
  readonly key: SeriesKey;
  readonly rows: number;
  /** `timestamp_ns`, one a row. */
  readonly times: BigInt64Array;
  readonly cells: ScalarCells | HistogramCells;
  /** Time of the sample that a counter's or histogram's cells are relative to; of a gauge, of what would be it. */
  readonly reference: EpochNs;
  /** NaN or infinite samples in the window: they have no row. */
  readonly gaps: number;
  /** Of a series that restarted, or whose bounds changed, within the window: what the clamped cells no longer tell. */
  readonly restarted?: CounterResult | HistogramResult;
}

export interface ScalarCells {
  readonly kind: "scalar";
  readonly values: Float64Array;
}

/** One row per bound per timestamp. A cell that the server did not tell is NaN. */
export interface HistogramCells {
  readonly kind: "histogram";
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  readonly bucketCounts: Float64Array;
  /** `bounds[boundIds[row]]` is the row's `bucket_le`. */
  readonly bounds: readonly BoundText[];
  readonly boundIds: Int32Array;
}

/**
 * The rows of every series that has any in the window, in the file's order: endpoint, metric, labels, and within a
 * series time and bound. Gauges raw; counters and histograms as rises since the reference (the last sample before the
 * window, else the first inside), each cell on its own not below 0. A histogram whose bounds changed has each stretch's
 * own bounds; a bound that the reference did not have is raw.
 */
export function* parquetRows(run: Run, window: RunWindow, sliceSeconds = run.sliceSeconds): Generator<SeriesRows> {
  const { store } = run;
  const windows = store.endpoints.map((axis) => endpointWindow(run, axis, window, sliceSeconds));
  const families = new Map(store.families().map((family) => [familyKey(family), family]));
  const sorted = [...store.seriesKeys()].map((key) => ({ key, labels: JSON.stringify(key.labels) }));
  sorted.sort((a, b) => compareSeries(a.key, b.key) || compareText(a.labels, b.labels));
  for (const { key } of sorted) {
    const endpoint = windows[key.endpoint];
    if (endpoint === undefined) continue;
    // The store's own family: its description may have come with a later scrape than the series.
    const described = { ...key, family: families.get(familyKey(key.family)) ?? key.family };
    const samples = store.read(key.id);
    const rows =
      samples.kind === "scalar"
        ? scalarRows(described, samples, endpoint, store.origin)
        : histogramRows(described, samples, endpoint, store.origin);
    if (rows === undefined) continue;
    // Of a run that was read from such a file, its own words hold.
    const { gaps = rows.gaps, result } = carriedSeries(run, key.id, window) ?? {};
    const restarted =
      result !== undefined && result.kind !== "gauge" && sliceSeconds === run.carried?.sliceSeconds
        ? result
        : rows.restarted;
    yield { ...rows, gaps, ...(restarted === undefined ? {} : { restarted }) };
  }
}

function familyKey({ type, name }: Family): string {
  return `${type} ${name}`;
}

function compareSeries(a: SeriesKey, b: SeriesKey): number {
  return (
    compareText(a.endpointUrl, b.endpointUrl) ||
    compareText(a.family.name, b.family.name) ||
    compareText(a.family.type, b.family.type)
  );
}

function scalarRows(
  key: SeriesKey,
  samples: ScalarSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): SeriesRows | undefined {
  const { first, end } = windowIndices(samples.times, window.start, window.end);
  if (first === end) return undefined;
  const at = Math.max(0, first - 1);
  const base = samples.values[at] ?? 0;
  const inside = samples.values.subarray(first, end);
  const counter = key.family.type === "counter";
  const gaps = windowIndices(samples.gapTimes, window.start, window.end);
  const fell = counter && counterIncrease(samples.values.subarray(at, end)).resets > 0;
  const restarted = fell ? seriesResult(key, samples, window, origin) : undefined;
  return {
    key,
    rows: inside.length,
    times: BigInt64Array.from(samples.times.subarray(first, end), (time) => origin + BigInt(time)),
    cells: { kind: "scalar", values: counter ? inside.map((value) => Math.max(0, value - base)) : inside.slice() },
    reference: toEpoch(offsetNs(samples.times[at] ?? 0), origin),
    gaps: gaps.end - gaps.first,
    ...(restarted?.kind === "counter" ? { restarted } : {}),
  };
}

function histogramRows(
  key: SeriesKey,
  samples: HistogramSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): SeriesRows | undefined {
  const parts = samples.segments
    .map((segment) => ({ segment, ...windowIndices(segment.times, window.start, window.end) }))
    .filter((part) => part.end > part.first);
  const reference = histogramReference(samples, window);
  if (parts.length === 0 || reference === undefined) return undefined;
  const rows = parts.reduce((sum, { segment, first, end }) => sum + (end - first) * segment.bounds.length, 0);
  if (rows === 0) return undefined;
  const times = new BigInt64Array(rows);
  const cells = {
    kind: "histogram" as const,
    sums: new Float64Array(rows),
    counts: new Float64Array(rows),
    bucketCounts: new Float64Array(rows),
    bounds: parts.flatMap(({ segment }) => segment.bounds),
    boundIds: new Int32Array(rows),
  };
  let row = 0;
  let boundId = 0;
  for (const { segment, first, end } of parts) {
    const bases = Array.from(segment.uppers, (upper) => bucketAt(reference.segment, upper, reference.index));
    const width = segment.bounds.length;
    for (let i = first; i < end; i++) {
      const time = origin + BigInt(segment.times[i] ?? 0);
      const sum = risen(segment.sums[i], reference.segment.sums[reference.index]);
      const count = risen(segment.counts[i], reference.segment.counts[reference.index]);
      for (let b = 0; b < width; b++) {
        times[row] = time;
        cells.sums[row] = sum;
        cells.counts[row] = count;
        cells.boundIds[row] = boundId + b;
        cells.bucketCounts[row++] = risen(segment.buckets[b]?.[i], bases[b]);
      }
    }
    boundId += width;
  }
  const restarted = fellOrChanged(samples, window) ? seriesResult(key, samples, window, origin) : undefined;
  return {
    key,
    rows,
    times,
    cells,
    reference: toEpoch(offsetNs(reference.segment.times[reference.index] ?? 0), origin),
    gaps: 0,
    ...(restarted?.kind === "histogram" && restarted.stats.increase_count !== undefined ? { restarted } : {}),
  };
}

/** NaN when the server did not tell the value. */
function risen(value = NaN, base = NaN): number {
  return Number.isNaN(base) ? value : Math.max(0, value - base);
}

function bucketAt(segment: HistogramSegment, upper: number, index: number): number {
  return segment.buckets[positionOf(segment.uppers, upper)]?.[index] ?? NaN;
}

/** The last sample before the window, else the first inside. */
function histogramReference(
  { segments }: HistogramSamples,
  window: StatisticsWindow,
): { segment: HistogramSegment; index: number } | undefined {
  let reference: { segment: HistogramSegment; index: number } | undefined;
  for (const segment of segments) {
    const { first, end } = windowIndices(segment.times, window.start, window.end);
    if (first > 0) reference = { segment, index: first - 1 };
    else if (end > first) reference ??= { segment, index: first };
  }
  return reference;
}

/** Cheap enough for every series: statistics with their estimates are made only of those that need it. */
function fellOrChanged({ segments }: HistogramSamples, window: StatisticsWindow): boolean {
  if (segments.length > 1) return true;
  return segments.some(({ times, counts, buckets }) => {
    const { first, end } = windowIndices(times, window.start, window.end);
    return [counts, ...buckets].some((cells) => {
      for (let i = Math.max(1, first); i < end; i++) if ((cells[i] ?? 0) < (cells[i - 1] ?? 0)) return true;
      return false;
    });
  });
}

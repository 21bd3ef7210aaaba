import {
  toEpoch,
  offsetNs,
  type BoundText,
  type BucketCounts,
  type CounterResult,
  type EpochNs,
  type Family,
  type HistogramResult,
  type HistogramSamples,
  type HistogramSegment,
  type ScalarSamples,
  type SeriesKey,
  type SeriesSamples,
} from "../../model/index.js";
import { positionOf, windowIndices, type Run } from "../../store/index.js";
import {
  gapsInFile,
  compareText,
  counterIncrease,
  endpointWindow,
  seriesResult,
  sinceBirth,
  type RunWindow,
  type StatisticsWindow,
} from "../../stats/index.js";

/** The rows of one series, as it stands in the store: what many rows share stands once. */
export interface SeriesRows {
  readonly key: SeriesKey;
  readonly rows: number;
  /** Time 0 of all times. */
  readonly origin: EpochNs;
  /** In time order. A scalar has one, a histogram one for each stretch of the same bounds. */
  readonly stretches: readonly RowStretch[];
  /** Time of the sample that a counter's or histogram's cells are relative to; of a gauge, of what would be it. */
  readonly reference: EpochNs;
  /** NaN or infinite samples in the window: they have no row. */
  readonly gaps: number;
  /** Of a series that restarted, or whose bounds changed, within the window. */
  readonly restarted?: Restart;
  /** Of a series that was born in the window: what it had counted by its first sample, which no cell tells. */
  readonly first?: FirstSample;
}

/** Of a histogram `value` is its count. */
export interface FirstSample {
  readonly value: number;
  readonly sum?: number;
  /** Cumulative over bounds. */
  readonly buckets?: BucketCounts;
}

/** What the clamped cells of a series no longer tell. */
export interface Restart extends ClampedCells {
  readonly result: CounterResult | HistogramResult;
}

/** With the cells these tell the samples as they were scraped. */
export interface ClampedCells {
  /** What all cells are relative to. */
  readonly reference: FirstSample;
  /** The samples that are below it, whose cells are 0. */
  readonly below: Below;
}

/** By part as in `FirstSample`. */
export interface Below {
  readonly value: readonly SampleRun[];
  readonly sum?: readonly SampleRun[];
  readonly buckets?: readonly (readonly [BoundText, readonly SampleRun[]])[];
}

/** Position of a sample among those of the series, its value, and those of the samples that follow it. */
export type SampleRun = readonly number[];

export type RowStretch = ScalarStretch | HistogramStretch;

/** A row a sample. */
export interface ScalarStretch {
  readonly kind: "scalar";
  /** OffsetNs of each sample. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** A row a sample and bound, the bounds of a sample one after the other. A cell that the server did not tell is NaN. */
export interface HistogramStretch {
  readonly kind: "histogram";
  readonly times: Float64Array;
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  readonly bounds: readonly BoundText[];
  /** Of each bound, a cell a sample. */
  readonly buckets: readonly Float64Array[];
}

/** Rows of a sample. */
export function rowsPerSample(stretch: RowStretch): number {
  return stretch.kind === "scalar" ? 1 : stretch.bounds.length;
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
    const seen = sinceBirth(store, key, samples);
    const rows =
      samples.kind === "scalar"
        ? scalarRows(described, samples, seen, endpoint, store.origin)
        : histogramRows(described, samples, seen, endpoint, store.origin);
    if (rows === undefined) continue;
    // Of a run that was read from such a file, its own words hold.
    const gaps = gapsInFile(run, key.id, window) ?? rows.gaps;
    const first = seen.unborn === undefined || rows.reference < window.start ? undefined : firstSample(samples);
    yield { ...rows, gaps, ...(first === undefined ? {} : { first }) };
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
  seen: SeriesSamples,
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
  const restarted = fell ? seriesResult(key, seen, window, origin) : undefined;
  return {
    key,
    rows: inside.length,
    origin,
    stretches: [
      {
        kind: "scalar",
        times: samples.times.subarray(first, end),
        values: counter ? inside.map((value) => Math.max(0, value - base)) : inside,
      },
    ],
    reference: toEpoch(offsetNs(samples.times[at] ?? 0), origin),
    gaps: gaps.end - gaps.first,
    ...(restarted?.kind === "counter"
      ? { restarted: { result: restarted, reference: { value: base }, below: { value: runsBelow(inside, base) } } }
      : {}),
  };
}

function histogramRows(
  key: SeriesKey,
  samples: HistogramSamples,
  seen: SeriesSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): SeriesRows | undefined {
  const reference = histogramReference(samples, window);
  if (reference === undefined) return undefined;
  const base = reference.segment;
  const at = reference.index;
  const inside = samples.segments.flatMap((segment): HistogramSegment[] => {
    const { first, end } = windowIndices(segment.times, window.start, window.end);
    const part = (cells: Float64Array) => cells.subarray(first, end);
    const { times, sums, counts, buckets } = segment;
    const cells = { times: part(times), sums: part(sums), counts: part(counts), buckets: buckets.map(part) };
    return first === end ? [] : [{ ...segment, ...cells }];
  });
  const from = sampleAt(base, at);
  const [sum, count] = [from.sum ?? NaN, from.value];
  const stretches = inside.map(({ times, sums, counts, bounds, uppers, buckets }): HistogramStretch => ({
    kind: "histogram",
    times,
    sums: rises(sums, sum),
    counts: rises(counts, count),
    bounds,
    buckets: buckets.map((cells, b) => rises(cells, bucketAt(base, uppers[b] ?? NaN, at))),
  }));
  const rows = stretches.reduce((sum, { times, bounds }) => sum + times.length * bounds.length, 0);
  if (rows === 0) return undefined;
  const restarted = fellOrChanged(samples, window) ? seriesResult(key, seen, window, origin) : undefined;
  return {
    key,
    rows,
    origin,
    stretches,
    reference: toEpoch(offsetNs(base.times[at] ?? 0), origin),
    gaps: 0,
    ...(restarted?.kind === "histogram" && restarted.aiperf !== undefined
      ? { restarted: { result: restarted, reference: from, below: histogramBelow(inside, from) } }
      : {}),
  };
}

function histogramBelow(segments: readonly HistogramSegment[], { value, sum, buckets = [] }: FirstSample): Below {
  const below = { value: [] as SampleRun[], sum: [] as SampleRun[] };
  const byBound = new Map(buckets.map(([bound]) => [bound, [] as SampleRun[]]));
  const bases = new Map(buckets);
  let before = 0;
  for (const { times, counts, sums, bounds, buckets } of segments) {
    below.value.push(...runsBelow(counts, value, before));
    below.sum.push(...runsBelow(sums, sum ?? NaN, before));
    bounds.forEach((bound, b) =>
      byBound.get(bound)?.push(...runsBelow(buckets[b] ?? NONE, bases.get(bound) ?? NaN, before)),
    );
    before += times.length;
  }
  return { ...below, buckets: [...byBound] };
}

const NONE = new Float64Array(0);

/** @param before how many samples of the series precede these */
function runsBelow(cells: Float64Array, base: number, before = 0): SampleRun[] {
  const runs: number[][] = [];
  cells.forEach((value, i) => {
    if (!(value < base)) return;
    if ((cells[i - 1] ?? NaN) < base) runs.at(-1)?.push(value);
    else runs.push([before + i, value]);
  });
  return runs;
}

function firstSample(samples: SeriesSamples): FirstSample | undefined {
  if (samples.kind === "scalar") return { value: samples.values[0] ?? 0 };
  const [segment] = samples.segments;
  return segment && sampleAt(segment, 0);
}

function sampleAt({ counts, sums, bounds, buckets }: HistogramSegment, index: number): FirstSample {
  return {
    value: counts[index] ?? 0,
    sum: sums[index] ?? 0,
    buckets: bounds.map((bound, b) => [bound, buckets[b]?.[index] ?? 0] as const),
  };
}

/** NaN stays NaN, a value that the server did not tell; of what the reference did not have the rise is all. */
function rises(cells: Float64Array, base: number): Float64Array {
  return Number.isNaN(base) ? cells : cells.map((value) => (value < base ? 0 : value - base));
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

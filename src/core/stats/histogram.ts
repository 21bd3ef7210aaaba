import {
  NS_PER_SECOND,
  offsetNs,
  PERCENTILES,
  toEpoch,
  type BucketCounts,
  type EpochNs,
  type HistogramResult,
  type HistogramSamples,
  type HistogramSlice,
  type HistogramStats,
} from "../model/index.js";
import { numbersIn, type Scratch } from "../store/memory.js";
import { windowIndices } from "../store/window.js";
import { durationOf, perSecond } from "./counter.js";
import { joinSegments, type HistogramTrack } from "./histogram-track.js";
import { estimateSteps, sparseOf, type IntervalSequence, type SparseSequence } from "./quantiles/index.js";
import { indicesAtBoundaries, slicesOf } from "./slices.js";
import { complete, type Steps } from "./steps.js";
import type { StatisticsWindow } from "./window.js";

export type HistogramStatistics = Omit<HistogramResult, "kind" | "endpointUrl" | "labels">;

/** Slices that are cut without a pause. */
const SLICES_A_STEP = 64;
const QS = PERCENTILES.map((p) => p / 100);
const ESTIMATES = PERCENTILES.map((p) => `p${p}_estimate`);
const INTERVALS = PERCENTILES.map((p) => `p${p}_interval`);

/** Observations of the window against the reference sample; undefined when no sample lies inside. */
export function histogramStatistics(
  samples: HistogramSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): HistogramStatistics | undefined {
  return complete(histogramSteps(samples, window, origin));
}

/** What is computed of a histogram beyond counts and sums: the buckets of its slices, and its percentiles. */
export type HistogramDetail = "counts" | "buckets" | "estimates";

/**
 * As `histogramStatistics`, where others may not wait for it.
 * @param scratch for what lies between; nobody else may begin it until the last step
 */
export function* histogramSteps(
  samples: HistogramSamples,
  window: StatisticsWindow,
  origin: EpochNs,
  detail: HistogramDetail = "estimates",
  scratch?: Scratch,
): Steps<HistogramStatistics | undefined> {
  const whole = joinSegments(samples);
  const track = whole === undefined ? undefined : cutTrack(whole, window.start, window.end);
  if (track === undefined) return undefined;
  const zeros = track.unborn;
  const last = track.times.length - 1;
  const duration = durationOf(window, (track.times[last] ?? 0) - (track.times[0] ?? 0));
  const rises = risesOf(track, scratch);
  const restarted = rises.resets > 0 || track.boundsChanged;
  const differs = restarted || zeros > 0;
  const own: Totals = restarted
    ? { count: rises.count, sum: rises.sum, buckets: cumulate(rises.sparse().entries.totals) }
    : totalsOf(track, 0);
  const aiperf = differs ? totalsOf(track, zeros) : own;
  const base = {
    seconds: duration / NS_PER_SECOND,
    ...(zeros > 0 ? { born: toEpoch(offsetNs(track.times[zeros] ?? 0), origin) } : {}),
    ...bucketsOf(track, own.buckets),
  };
  const resets = rises.resets > 0 ? { resets: rises.resets } : {};
  // What AIPerf's buckets hold after a restart says nothing: the files have the rises there.
  const aiperfBuckets = restarted ? {} : bucketsOf(track, aiperf.buckets);
  if (own.count === 0 && aiperf.count === 0) {
    const other = differs ? { aiperf: { stats: { count: 0 }, ...aiperfBuckets } } : {};
    return { ...base, stats: { count: 0, ...resets }, ...other, estimates: [] };
  }
  const estimates =
    track.bounds.length === 0 || detail !== "estimates" ? [] : yield* estimateSteps(rises.sparse(), QS, scratch);
  const stats: HistogramStats = {
    ...totalStats(own, duration),
    ...Object.fromEntries(estimates.map(({ value }, i) => [ESTIMATES[i] ?? "", value])),
    ...resets,
  };
  yield;
  const cut = (of: HistogramTrack, mayFall: boolean) =>
    histogramSlices(of, window, origin, { mayFall, withBuckets: detail !== "counts" });
  const slices = own.count === 0 ? undefined : yield* cut(restarted ? acrossRestarts(track) : track, false);
  const aiperfSlices = differs && aiperf.count > 0 ? yield* cut(tail(track, zeros), rises.resets > 0) : undefined;
  const note = estimates[0]?.note;
  return {
    ...base,
    stats,
    ...(slices === undefined ? {} : { slices }),
    ...(differs
      ? {
          aiperf: {
            stats: totalStats(aiperf, durationOf(window, (track.times[last] ?? 0) - (track.times[zeros] ?? 0))),
            ...aiperfBuckets,
            ...(aiperfSlices === undefined ? {} : { slices: aiperfSlices }),
          },
        }
      : {}),
    estimates,
    ...(estimates.length === 0
      ? {}
      : {
          intervals: Object.fromEntries(estimates.map(({ interval }, i) => [INTERVALS[i] ?? "", interval])),
        }),
    ...(note === undefined ? {} : { estimateNote: note }),
  };
}

interface Totals {
  readonly count: number;
  readonly sum: number;
  /** Cumulative over bounds. */
  readonly buckets: readonly number[];
}

/** Last sample less the one at `from`. */
function totalsOf({ times, counts, sums, buckets }: HistogramTrack, from: number): Totals {
  const last = times.length - 1;
  return {
    count: Math.max(0, difference(counts, from, last)),
    sum: difference(sums, from, last),
    buckets: buckets.map((cells) => Math.max(0, difference(cells, from, last))),
  };
}

/** @param ns from the reference to the last sample */
function totalStats({ count, sum }: Totals, ns: number): HistogramStats {
  if (count === 0 && sum === 0) return { count: 0 };
  return {
    count,
    sum,
    ...(count > 0 ? { avg: sum / count } : {}),
    count_rate: perSecond(count, ns),
    sum_rate: perSecond(sum, ns),
  };
}

/** The samples from one on. */
function tail(track: HistogramTrack, from: number): HistogramTrack {
  if (from === 0) return track;
  const cut = (cells: Float64Array) => cells.subarray(from);
  const { times, sums, counts, buckets } = track;
  return { ...track, times: cut(times), sums: cut(sums), counts: cut(counts), buckets: buckets.map(cut), unborn: 0 };
}

/** As it would stand without restarts: what was observed before each is added to all that follow it. */
function acrossRestarts(track: HistogramTrack): HistogramTrack {
  const restarted = restartsOf(track);
  const lifted = (cells: Float64Array) => {
    let lost = 0;
    return cells.map((value, i) => {
      if (restarted[i - 1] === 1) lost += cells[i - 1] ?? 0;
      return lost + value;
    });
  };
  const { sums, counts, buckets } = track;
  return { ...track, sums: lifted(sums), counts: lifted(counts), buckets: buckets.map(lifted) };
}

/** Samples inside [start, end] and the reference before them; undefined when none lies inside. */
export function cutTrack(track: HistogramTrack, start: number, end: number): HistogramTrack | undefined {
  const inside = windowIndices(track.times, start, end);
  if (inside.first === inside.end) return undefined;
  const from = Math.max(0, inside.first - 1);
  // Without a sample but those before it was born, it was not there.
  if (inside.end <= track.unborn) return undefined;
  const cut = (cells: Float64Array) => cells.subarray(from, inside.end);
  return {
    ...track,
    unborn: Math.max(0, track.unborn - from),
    times: cut(track.times),
    sums: cut(track.sums),
    counts: cut(track.counts),
    buckets: track.buckets.map(cut),
  };
}

/**
 * What was observed between successive samples. Where the count or any bucket falls the server restarted, and all that
 * the new values hold was observed since: they are the interval's rises.
 * @param scratch that they may lie in
 */
export function risesOf(
  track: HistogramTrack,
  scratch?: Scratch,
): {
  readonly sequence: IntervalSequence;
  /** The same without empty cells, made anew; it may lie in the scratch. */
  sparse(): SparseSequence;
  readonly resets: number;
  readonly count: number;
  readonly sum: number;
} {
  const restarted = restartsOf(track);
  const n = restarted.length;
  const rise = (cells: Float64Array, i: number) => (cells[i + 1] ?? 0) - (restarted[i] === 1 ? 0 : (cells[i] ?? 0));
  const sums = numbersIn(scratch, n);
  let resets = 0;
  let count = 0;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    resets += restarted[i] ?? 0;
    count += rise(track.counts, i);
    sum += sums[i] = rise(track.sums, i);
  }
  const { uppers } = track;
  const times = track.times.subarray(Math.min(1, track.times.length));
  const sequenceIn = (room?: Scratch): IntervalSequence => {
    const below = numbersIn(room, n).fill(0);
    const counts = Array.from(uppers, (_, b) => ownRises(track.buckets[b] ?? NO_CELLS, restarted, below, room));
    return { uppers, times, counts, sums };
  };
  let sequence: IntervalSequence | undefined;
  return {
    /** Made when it is asked for: without percentiles only a restart needs it. */
    get sequence() {
      return (sequence ??= sequenceIn());
    },
    sparse: () => sparseOf(sequenceIn(scratch), scratch),
    resets,
    count,
    sum,
  };
}

/** Of each interval between samples, 1 where the count or any bucket fell in it. */
function restartsOf({ times, counts, buckets }: HistogramTrack): Uint8Array {
  const n = Math.max(0, times.length - 1);
  // Column by column: an hour of scrapes times two dozen bounds is walked once for every tile and table.
  const restarted = new Uint8Array(n);
  for (const cells of [counts, ...buckets]) {
    for (let i = 0, before = cells[0] ?? 0; i < n; i++) {
      const after = cells[i + 1] ?? 0;
      if (after < before) restarted[i] = 1;
      before = after;
    }
  }
  return restarted;
}

const NO_CELLS = new Float64Array(0);

/**
 * What a bucket alone observed in each interval.
 * @param below what all buckets before it observed, to which its own is added
 */
function ownRises(cells: Float64Array, restarted: Uint8Array, below: Float64Array, scratch?: Scratch): Float64Array {
  const out = numbersIn(scratch, restarted.length);
  let before = cells[0] ?? 0;
  for (let i = 0; i < restarted.length; i++) {
    const after = cells[i + 1] ?? 0;
    const cumulative = after - (restarted[i] === 1 ? 0 : before);
    before = after;
    const lower = below[i] ?? 0;
    const own = cumulative - lower;
    // Buckets of a torn scrape may not be monotone over bounds; an interval never holds a negative number of
    // observations.
    out[i] = own < 0 ? 0 : own;
    // `Math.max` alone takes its time where both are alike.
    below[i] = own < 0 ? lower : own >= 0 ? cumulative : Math.max(lower, cumulative);
  }
  return out;
}

/** What was counted under each bound from one sample to another. */
function bucketsBetween({ bounds, buckets }: HistogramTrack, from: number, to: number): BucketCounts {
  return bounds.map((bound, b) => {
    const cells = buckets[b];
    return [bound, cells === undefined ? 0 : difference(cells, from, to)] as const;
  });
}

function falls(track: HistogramTrack, from: number, to: number): boolean {
  return difference(track.counts, from, to) < 0 || track.buckets.some((cells) => difference(cells, from, to) < 0);
}

function difference(cells: Float64Array, from: number, to: number): number {
  return (cells[to] ?? 0) - (cells[from] ?? 0);
}

function cumulate(totals: Float64Array): number[] {
  let running = 0;
  return Array.from(totals, (total) => (running += total));
}

function bucketsOf(
  track: HistogramTrack,
  values: readonly number[],
): { buckets: BucketCounts } | Record<string, never> {
  if (track.bounds.length === 0) return {};
  return { buckets: track.bounds.map((bound, b) => [bound, values[b] ?? 0] as const) };
}

function* histogramSlices(
  track: HistogramTrack,
  window: StatisticsWindow,
  origin: EpochNs,
  { mayFall, withBuckets }: { readonly mayFall: boolean; readonly withBuckets: boolean },
): Steps<HistogramSlice[] | undefined> {
  const cut = slicesOf(window, origin);
  if (cut === undefined) return undefined;
  // Before the series' first sample the reference's values hold.
  const at = indicesAtBoundaries(track.times, [window.start, ...cut.map((slice) => slice.end)]).map((index) =>
    Math.max(0, index),
  );
  const slices: HistogramSlice[] = [];
  for (const [s, slice] of cut.entries()) {
    const from = at[s] ?? 0;
    const to = at[s + 1] ?? 0;
    if (mayFall && falls(track, from, to)) continue;
    const count = difference(track.counts, from, to);
    const sum = count === 0 ? 0 : difference(track.sums, from, to);
    const avg = count === 0 ? 0 : sum / count;
    const buckets = withBuckets ? bucketsBetween(track, from, to) : [];
    const { start_ns, end_ns, is_complete } = slice.times;
    // Written out: copying the times took longer than all that is computed.
    slices.push(
      is_complete === undefined
        ? { start_ns, end_ns, count, sum, avg, buckets }
        : { start_ns, end_ns, is_complete, count, sum, avg, buckets },
    );
    if (s % SLICES_A_STEP === SLICES_A_STEP - 1) yield;
  }
  return slices;
}

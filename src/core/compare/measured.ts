import { sum } from "../math/index.js";
import {
  observedTogether,
  amountOf,
  PERCENTILES,
  statisticOf,
  type HistogramResult,
  type QuantileEstimate,
  type SeriesKey,
  type SeriesResult,
  type SeriesId,
} from "../model/index.js";
import {
  complete,
  cutTrack,
  ENDS_OF_90,
  estimateQuantiles,
  gaugeInside,
  joinSegments,
  knownEstimates,
  mergeSequences,
  moments,
  risesOf,
  shareBelow,
  pooledShare,
  readSeries,
  type IntervalSequence,
  type SeriesStatistics,
  type ShareBelow,
  type StatisticsWindow,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { bucketRises, uppersOf, type SeriesSlices } from "./slices/slices.js";

/** A percentile of one run, as the statistics of its file and every view have it. */
export interface MeasuredPercentile {
  /** Beyond the last bucket its bound. */
  readonly value: number;
  readonly atLeast: boolean;
  /** How far it moves by the share of observations below it. */
  readonly slope: number;
  /** Standard error of the estimate in a difference: buckets and sums leave open what was observed. */
  readonly error: number;
}

/** What the statistics say of some series of one run, taken together. */
export interface Measured {
  /** Average of gauges and histograms, rate of counters; NaN when it is unknown. */
  readonly value: number;
  /** Of PERCENTILES; absent for other types, without observations and without bounds. */
  readonly percentiles?: readonly MeasuredPercentile[];
}

/** One series as far as its statistics need it. */
export interface Measurable {
  /** Without the percentiles of gauges and the slices, which no comparison asks for. */
  readonly result: () => SeriesResult | undefined;
  /** All that a counter or histogram has counted, the average of a gauge; NaN when it is unknown. */
  readonly amount: () => number;
  /** Of a histogram with samples: what was observed between scrapes, for several series to be taken together. */
  readonly sequence: () => IntervalSequence | undefined;
}

/**
 * Part of an interval that counts in a difference where no more than the interval is known, as of a file: with many
 * observations some of it is what batches add, of which the slices tell already. Measured on simulated servers.
 */
const OWN_PART = { few: 1.25, many: 0.7 };
const MANY = 2500;
const QS = PERCENTILES.map((p) => p / 100);

/** A series of a run with samples, over the windows of its statistics. @param known what was computed of it before */
export function measurable(
  run: Run,
  key: SeriesKey,
  statistics: SeriesStatistics,
  known: KnownResults | undefined,
): Measurable {
  const window = statistics.windows[key.endpoint];
  const { type } = key.family;
  const rises = () => {
    const samples = readSeries(run.store, key);
    const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
    const cut = window === undefined || track === undefined ? undefined : cutTrack(track, window.start, window.end);
    return cut === undefined ? undefined : risesOf(cut);
  };
  const result = () => {
    if (window === undefined) return undefined;
    const compute = () =>
      type === "counter" || type === "histogram" ? complete(statistics.of(key)) : averageAlone(run, key, window);
    return known === undefined ? compute() : known.results.get(key.id, window, compute);
  };
  return {
    result,
    amount: () => (type === "histogram" ? (rises()?.count ?? NaN) : amountOf(result())),
    sequence: () => {
      const sequence = rises()?.sequence;
      return sequence === undefined || sequence.uppers.length === 0 ? undefined : sequence;
    },
  };
}

function averageAlone(run: Run, key: SeriesKey, window: StatisticsWindow): SeriesResult | undefined {
  const samples = readSeries(run.store, key);
  const values = samples.kind === "scalar" ? gaugeInside(samples, window).values : new Float64Array(0);
  if (values.length === 0) return undefined;
  const { endpointUrl, labels } = key;
  return { kind: "gauge", endpointUrl, labels, stats: { avg: moments(values).avg } };
}

/**
 * Several series as one: rates add up, gauges are summed or averaged, histograms count as if one had observed for all.
 * Undefined when nothing was measured.
 */
export function measure(series: readonly Measurable[], gauges: "sum" | "mean"): Measured | undefined {
  const [only] = series;
  if (only === undefined) return undefined;
  if (series.length === 1) {
    const result = only.result();
    return result === undefined ? undefined : ofOne(result);
  }
  const sequences = series.flatMap((one) => one.sequence() ?? []);
  if (sequences.length > 0) return ofSequences(sequences);
  return ofResults(
    series.flatMap((one) => one.result() ?? []),
    gauges,
  );
}

function ofOne(result: SeriesResult): Measured {
  if (result.kind !== "histogram") return { value: plainValue(result) };
  const percentiles = percentilesOf(result);
  return { value: plainValue(result), ...(percentiles === undefined ? {} : { percentiles }) };
}

/** What share of some series' observations is at most a threshold; undefined for none with buckets. */
export function measureShare(
  series: readonly Measurable[],
  threshold: number,
): { readonly observations: number; readonly share: ShareBelow } | undefined {
  const parts = series.flatMap((one) => {
    const result = one.result();
    const observations = result?.kind === "histogram" ? (result.buckets?.at(-1)?.[1] ?? 0) : 0;
    return result?.kind === "histogram" && observations > 0
      ? [{ observations, share: shareBelow(result, threshold) }]
      : [];
  });
  return parts.length === 0 ? undefined : pooledShare(parts);
}

/** Standard error of an estimated share in a difference. @param observations behind it */
export function shareError({ interval: [low, high] }: ShareBelow, observations: number): number {
  return ((observations > MANY ? OWN_PART.many : OWN_PART.few) * (high - low)) / 2 / ENDS_OF_90;
}

function plainValue(result: SeriesResult): number {
  return statisticOf(result, result.kind === "counter" ? "rate" : "avg");
}

function percentilesOf(result: HistogramResult): readonly MeasuredPercentile[] | undefined {
  const { buckets } = result;
  const estimates = knownEstimates(result) ?? [];
  return buckets === undefined || estimates.length === 0
    ? undefined
    : percentilesFrom(estimates, uppersOf(buckets), Float64Array.from(bucketRises(buckets)));
}

/** @param totals observations per bucket */
function percentilesFrom(
  estimates: readonly QuantileEstimate[],
  uppers: Float64Array,
  totals: Float64Array,
): readonly MeasuredPercentile[] {
  const all = sum(totals);
  return estimates.map(({ value, lower, upper, interval, extrapolated }, i) => {
    if (extrapolated) return { value: lower, atLeast: true, slope: 0, error: 0 };
    const share = sum(totals.filter((_, b) => (uppers[b] ?? NaN) > lower && (uppers[b] ?? NaN) <= upper)) / all;
    // A first bucket of values at or below 0 has no lower end: nothing is known of its width.
    const width = lower === -Infinity ? Math.abs(upper) : upper - lower;
    const linear = width === 0 ? 0 : width / share;
    const seen = slopeAt(estimates, i);
    const slope = Math.max(MIN_SLOPE * linear, Number.isFinite(seen) ? seen : linear);
    const reach = ((all > MANY ? OWN_PART.many : OWN_PART.few) * (interval[1] - interval[0])) / 2;
    return { value, atLeast: false, slope, error: Number.isFinite(reach) ? reach / ENDS_OF_90 : width };
  });
}

/** Of the slope that straight interpolation in the bucket has: a mass in one point is one only as far as is seen. */
const MIN_SLOPE = 0.1;

/** From the estimates around one. The tail is straight in the logarithm of what lies beyond. */
function slopeAt(estimates: readonly QuantileEstimate[], i: number): number {
  const beyond = (at: number) => -Math.log(1 - (QS[at] ?? 0.5));
  const [from, to] = [Math.max(0, i - 1), Math.min(estimates.length - 1, i + 1)];
  const rise = (estimates[to]?.value ?? NaN) - (estimates[from]?.value ?? NaN);
  return rise / (beyond(to) - beyond(from)) / (1 - (QS[i] ?? 0.5));
}

function ofSequences(sequences: readonly IntervalSequence[]): Measured | undefined {
  const counted = sequences.map(({ counts, sums }) => ({ count: sum(counts.map(sum)), sum: sum(sums) }));
  const count = sum(counted.map((one) => one.count));
  if (!(count > 0)) return undefined;
  const value = sum(counted.map((one) => one.sum)) / count;
  const merged = mergeSequences(sequences);
  if (merged === undefined) return { value };
  const totals = Float64Array.from(merged.counts, sum);
  return { value, percentiles: percentilesFrom(estimateQuantiles(merged, QS), merged.uppers, totals) };
}

function ofResults(results: readonly SeriesResult[], gauges: "sum" | "mean"): Measured | undefined {
  const [first] = results;
  if (first === undefined) return undefined;
  if (first.kind !== "histogram") {
    const all = sum(results.map(plainValue));
    return { value: first.kind === "gauge" && gauges === "mean" ? all / results.length : all };
  }
  const histograms = results.flatMap((result) => (result.kind === "histogram" ? [result] : []));
  const value = observedTogether(histograms)?.avg ?? NaN;
  const sequences = histograms.flatMap((result): IntervalSequence[] =>
    result.buckets === undefined
      ? []
      : [
          {
            uppers: uppersOf(result.buckets),
            times: new Float64Array(1),
            counts: bucketRises(result.buckets).map((n) => Float64Array.of(n)),
            sums: Float64Array.of(statisticOf(result, "sum")),
          },
        ],
  );
  const percentiles = sequences.length === histograms.length ? ofSequences(sequences)?.percentiles : undefined;
  return { value, ...(percentiles === undefined ? {} : { percentiles }) };
}

/** What has been computed of series, each for one window or grid. */
class Kept<T> {
  private readonly values = new Map<SeriesId, { readonly of: string; readonly value: T }>();

  /** @param holdsFor the window or grid, by its values */
  get(series: SeriesId, holdsFor: object, compute: () => T): T {
    const of = JSON.stringify(holdsFor);
    const known = this.values.get(series);
    if (known?.of === of) return known.value;
    const value = compute();
    this.values.set(series, { of, value });
    return value;
  }
}

/**
 * What has been computed of a run that is over, so that it is not computed again with every changed setting: estimates
 * and slices cost the most of a comparison.
 */
export class KnownResults {
  readonly results = new Kept<SeriesResult | undefined>();
  readonly slices = new Kept<SeriesSlices | undefined>();
}

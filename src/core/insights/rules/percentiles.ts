import { inSentence, titleWithName } from "../../catalog/index.js";
import { mean } from "../../math/index.js";
import { boundValue, type BucketCounts, type EpochNs } from "../../model/index.js";
import { ramp, valuesOf, type HistogramSignal, type SignalPoint } from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { counted, figure, percent, times } from "../words.js";
import { isLength, loadOf, outputLengths, promptLengths, type EndpointLoad } from "./load.js";

interface QuantileBucket {
  readonly lower: number;
  readonly upper: number;
  /** Where in the bucket the quantile lies if its observations are spread evenly, 0 to 1. */
  readonly share: number;
}

/** The bucket that holds a quantile, of the series with the most observations; undefined without any. */
function bucketOf({ main }: HistogramSignal, q: number): QuantileBucket | undefined {
  return bucketIn(main.buckets ?? [], q);
}

function bucketIn(buckets: BucketCounts, q: number): QuantileBucket | undefined {
  const rank = q * (buckets.at(-1)?.[1] ?? 0);
  let [below, lower] = [0, 0];
  for (const [bound, cumulative] of buckets) {
    const upper = boundValue(bound);
    if (cumulative >= rank && cumulative > below) return { lower, upper, share: (rank - below) / (cumulative - below) };
    [below, lower] = [cumulative, upper];
  }
  return undefined;
}

/** p99 by p50, by linear interpolation in the buckets; 1 where unknown. */
function linearRatio(signal: HistogramSignal | undefined): number {
  return signal === undefined ? 1 : linearRatioIn(signal.main.buckets ?? []);
}

/** As `linearRatio`, of what was observed from a time slice on. */
function linearRatioFrom({ main }: HistogramSignal, startNs: EpochNs): number {
  const counts = new Map<BucketCounts[number][0], number>();
  for (const { start_ns, buckets } of main.slices ?? []) {
    if (start_ns < startNs) continue;
    for (const [bound, count] of buckets) counts.set(bound, (counts.get(bound) ?? 0) + count);
  }
  return linearRatioIn([...counts]);
}

function linearRatioIn(buckets: BucketCounts): number {
  const [p50, p99] = [0.5, 0.99].map((q) => {
    const place = bucketIn(buckets, q);
    if (place === undefined) return NaN;
    const { lower, upper, share } = place;
    return Number.isFinite(upper) ? lower + share * (upper - lower) : lower;
  });
  const ratio = (p99 ?? NaN) / (p50 ?? NaN);
  return Number.isFinite(ratio) ? ratio : 1;
}

/** The last bound, where a quantile lies above it: how far, no bucket says. Else undefined. */
function lastBoundBelowQuantile(signal: HistogramSignal, q: number): number | undefined {
  const place = bucketOf(signal, q);
  return place?.upper === Infinity ? place.lower : undefined;
}

/** What a quantile is at the least, by the bounds of its bucket. */
export function leastQuantile(signal: HistogramSignal, q: number): number {
  return bucketOf(signal, q)?.lower ?? 0;
}

/** What p99 by p50 is at the most, by the bounds of their buckets; Infinity where they leave it open. */
function largestRatio(signal: HistogramSignal): number {
  const [p50, p99] = [bucketOf(signal, 0.5), bucketOf(signal, 0.99)];
  return p50 === undefined || p99 === undefined || !(p50.lower > 0) ? Infinity : p99.upper / p50.lower;
}

/** Too few requests for percentiles. */
export const fewObservations = endpointRule({
  title: "Too few requests for percentiles",
  advice: "A p99 needs at least 100 observations, and several hundred to be stable. Run longer or with more load.",
  look: (run, endpointUrl) => run.histogram(endpointUrl, "e2e-latency") ?? run.histogram(endpointUrl, "ttft"),
  judge: (signal, { run, limits: { fewObservations: threshold } }) => {
    if (signal.count >= threshold) return undefined;
    const slowest = signal.count < 100 ? "the slowest one alone" : "the few slowest";
    return {
      weight: signal.count < threshold / 3 ? 0.4 : 0.3,
      confidence: "high",
      text: `${inSentence(titleWithName(signal.family))} had ${counted(signal.count, "observation")}; its p99 rests on ${slowest}.`,
      evidence: [run.evidence(signal, "count", signal.count, { threshold, unit: "" })],
    };
  },
});

/** Latencies that are judged by percentiles. */
const LATENCIES = ["ttft", "inter-token-latency", "e2e-latency"] as const;
const MIN_OBSERVATIONS = 50;
/** A bucket this many times as wide as what is known of the values in it leaves a percentile open. */
const WIDE = 4;
/** More than this share of the observations in one bucket. */
const MAX_IN_ONE = 0.8;
const MAX_BEYOND = 0.01;

/**
 * Nearly all observations lie in one wide bucket, or too many beyond the last bound. Not where another histogram of the
 * endpoint tells the same latency: Dynamo's worker ends at 10 s, the frontend on the same page does not.
 */
export const coarseBuckets = endpointRule({
  title: "Histogram buckets are too coarse",
  advice: (server) =>
    `Percentiles of this metric rest on an estimate within one bucket. ${
      server === "sglang"
        ? "Set finer buckets (--bucket-time-to-first-token, --bucket-inter-token-latency, --bucket-e2e-request-latency)"
        : "Set finer buckets where the server allows it"
    }, or use the client's own measurements.`,
  look: (run, endpointUrl) =>
    LATENCIES.flatMap((concept) => {
      const signal = run.histogram(endpointUrl, concept);
      return signal !== undefined && isEnough(signal) ? [{ signal, concept }] : [];
    }),
  judge: ({ signal, concept }, { run, endpointUrl }) => {
    const bucket = coarseBucket(signal);
    const others = run.histogramsOf(endpointUrl, concept).filter(isEnough);
    if (bucket === undefined || others.some((other) => coarseBucket(other) === undefined)) return undefined;
    const { lower, upper, share } = bucket;
    const open = upper === Infinity;
    const where = open
      ? `above the last bound ${figure(lower, signal.unit)}`
      : `between ${figure(lower, signal.unit)} and ${figure(upper, signal.unit)}`;
    return {
      weight: open ? 0.3 : 0.2,
      confidence: "high",
      text: `${percent(share)} of the observations of ${inSentence(titleWithName(signal.family))} lay in one bucket, ${where}.`,
      evidence: [
        run.evidence(signal, "share of observations in one bucket", share, {
          threshold: open ? MAX_BEYOND : MAX_IN_ONE,
          unit: "ratio",
        }),
      ],
    };
  },
});

function isEnough({ main }: HistogramSignal): boolean {
  return (main.buckets?.at(-1)?.[1] ?? 0) >= MIN_OBSERVATIONS;
}

/** A bucket that leaves percentiles open: by its bounds, of the first one by its bound and the mean. */
function coarseBucket(signal: HistogramSignal) {
  const { main, avg } = signal;
  const buckets = main.buckets ?? [];
  const total = buckets.at(-1)?.[1] ?? 0;
  let [below, lower] = [0, 0];
  for (const [bound, cumulative] of buckets) {
    const upper = boundValue(bound);
    const share = (cumulative - below) / total;
    const open = upper === Infinity;
    if (open ? share >= MAX_BEYOND : share >= MAX_IN_ONE && upper / (lower > 0 ? lower : avg) >= WIDE)
      return { lower, upper, share };
    [below, lower] = [cumulative, upper];
  }
  return undefined;
}

/** The slowest slices that are looked at for what else was different then. */
const SLOWEST = 0.1;
const MIN_REQUESTS = 200;
/** Requests whose prompts or answers are longer by as much are slower by right. */
const BEYOND_LENGTH = 2;

/** A few requests take many times as long as most. */
export const tail = endpointRule({
  title: "A few requests are much slower",
  advice:
    "Look at what rose at those times, in the charts too. Long prompts, preemptions, a cold cache and a busy neighbour all look like this.",
  uses: isLength,
  percentilesOf: (run, { tailRatio }) =>
    run
      .servingEndpoints()
      .flatMap((endpointUrl) => timed(run, endpointUrl))
      .filter(({ signal, byLength }) => largestRatio(signal) >= Math.max(tailRatio, BEYOND_LENGTH * byLength))
      .map(({ signal }) => signal),
  look: (run, endpointUrl) => {
    const signals = timed(run, endpointUrl);
    return signals.length === 0 ? undefined : { signals };
  },
  judge: ({ signals }, { run, endpointUrl, limits: { tailRatio: threshold } }) => {
    const [worst] = signals
      .map((one) => ({ ...one, ratio: ratioOf(one.signal) }))
      .filter(({ ratio, byLength }) => ratio >= threshold && ratio >= BEYOND_LENGTH * byLength)
      .sort((a, b) => b.ratio - a.ratio);
    if (worst === undefined) return undefined;
    const { signal, ratio } = worst;
    const load = loadOf(run, endpointUrl);
    const slow = slowest(signal.means);
    const rose = whatRose(run, load, slow);
    // What a cold start or a first burst made is told by `warm-up-short`: a longer warm-up leaves it out.
    const rest = load.settledNs === undefined ? NaN : linearRatioFrom(signal, load.settledNs);
    const isOfStart = rest < threshold;
    return {
      weight: isOfStart ? 0.35 : ramp(ratio, threshold, 10 * threshold, 0.4, 0.6),
      confidence: rose.length > 0 ? "medium" : "low",
      text:
        `${inSentence(titleWithName(signal.family))} of the slowest 1 % was ` +
        `${times(ratio)} the median or more (p50 ${shown(signal, 50)}, p99 ${shown(signal, 99)})` +
        `${rose.length > 0 ? `; at those times ${rose.join(" and ")} rose` : ""}.` +
        (isOfStart ? ` It came from the start of the run: after that it was ${times(rest)}.` : ""),
      evidence: [run.evidence(signal, "p99 relative to p50", ratio, { threshold, unit: "" }, slow)],
    };
  },
});

/** Latencies of enough requests, with how much prompts or answers differ in length. */
function timed(run: Observed, endpointUrl: string) {
  const { ttft, latency } = loadOf(run, endpointUrl);
  return [
    { signal: ttft, lengths: promptLengths(run, endpointUrl) },
    { signal: latency, lengths: outputLengths(run, endpointUrl) },
  ].flatMap(({ signal, lengths }) =>
    signal === undefined || signal.count < MIN_REQUESTS ? [] : [{ signal, byLength: linearRatio(lengths) }],
  );
}

function ratioOf(signal: HistogramSignal): number {
  return (lastBoundBelowQuantile(signal, 0.99) ?? signal.percentile(99)) / signal.percentile(50);
}

/** As tiles show it: beyond the last bound of a histogram only "at least" is known. */
function shown(signal: HistogramSignal, p: 50 | 99): string {
  const least = lastBoundBelowQuantile(signal, p / 100);
  return least === undefined ? figure(signal.percentile(p), signal.unit) : `≥ ${figure(least, signal.unit)}`;
}

function slowest(points: readonly SignalPoint[]): readonly SignalPoint[] {
  const sorted = [...points].sort((a, b) => b.value - a.value);
  const chosen = new Set(sorted.slice(0, Math.max(1, Math.ceil(SLOWEST * sorted.length))));
  return points.filter((point) => chosen.has(point));
}

function whatRose(
  run: Observed,
  { endpointUrl, waiting, kvUsage }: EndpointLoad,
  slow: readonly SignalPoint[],
): readonly string[] {
  const at = new Set(slow.map(({ startNs }) => startNs));
  const preempted = run.counter(endpointUrl, "preempted");
  const prompts = run.counter(endpointUrl, "prompt-tokens");
  return [
    [waiting, waiting?.means] as const,
    [kvUsage, kvUsage?.means] as const,
    [preempted, preempted?.rates] as const,
    [prompts, prompts?.rates] as const,
  ].flatMap(([signal, points = []]) => {
    const during = mean(valuesOf(points.filter(({ startNs }) => at.has(startNs))));
    const otherwise = mean(valuesOf(points.filter(({ startNs }) => !at.has(startNs))));
    return signal !== undefined && during > 1.5 * otherwise && during > 0
      ? [inSentence(titleWithName(signal.family))]
      : [];
  });
}

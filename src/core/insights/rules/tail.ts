import { mean } from "../../math/index.js";
import { inSentence, titleWithName } from "../../catalog/index.js";
import { figure, times } from "../words.js";
import type { Observed } from "../observed.js";
import type { HistogramSignal, SignalPoint } from "../signals.js";
import { ramp, valuesOf } from "../numbers.js";
import { endpointRule } from "../rule.js";
import { largestRatio, lastBoundBelowQuantile, linearRatio, linearRatioFrom } from "./buckets.js";
import { isLength, outputLengths, promptLengths } from "./lengths.js";
import { loadOf, type EndpointLoad } from "./load.js";

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

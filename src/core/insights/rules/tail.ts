import { mean } from "../../math/index.js";
import { inSentence, titleWithName } from "../../catalog/index.js";
import { figure, times } from "../words.js";
import type { Observed } from "../observed.js";
import type { HistogramSignal, SignalPoint } from "../signals.js";
import { ramp, valuesOf } from "../numbers.js";
import type { Rule } from "../rule.js";
import { largestRatio, lastBoundBelowQuantile, linearRatio, linearRatioFrom } from "./buckets.js";
import { outputLengths, promptLengths } from "./lengths.js";
import { hitsAtLoads, loads, type EndpointLoad } from "./load.js";

/** The slowest slices that are looked at for what else was different then. */
const SLOWEST = 0.1;
const MIN_REQUESTS = 200;
/** Requests whose prompts or answers are longer by as much are slower by right. */
const BEYOND_LENGTH = 2;

/** A few requests take many times as long as most. */
export const tail: Rule = {
  id: "tail",
  title: "A few requests are much slower",
  advice:
    "Look at what rose at those times, in the charts too. Long prompts, preemptions, a cold cache and a busy neighbour all look like this.",
  percentilesOf: (run, { tailRatio }) =>
    loads(run).flatMap((load) =>
      timed(run, load).flatMap(({ signal, byLength }) =>
        largestRatio(signal) >= Math.max(tailRatio, BEYOND_LENGTH * byLength) ? [signal] : [],
      ),
    ),
  tells: (run) => loads(run).some((load) => timed(run, load).length > 0),
  check: (run, { tailRatio: threshold }) =>
    hitsAtLoads(run, (load) => {
      const worst = timed(run, load)
        .map((one) => ({ ...one, ratio: ratioOf(one.signal) }))
        .filter(({ ratio, byLength }) => ratio >= threshold && ratio >= BEYOND_LENGTH * byLength)
        .sort((a, b) => b.ratio - a.ratio)[0];
      if (worst === undefined) return [];
      const { signal, ratio } = worst;
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
    }),
};

/** Latencies of enough requests, with how much prompts or answers differ in length. */
function timed(run: Observed, { endpointUrl, ttft, latency }: EndpointLoad) {
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
  const candidates = [
    waiting === undefined ? undefined : { family: waiting.family, points: waiting.means },
    kvUsage === undefined ? undefined : { family: kvUsage.family, points: kvUsage.means },
    preempted === undefined ? undefined : { family: preempted.family, points: preempted.rates },
    prompts === undefined ? undefined : { family: prompts.family, points: prompts.rates },
  ];
  return candidates.flatMap((candidate) => {
    if (candidate === undefined) return [];
    const during = mean(valuesOf(candidate.points.filter(({ startNs }) => at.has(startNs))));
    const otherwise = mean(valuesOf(candidate.points.filter(({ startNs }) => !at.has(startNs))));
    return during > 1.5 * otherwise && during > 0 ? [inSentence(titleWithName(candidate.family))] : [];
  });
}

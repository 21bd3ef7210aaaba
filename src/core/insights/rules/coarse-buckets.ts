import { inSentence, titleWithName } from "../../catalog/index.js";
import { boundValue } from "../../model/index.js";
import { endpointRule } from "../rule.js";
import type { HistogramSignal } from "../signals.js";
import { figure, percent } from "../words.js";

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

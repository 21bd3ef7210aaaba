import { boundValue } from "../../model/index.js";
import { figure, percent } from "../words.js";
import { nameOf, type HistogramSignal, type Observed } from "../observed.js";
import type { Rule } from "../rule.js";

/** Latencies that are judged by percentiles. */
const LATENCIES = ["ttft", "inter-token-latency", "e2e-latency"] as const;

function latencies(run: Observed): readonly HistogramSignal[] {
  return run
    .endpoints()
    .flatMap((endpointUrl) => LATENCIES.flatMap((concept) => run.histogram(endpointUrl, concept) ?? []));
}

/** A bucket this much wider than its lower bound leaves a percentile open. */
const WIDE = 4;
const MOST = 0.8;

/** Nearly all observations lie in one wide bucket, or beyond the last. */
export const coarseBuckets: Rule = {
  id: "coarse-buckets",
  title: "Histogram buckets are too coarse",
  advice:
    "Percentiles of this metric rest on an estimate within one bucket. Configure finer buckets where the server allows it, or use the client's own measurements.",
  check: (run) =>
    latencies(run).flatMap((signal) => {
      const main = signal.results[0];
      const buckets = main?.buckets ?? [];
      const total = buckets.at(-1)?.[1] ?? 0;
      if (total < 50) return [];
      let [below, lower] = [0, 0];
      for (const [bound, cumulative] of buckets) {
        const upper = boundValue(bound);
        const inside = (cumulative - below) / total;
        const open = upper === Infinity;
        if (open ? inside >= 0.01 : inside >= MOST && lower > 0 && upper / lower >= WIDE) {
          const where = open
            ? `above the last bound ${figure(lower, signal.unit)}`
            : `between ${figure(lower, signal.unit)} and ${figure(upper, signal.unit)}`;
          return [
            {
              weight: open ? 0.3 : 0.2,
              confidence: "high" as const,
              text: `${nameOf(signal.endpointUrl)}: ${percent(inside)} of ${signal.family} lie in one bucket, ${where}.`,
              evidence: [
                run.evidence(signal, {
                  statistic: "share of observations in one bucket",
                  value: inside,
                  threshold: open ? 0.01 : MOST,
                  unit: "ratio",
                }),
              ],
              endpointUrls: [signal.endpointUrl],
            },
          ];
        }
        [below, lower] = [cumulative, upper];
      }
      return [];
    }),
};

/** Time between scrapes is long for what happens in between. */
export const coarseInterval: Rule = {
  id: "coarse-interval",
  title: "Scrapes are far apart",
  advice: "Short queues and peaks fall between the scrapes. Capture with a shorter interval (333 ms by default).",
  check: (run, { coarseInterval: threshold }) =>
    run.endpoints().flatMap((endpointUrl) => {
      const info = run.info(endpointUrl);
      if (info === undefined || info.total_fetches < 2) return [];
      const interval = Number(info.last_fetch_ns - info.first_fetch_ns) / 1e9 / (info.total_fetches - 1);
      if (interval < threshold) return [];
      return [
        {
          weight: 0.25,
          confidence: "high" as const,
          text: `${nameOf(endpointUrl)}: one scrape every ${figure(interval, "seconds")}; what lasts less is not seen.`,
          evidence: [
            run.scrapeEvidence(endpointUrl, {
              statistic: "mean time between scrapes",
              value: interval,
              unit: "seconds",
              threshold,
            }),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

/** Too few requests for percentiles. */
export const fewObservations: Rule = {
  id: "few-observations",
  title: "Too few requests for percentiles",
  advice: "A p99 needs at least 100 observations, and some hundred to be steady. Run longer or with more load.",
  check: (run, { fewObservations: threshold }) =>
    run.endpoints().flatMap((endpointUrl) => {
      const signal = run.histogram(endpointUrl, "e2e-latency") ?? run.histogram(endpointUrl, "ttft");
      if (signal === undefined || signal.count >= threshold) return [];
      return [
        {
          weight: signal.count < threshold / 3 ? 0.4 : 0.3,
          confidence: "high" as const,
          text: `${nameOf(endpointUrl)}: ${signal.family} has ${figure(signal.count)} observations; its p99 rests on the slowest one or two.`,
          evidence: [run.evidence(signal, { statistic: "count", value: signal.count, threshold, unit: "" })],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

const FEWEST_FETCHES = 20;
const FROZEN = 0.05;
/** A capture whose last updates lie this far back. */
const STALE = 0.25;

/** The endpoint answers, but its values do not change. */
export const frozen: Rule = {
  id: "frozen",
  title: "Metrics are frozen",
  advice:
    "The endpoint answers with the same text again and again: it may be a cache, a stopped engine behind a living frontend, or the wrong port.",
  check: (run) =>
    run.endpoints().flatMap((endpointUrl) => {
      const info = run.info(endpointUrl);
      if (info === undefined || info.total_fetches < FEWEST_FETCHES) return [];
      const updates = info.unique_updates / info.total_fetches;
      const whole = Number(info.last_fetch_ns - info.first_fetch_ns);
      const stale = Number(info.last_fetch_ns - info.last_update_ns) / whole;
      if (updates > FROZEN && stale < STALE) return [];
      const still = Math.max(stale, 1 - updates);
      return [
        {
          weight: 0.7,
          confidence: stale > 0.5 || updates <= FROZEN ? ("high" as const) : ("medium" as const),
          text: `${nameOf(endpointUrl)}: ${figure(info.total_fetches)} scrapes, but only ${figure(info.unique_updates)} different ones${stale >= STALE ? `; nothing changed in the last ${percent(stale)} of the time` : ""}.`,
          evidence: [
            run.scrapeEvidence(
              endpointUrl,
              { statistic: "share of the time without a change", value: still, unit: "ratio", threshold: STALE },
              { startNs: info.last_update_ns, endNs: info.last_fetch_ns },
            ),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

export const MEASUREMENT: readonly Rule[] = [coarseBuckets, coarseInterval, fewObservations, frozen];

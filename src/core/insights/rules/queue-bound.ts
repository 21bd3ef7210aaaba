import { figure, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";
import { loads } from "./load.js";

/** Shorter waits do not matter, whatever their share. */
const SHORTEST_SECONDS = 0.02;

/** Most of the time to first token is spent in the queue. */
export const queueBound: Rule = {
  id: "queue-bound",
  title: "Time to first token is mostly queueing",
  advice:
    "A faster prefill would change little: reduce the queue first, with less load, more replicas or a larger batch.",
  check: (run, { queueShare: threshold }) =>
    loads(run).flatMap(({ endpointUrl, queueTime, ttft }) => {
      if (queueTime === undefined || ttft === undefined || queueTime.avg < SHORTEST_SECONDS) return [];
      // Both are means of the window; requests that are still running are in the one and not in the other.
      const share = Math.min(1, queueTime.avg / ttft.avg);
      if (share < threshold) return [];
      return [
        {
          weight: ramp(share, threshold, 0.95, 0.5, 0.8),
          confidence: Math.min(queueTime.count, ttft.count) >= 100 ? "high" : "medium",
          text:
            share < 1
              ? `${nameOf(endpointUrl)}: of ${figure(ttft.avg, ttft.unit)} to the first token, ` +
                `${figure(queueTime.avg, queueTime.unit)} (${percent(share)}) is time in the queue.`
              : `${nameOf(endpointUrl)}: the ${figure(ttft.avg, ttft.unit)} to the first token are time in the queue.`,
          evidence: [
            run.evidence(ttft, { statistic: "share that is queueing", value: share, threshold, unit: "ratio" }),
            run.evidence(queueTime, { statistic: "avg", value: queueTime.avg }),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

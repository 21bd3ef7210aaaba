import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { figure, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";
import { backlogOf, loads, type Limit } from "./load.js";
import { prefillAdvice } from "./saturated.js";

/** Shorter waits do not matter, whatever their share. */
const SHORTEST_SECONDS = 0.02;

/** Most of the time to first token is spent in the queue. */
export const queueBound: Rule = {
  id: "queue-bound",
  title: "Time to first token is mostly queueing",
  advice: adviceFor(undefined, undefined),
  tells: (run) => loads(run).some(({ queueTime, ttft }) => queueTime !== undefined && ttft !== undefined),
  check: (run, { queueShare: threshold, kvUsage: kvLimit }) =>
    loads(run).flatMap((load) => {
      const { endpointUrl, queueTime, ttft } = load;
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
          advice: adviceFor(backlogOf(load, kvLimit)?.limit, run.serverAt(endpointUrl)),
        },
      ];
    }),
};

/** What shortens a queue depends on what is waited for. */
function adviceFor(limit: Limit | undefined, server: ServerId | undefined): string {
  switch (limit) {
    case "kv-cache":
      return (
        `Requests wait for room in the KV cache: give it more memory${optionOf(server, "kvMemory")}, or reduce the load ` +
        "or the lengths. A faster prefill would change little."
      );
    case "batch":
      return (
        `Requests wait for a place in the batch: less load, more replicas, or more requests at once` +
        `${optionOf(server, "batch")}. A faster prefill would change little.`
      );
    case "prefill":
      return `Prompts wait for the prompts before them. ${prefillAdvice(server)}`;
    case undefined:
      return (
        "Look at what requests wait for: a place in the batch, room in the KV cache, or the prompts before them. Less " +
        "load or more replicas shorten the queue in each case."
      );
  }
}

import { figure } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";
import { loads } from "./load.js";

/** Few requests run and none waits: the server could do more, but is not asked to. */
export const clientBound: Rule = {
  id: "client-bound",
  title: "The load generator is the limit",
  advice:
    "Raise the concurrency or the request rate. Check that the client is not short of processor time, connections or file descriptors. Throughput of this run says nothing about what the server can do.",
  check: (run, { fewRunning, kvUsage: kvLimit, queueShare }) =>
    loads(run).flatMap(({ endpointUrl, running, waiting, kvUsage, queueTime, ttft, waitingShare }) => {
      if (running === undefined || running.avg >= fewRunning) return [];
      if (waitingShare > 0.05 || (waiting !== undefined && waiting.avg > 0.2)) return [];
      if (kvUsage !== undefined && kvUsage.max > kvLimit / 2) return [];
      if (queueTime !== undefined && ttft !== undefined && queueTime.avg > (queueShare / 2) * ttft.avg) return [];
      return [
        {
          weight: ramp(running.avg, 0, fewRunning, 0.7, 0.45),
          confidence:
            waiting === undefined && queueTime === undefined ? "low" : kvUsage === undefined ? "medium" : "high",
          text:
            `${nameOf(endpointUrl)}: only ${figure(running.avg)} requests run on average and none waits` +
            `${kvUsage === undefined ? "" : `; the KV cache is at most ${figure(kvUsage.max, "ratio")} full`}.`,
          evidence: [
            run.evidence(running, { statistic: "avg", value: running.avg, threshold: fewRunning }),
            ...(waiting === undefined ? [] : [run.evidence(waiting, { statistic: "avg", value: waiting.avg })]),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

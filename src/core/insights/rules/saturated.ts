import { mean } from "../../model/index.js";
import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { percent, figure } from "../words.js";
import { ramp, valuesOf } from "../numbers.js";
import { nameOf } from "../observed.js";
import type { Rule } from "../rule.js";
import { ceilingOf, growth, loads } from "./load.js";

/** Requests wait for a good part of the run while as many run as ever do: more arrive than the server can take. */
export const saturated: Rule = {
  id: "saturated",
  title: "The server is saturated",
  advice: adviceFor(undefined),
  check: (run, { waitingShare: threshold }) =>
    loads(run).flatMap((load) => {
      const { running, waiting, queueTime, waitingPoints, waitingShare, endpointUrl, waitingHoldsPrefill } = load;
      const reached = ceilingOf(load);
      if (running === undefined || reached === undefined || !(waitingShare >= threshold)) return [];
      const { most: ceiling, busy, full } = reached;
      if (ceiling < 2 || full < 0.5) return [];
      const source = waiting ?? queueTime;
      if (source === undefined) return [];
      // A queue much shorter than the batch drains within one round of it.
      const depth = waiting === undefined ? 1 : mean(valuesOf(waitingPoints)) / ceiling;
      const rises = growth(source.means);
      if (depth < 0.05 && rises < 1.5) return [];
      const weight =
        ramp(waitingShare, threshold, 1, 0.6, 0.85) + ramp(depth, 0.1, 1, 0, 0.05) + (rises > 1.5 ? 0.05 : 0);
      const queue =
        waiting === undefined
          ? `they spend ${figure(source.avg, source.unit)} in the queue on average`
          : `up to ${figure(waiting.max)} wait${waitingHoldsPrefill ? " for their first token" : ""}`;
      return [
        {
          weight,
          confidence: waiting !== undefined && !waitingHoldsPrefill && full > 0.8 ? "high" : "medium",
          text:
            `${nameOf(endpointUrl)}: requests wait for ${percent(waitingShare)} of the time while about ${figure(ceiling)} run, ` +
            `the most in this run; ${queue}${rises > 1.5 ? ", and the queue grows" : ""}.`,
          evidence: [
            run.evidence(
              source,
              { statistic: "share of the time with requests waiting", value: waitingShare, threshold, unit: "ratio" },
              waitingPoints,
            ),
            run.evidence(running, { statistic: "max", value: ceiling }, busy),
          ],
          endpointUrls: [endpointUrl],
          advice: adviceFor(run.serverAt(endpointUrl)),
        },
      ];
    }),
};

function adviceFor(server: ServerId | undefined): string {
  return (
    `Offer less load, add replicas, or raise what limits the batch: the number of requests${optionOf(server, "batch")}, ` +
    `the memory of the KV cache${optionOf(server, "kvMemory")} or the tokens of a step${optionOf(server, "stepTokens")}. ` +
    "Latencies of a saturated run grow with its length: compare runs at a load below this point."
  );
}

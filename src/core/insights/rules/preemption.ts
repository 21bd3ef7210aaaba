import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { counted, figure } from "../words.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";
import { hitsAtLoads, loads } from "./load.js";

/** Requests are taken out of the batch and computed again later. */
export const preemption: Rule = {
  id: "preemption",
  title: "Requests are preempted",
  advice: adviceFor(undefined),
  tells: (run) => loads(run).some(({ endpointUrl }) => run.counter(endpointUrl, "preempted") !== undefined),
  check: (run, { preemptionShare: threshold }) =>
    hitsAtLoads(run, ({ endpointUrl, finished }) => {
      const preempted = run.counter(endpointUrl, "preempted");
      if (preempted === undefined || preempted.total <= 0) return [];
      const perRequest = finished !== undefined && finished.total > 0 ? preempted.total / finished.total : NaN;
      if (perRequest < threshold || preempted.total < 3) return [];
      const when = preempted.rates.filter(({ value }) => value > 0);
      return {
        weight: Number.isNaN(perRequest) ? 0.6 : ramp(perRequest, threshold, 0.2, 0.55, 0.9),
        confidence: "high",
        text:
          `${counted(preempted.total, "preemption")}` +
          `${Number.isNaN(perRequest) ? "" : `, ${figure(100 * perRequest)} per 100 finished requests`}.`,
        evidence: [
          Number.isNaN(perRequest)
            ? run.evidence(preempted, "total", preempted.total, { threshold: 0, unit: "" }, when)
            : run.evidence(preempted, "per finished request", perRequest, { threshold, unit: "" }, when),
        ],
        advice: adviceFor(run.serverAt(endpointUrl)),
      };
    }),
};

function adviceFor(server: ServerId | undefined): string {
  const cautious =
    server === "sglang" ? " SGLang admits fewer requests at once with a higher --schedule-conservativeness." : "";
  return (
    `Each preemption computes a request again. Lower the concurrency or the size of the batch${optionOf(server, "batch")}, ` +
    `or give the KV cache more memory${optionOf(server, "kvMemory")}.${cautious}`
  );
}

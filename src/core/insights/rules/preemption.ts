import { counted, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";
import { loads } from "./load.js";

/** Requests are taken out of the batch and computed again later. */
export const preemption: Rule = {
  id: "preemption",
  title: "Requests are preempted",
  advice:
    "Each preemption computes a request again. Lower the concurrency or max_num_seqs, or give the KV cache more memory.",
  check: (run, { preemptionShare: threshold }) =>
    loads(run).flatMap(({ endpointUrl, finished }) => {
      const preempted = run.counter(endpointUrl, "preempted");
      if (preempted === undefined || preempted.total <= 0) return [];
      const perRequest = finished !== undefined && finished.total > 0 ? preempted.total / finished.total : NaN;
      if (perRequest < threshold || preempted.total < 3) return [];
      const when = preempted.rates.filter(({ value }) => value > 0);
      return [
        {
          weight: Number.isNaN(perRequest) ? 0.6 : ramp(perRequest, threshold, 0.2, 0.55, 0.9),
          confidence: "high",
          text:
            `${nameOf(endpointUrl)}: ${counted(preempted.total, "preemption")}` +
            `${Number.isNaN(perRequest) ? "" : `, ${percent(perRequest)} of the finished requests`}.`,
          evidence: [
            run.evidence(
              preempted,
              Number.isNaN(perRequest)
                ? { statistic: "total", value: preempted.total, unit: "" }
                : { statistic: "share of the finished requests", value: perRequest, threshold, unit: "ratio" },
              when,
            ),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

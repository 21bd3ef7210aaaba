import { optionOf } from "../advice.js";
import { counted, figure } from "../words.js";
import { ramp } from "../numbers.js";
import { endpointRule } from "../rule.js";

/** Requests are taken out of the batch and computed again later. */
export const preemption = endpointRule({
  title: "Requests are preempted",
  advice: (server) =>
    `Each preemption computes a request again. Lower the concurrency or the size of the batch${optionOf(server, "batch")}, ` +
    `or give the KV cache more memory${optionOf(server, "kvMemory")}.` +
    (server === "sglang" ? " SGLang admits fewer requests at once with a higher --schedule-conservativeness." : ""),
  look: (run, endpointUrl) => run.counter(endpointUrl, "preempted"),
  judge: (preempted, { run, endpointUrl, limits: { preemptionShare: threshold } }) => {
    const finished = run.counter(endpointUrl, "finished")?.total ?? 0;
    const perRequest = finished > 0 ? preempted.total / finished : NaN;
    if (perRequest < threshold || preempted.total < 3) return undefined;
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
    };
  },
});

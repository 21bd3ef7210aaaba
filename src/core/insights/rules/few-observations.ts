import { inSentence, titleWithName } from "../../catalog/index.js";
import { hitsAt, type Rule } from "../rule.js";
import { loads } from "./load.js";
import { counted } from "../words.js";

/** Too few requests for percentiles. */
export const fewObservations: Rule = {
  id: "few-observations",
  title: "Too few requests for percentiles",
  advice: "A p99 needs at least 100 observations, and several hundred to be stable. Run longer or with more load.",
  tells: (run) => loads(run).some(({ latency, ttft }) => (latency ?? ttft) !== undefined),
  check: (run, { fewObservations: threshold }) =>
    hitsAt(run.endpoints(), (endpointUrl) => {
      const signal = run.histogram(endpointUrl, "e2e-latency") ?? run.histogram(endpointUrl, "ttft");
      if (signal === undefined || signal.count >= threshold) return [];
      const slowest = signal.count < 100 ? "the slowest one alone" : "the few slowest";
      return {
        weight: signal.count < threshold / 3 ? 0.4 : 0.3,
        confidence: "high",
        text: `${inSentence(titleWithName(signal.family))} had ${counted(signal.count, "observation")}; its p99 rests on ${slowest}.`,
        evidence: [run.evidence(signal, "count", signal.count, { threshold, unit: "" })],
      };
    }),
};

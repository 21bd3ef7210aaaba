import { inSentence, titleWithName } from "../../catalog/index.js";
import { endpointRule } from "../rule.js";
import { counted } from "../words.js";

/** Too few requests for percentiles. */
export const fewObservations = endpointRule({
  title: "Too few requests for percentiles",
  advice: "A p99 needs at least 100 observations, and several hundred to be stable. Run longer or with more load.",
  look: (run, endpointUrl) => run.histogram(endpointUrl, "e2e-latency") ?? run.histogram(endpointUrl, "ttft"),
  judge: (signal, { run, limits: { fewObservations: threshold } }) => {
    if (signal.count >= threshold) return undefined;
    const slowest = signal.count < 100 ? "the slowest one alone" : "the few slowest";
    return {
      weight: signal.count < threshold / 3 ? 0.4 : 0.3,
      confidence: "high",
      text: `${inSentence(titleWithName(signal.family))} had ${counted(signal.count, "observation")}; its p99 rests on ${slowest}.`,
      evidence: [run.evidence(signal, "count", signal.count, { threshold, unit: "" })],
    };
  },
});

import { optionOf } from "../advice.js";
import { figure, percent } from "../words.js";
import { ramp, share } from "../numbers.js";
import { endpointRule } from "../rule.js";
import { loadOf } from "./load.js";

const SHORTEST_SHARE = 0.05;
/** Taken where only the greatest value is known. */
const UNKNOWN_SHARE = 0.3;

/** The KV cache is nearly full: it, not the batch size, decides how many requests run. */
export const kvPressure = endpointRule({
  title: "The KV cache is the limit",
  advice: (server) =>
    `Give the cache more memory${optionOf(server, "kvMemory")}, quantise it${optionOf(server, "kvType")}, spread the ` +
    "weights over more GPUs, shorten prompts or outputs, or lower the concurrency.",
  look: (run, endpointUrl) => loadOf(run, endpointUrl).kvUsage,
  judge: (kvUsage, { run, endpointUrl, limits: { kvUsage: threshold } }) => {
    if (kvUsage.max < threshold) return undefined;
    const { waitingShare } = loadOf(run, endpointUrl);
    const above = kvUsage.maxima.filter(({ value }) => value >= threshold);
    // Statistics without slices say how far it went, not for how long.
    const timed = kvUsage.maxima.length > 0;
    const duration = timed ? share(kvUsage.maxima, (value) => value >= threshold) : UNKNOWN_SHARE;
    if (duration < SHORTEST_SHARE) return undefined;
    const reached = `KV cache usage reached ${figure(kvUsage.max, "ratio")}`;
    return {
      weight: ramp(duration, SHORTEST_SHARE, 0.6, 0.6, 0.9) + (waitingShare > 0.1 ? 0.06 : 0),
      confidence: waitingShare > 0 || (timed && duration > 0.3) ? "high" : "medium",
      text: timed
        ? `${reached}, and ${percent(threshold)} or more in ${percent(duration)} of the timeslices.`
        : `${reached}. Without timeslices it is not known for how long.`,
      evidence: [run.evidence(kvUsage, "max", kvUsage.max, { threshold, unit: "ratio" }, above)],
    };
  },
});

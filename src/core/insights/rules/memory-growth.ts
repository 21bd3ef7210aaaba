import { inSentence, titleWithName } from "../../catalog/index.js";
import { mean } from "../../math/index.js";
import { figure, percent } from "../words.js";
import { correlation, part, ramp, trend, valuesOf } from "../numbers.js";
import { endpointRule } from "../rule.js";
import { loadOf } from "./load.js";

const MEMORY = [
  "process_resident_memory_bytes",
  "process_memory_bytes",
  "process_memory_rss_bytes",
  "memory_usage_bytes",
  "DCGM_FI_DEV_FB_USED",
  "amd_gpu_used_vram",
  "nv_gpu_memory_used_bytes",
];

const MIN_SLICES = 10;
/** Kendall's tau: nearly every slice above those before it. */
const STEADY = 0.8;
/** Correlation of the memory with the requests that wait. */
const FOLLOWS = 0.9;

/** Memory rises throughout the run. */
export const memoryGrowth = endpointRule({
  title: "Memory grows",
  advice:
    "Let the server run longer at the same load: memory that a cache fills levels off, a leak does not. Compare the rate with the memory that is left.",
  uses: (family) => MEMORY.includes(family),
  look: (run, endpointUrl) =>
    MEMORY.flatMap((name) => {
      const memory = run.gauge(endpointUrl, [name]);
      return memory === undefined || memory.means.length < MIN_SLICES ? [] : [memory];
    }),
  judge: (memory, { run, endpointUrl, limits: { memoryGrowth: threshold } }) => {
    const start = mean(valuesOf(part(memory.means, 0, 0.2)));
    const end = mean(valuesOf(part(memory.means, 0.8, 1)));
    const grown = (end - start) / start;
    // Half of the growth in the second half: what fills up at the start has levelled off by then.
    const middle = mean(valuesOf(part(memory.means, 0.4, 0.6)));
    if (!(grown > threshold) || end - middle < 0.25 * (end - start)) return undefined;
    if (trend(valuesOf(memory.means)) < STEADY) return undefined;
    // Requests that wait take memory, too: what follows their number tells less of a leak.
    const queue = loadOf(run, endpointUrl).waiting;
    const follows = queue !== undefined && correlation(memory.means, queue.means) > FOLLOWS;
    return {
      weight: follows ? ramp(grown, threshold, 0.5, 0.2, 0.5) : ramp(grown, threshold, 0.5, 0.5, 0.8),
      confidence: grown > 3 * threshold && !follows ? "medium" : "low",
      text:
        `${inSentence(titleWithName(memory.family))} rose from ${figure(start, memory.unit)} to ` +
        `${figure(end, memory.unit)} (${percent(grown)}) without levelling off.` +
        (follows ? " The queue grew with it, and requests that wait take memory, too." : ""),
      evidence: [run.evidence(memory, "growth", grown, { threshold, unit: "ratio" }, memory.means)],
    };
  },
});

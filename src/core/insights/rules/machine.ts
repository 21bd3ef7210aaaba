import { canonicalName, inSentence, titleWithName } from "../../catalog/index.js";
import { mean } from "../../math/index.js";
import { NS_PER_SECOND, amountOf, statisticOf, type FamilyResult, type SeriesResult } from "../../model/index.js";
import { correlation, part, ramp, share as shareOf, trend, valuesOf, pointsOfSeries } from "../signals.js";
import { endpointRule } from "../rule.js";
import { figure, percent } from "../words.js";
import { loadOf } from "./load.js";

/** Time that a GPU was slowed down, and by what. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  DCGM_FI_DEV_POWER_VIOLATION: "its power limit",
  DCGM_FI_DEV_THERMAL_VIOLATION: "its temperature",
  DCGM_FI_DEV_RELIABILITY_VIOLATION: "its reliability limit",
  DCGM_FI_DEV_BOARD_LIMIT_VIOLATION: "its board limit",
  power_violation: "its power limit",
  thermal_violation: "its temperature",
};
/** Share of the time in percent. */
const PERCENTAGES: Readonly<Record<string, string>> = {
  amd_gpu_violation_ppt_residency_percentage: "its power limit",
  amd_gpu_violation_socket_thermal_residency_percentage: "its temperature",
  amd_gpu_violation_processor_hot_residency_percentage: "its temperature",
  amd_gpu_violation_hbm_thermal_residency_percentage: "the temperature of its memory",
};
/** Reasons why clocks are lowered, as bits. */
const REASONS: readonly string[] = ["DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"];
/** Power cap, hardware slowdown, heat and power brake: not idling, set clocks and boosts in step. */
const LIMITING = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

/** Whether a family says that a GPU is slowed down, by its canonical name. */
function isThrottling(family: string): boolean {
  return Object.hasOwn(VIOLATIONS, family) || Object.hasOwn(PERCENTAGES, family) || REASONS.includes(family);
}

/** The GPU lowers its clocks. */
export const throttled = endpointRule({
  title: "The GPU is throttled",
  advice: "Look at power limit, cooling and clocks of that GPU. Runs are comparable only with the same clocks.",
  uses: isThrottling,
  look: (run, endpointUrl) =>
    run
      .find(isThrottling, endpointUrl)
      .flatMap((family) => family.series.map((series: SeriesResult) => ({ family, series }))),
  judge: ({ family, series }, { run, endpointUrl, limits: { throttledShare: threshold } }) => {
    const throttling = heldBack(family, series);
    if (throttling === undefined || !(throttling.share >= threshold)) return undefined;
    const { share, by, isSure } = throttling;
    const signal = { family: family.name, unit: family.unit, endpointUrl, labels: series.labels };
    return {
      weight: ramp(share, threshold, 0.5, 0.6, 0.85),
      confidence: isSure ? "high" : "medium",
      text: `${gpuOf(series)} was held back by ${by} for ${percent(share)} of the time.`,
      evidence: [run.evidence(signal, "share of the time", share, { threshold, unit: "ratio" })],
    };
  },
});

function gpuOf({ labels }: SeriesResult): string {
  const gpu = labels.find(([key]) => /^(gpu|gpu_id|gpu_index|index)$/.test(key))?.[1];
  return gpu === undefined ? "the GPU" : `GPU ${gpu}`;
}

function heldBack(family: FamilyResult, series: SeriesResult) {
  const name = canonicalName(family.name);
  const percentage = PERCENTAGES[name];
  if (percentage !== undefined)
    return series.kind === "gauge" ? { share: amountOf(series) / 100, by: percentage, isSure: true } : undefined;
  const by = VIOLATIONS[name];
  return by === undefined ? byReasons(series) : bySeconds(family, series, by);
}

/** DCGM counts nanoseconds now and microseconds before, and its help texts are often older than its values. */
function bySeconds(family: FamilyResult, series: SeriesResult, by: string) {
  const rates = ratesOf(series);
  const rate = mean(rates);
  // More than a second a second is only possible in nanoseconds.
  const isNanoseconds = Math.max(0, ...rates) > 1.1e6 || /\bns\b|nanosec/i.test(family.description);
  return { share: Math.min(1, rate / (isNanoseconds ? 1e9 : 1e6)), by, isSure: isNanoseconds };
}

/** Rises per second: of a counter, or of a gauge that only rises, as some exporters declare it. */
function ratesOf(series: SeriesResult): readonly number[] {
  const points = pointsOfSeries(series);
  if (series.kind === "counter")
    return points.length > 0 ? points.map(({ value }) => value) : [statisticOf(series, "rate")];
  return points.slice(1).map(({ startNs, value }, i) => {
    const before = points[i];
    return before === undefined
      ? 0
      : (Math.max(0, value - before.value) * NS_PER_SECOND) / Number(startNs - before.startNs);
  });
}

/** Time slices in which some limit was at work throughout. */
function byReasons(series: SeriesResult) {
  if (series.kind !== "gauge") return undefined;
  const points = (series.slices ?? []).map(({ start_ns: startNs, end_ns: endNs, min, max }) => ({
    startNs,
    endNs,
    value: min === max ? min & LIMITING : min >= 4 ? max & LIMITING : 0,
  }));
  if (points.length === 0) return undefined;
  const bits = points.reduce((all, { value }) => all | value, 0);
  return { share: shareOf(points, (value) => value > 0), by: reasonOf(bits), isSure: true };
}

function reasonOf(bits: number): string {
  if ((bits & (0x20 | 0x40)) !== 0) return "its temperature";
  return (bits & 0x4) !== 0 ? "its power limit" : "its hardware";
}

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

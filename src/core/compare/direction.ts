import { canonicalName, familyEntry, groupOf, keyMetricOf, type Direction } from "../catalog/index.js";
import type { MetricType } from "../model/index.js";
import type { Quantity } from "./types.js";

/**
 * Which way is better: what the user set, else the catalogue's word; else histograms of latency and
 * counters of errors down, all others neutral (more tokens or bytes may be more work for the same result).
 */
export function directionOf(family: string, type: MetricType, chosen: Readonly<Record<string, Direction>>): Direction {
  const set = chosen[family];
  if (set !== undefined) return set;
  const known = familyEntry(family);
  if (known !== undefined) return known.direction ?? "neutral";
  if (type === "counter" && /(error|failure|fail|timeout|abort|preempt)/i.test(family)) return "down";
  const latency = groupOf(family) === "Latency" || /latency|duration/.test(family);
  return type === "histogram" && latency ? "down" : "neutral";
}

/** Is it what the catalogue shows as a key metric? All quantities of such a histogram are. */
export function isKeyQuantity(family: string, quantity: Quantity): boolean {
  const metric = keyMetricOf(family);
  return (
    metric !== undefined &&
    (metric.derived === undefined
      ? metric.family === canonicalName(family) && quantity !== "ratio"
      : quantity === "ratio")
  );
}

import type { MetricType } from "../model/index.js";
import { mean, sum } from "../math/index.js";

/** Values of several series as one; all are numbers, and there is at least one. */
export const JOIN = {
  sum,
  max: (values: readonly number[]) => Math.max(...values),
  mean,
} as const;

const JOINED = { sum: "sum", max: "largest", mean: "average" } as const;

/** "sum of 2". @param count of series; of compared runs perhaps several: "2 and 3" */
export function joinedText(how: keyof typeof JOIN, count: number | string): string {
  return `${JOINED[how]} of ${count}`;
}

/** How the values of several series become one. */
export interface Joining {
  /** In a tile, which watches one value: the worst series where values do not add up. */
  readonly shown: keyof typeof JOIN;
  /** Where a figure stands for all series alike: compared runs, the load of an endpoint or of a label's value. */
  readonly compared: "sum" | "mean";
}

/** Amounts lie side by side: the requests, bytes, tokens/s or watts of two endpoints are those of both. */
const ADDITIVE: Joining = { shown: "sum", compared: "sum" };
/** Full, hot or slow: one endpoint at its limit is not helped by an idle one, but a run is judged by its average. */
const WORST: Joining = { shown: "max", compared: "mean" };
/** Clock rates: neither their sum nor the fastest one says how fast the GPUs ran. */
const CLOCK_RATE: Joining = { shown: "mean", compared: "mean" };
/** Times of day: the latest start is the one that matters. */
const LATEST: Joining = { shown: "max", compared: "mean" };

const JOININGS: readonly (readonly [units: readonly string[], joining: Joining])[] = [
  [["ratio", "percent"], WORST],
  [["celsius", "fahrenheit", "kelvin"], WORST],
  [["nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours"], WORST],
  [["hertz", "kilohertz", "megahertz", "gigahertz"], CLOCK_RATE],
  [["timestamp", "UTC"], LATEST],
];
const BY_UNIT: ReadonlyMap<string, Joining> = new Map(
  JOININGS.flatMap(([units, joining]) => units.map((unit) => [unit, joining] as const)),
);

/**
 * How values of several series of a family are taken together. What counters count adds up in any unit: the processor
 * seconds of two processes are those of both. Histograms are not combined by values; their buckets are merged.
 * @param unit as views show it; undefined for none, which is an amount
 */
export function joiningOf(type: MetricType, unit: string | undefined): Joining {
  return type === "counter" ? ADDITIVE : (BY_UNIT.get(unit ?? "") ?? ADDITIVE);
}

import { aliasesOf, recogniseServers, shownUnit, watchLevel, type KeyMetric } from "../catalog/index.js";
import type { Family } from "../model/index.js";
import { moments } from "../stats/index.js";
import type { Tile } from "./types.js";

/** Points of a tile's sparkline at the most. */
export const SPARK_POINTS = 60;

/** Shares and readings do not add up over series: their maximum is shown. Counts and rates add up. */
const NOT_ADDITIVE = new Set(["ratio", "percent", "celsius", "megahertz"]);

/** Whether values of a unit make sense added up over series. */
export function addsUp(unit: string | undefined): boolean {
  return !NOT_ADDITIVE.has(unit ?? "");
}

/** A statistic over a window, and its course. */
export interface Reading {
  readonly value: number;
  readonly atLeast?: boolean;
  readonly note?: string;
  readonly sparkline: Float64Array;
}

/** A value that runs across a restart is the sum of rises, and says so. */
export const RESTARTED = "restarted: increase across restarts";

export const NOTHING: Reading = { value: NaN, sparkline: new Float64Array(0) };

/** A key metric of a server found, and the family that a run holds it under. */
export interface TilePlan {
  readonly metric: KeyMetric;
  readonly family: Family;
  readonly unit: string | undefined;
}

/** One for each key metric of the servers found that the run has, in the catalogue's order. */
export function tilePlans(families: readonly Family[]): TilePlan[] {
  const byName = new Map(families.map((family) => [family.name, family]));
  return recogniseServers(byName.keys()).flatMap((server) =>
    server.keyMetrics.flatMap((metric) => {
      const name = presentName(metric.family, byName);
      const family = name === undefined ? undefined : byName.get(name);
      return family === undefined
        ? []
        : [{ metric, family, unit: metric.unit ?? statisticUnit(metric, shownUnit(family)) }];
    }),
  );
}

export function tileOf({ metric, family, unit }: TilePlan, reading: Reading): Tile {
  const watched = watchLevel(metric.watch, reading.value, isGrowing(reading.sparkline));
  return {
    id: metric.id,
    title: metric.title,
    family: family.name,
    statistic: metric.derived === undefined ? metric.statistic : "ratio",
    ...(unit === undefined ? {} : { unit }),
    direction: metric.direction,
    watch: watched.level,
    ...(watched.reason === undefined ? {} : { watchReason: watched.reason }),
    ...reading,
  };
}

/** Tiles whose samples are still to be read. */
export function pendingTiles(plans: readonly TilePlan[]): Tile[] {
  return plans.map((plan) => tileOf(plan, { ...NOTHING, note: "being read" }));
}

/** The name under which a run holds a metric; it may be an older one. */
export function presentName(family: string, names: { has(name: string): boolean }): string | undefined {
  return [family, ...aliasesOf(family)].find((name) => names.has(name));
}

function statisticUnit({ statistic, type }: KeyMetric, unit: string | undefined): string | undefined {
  if (type !== "counter" || statistic !== "rate") return unit;
  return unit === undefined || unit === "count" ? "/s" : `${unit}/s`;
}

/** Readings of several series as one: sums of what adds up, the maximum of what does not. */
export function combineReadings(readings: readonly Reading[], unit: string | undefined): Reading {
  const known = readings.filter((reading) => !Number.isNaN(reading.value));
  if (known.length === 0) return { ...NOTHING, note: "no samples in the profiling phase yet" };
  const combine = addsUp(unit)
    ? (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
    : (values: readonly number[]) => Math.max(...values);
  const note = known.find((reading) => reading.note !== undefined)?.note;
  return {
    value: combine(known.map((reading) => reading.value)),
    sparkline: combineLines(
      known.map((reading) => reading.sparkline),
      combine,
    ),
    ...(note === undefined ? {} : { note }),
  };
}

/** Series of one family share their scrapes' course, cut into the same stretches. */
export function combineLines(
  lines: readonly Float64Array[],
  combine: (values: readonly number[]) => number,
): Float64Array {
  return Float64Array.from({ length: Math.max(0, ...lines.map((line) => line.length)) }, (_, i) =>
    combine(lines.map((line) => line[i] ?? NaN).filter((value) => !Number.isNaN(value))),
  );
}

/** Does the last third lie clearly above the first? */
function isGrowing(course: Float64Array): boolean {
  const known = course.filter((value) => !Number.isNaN(value));
  const third = Math.floor(known.length / 3);
  if (third < 3) return false;
  const first = moments(known.subarray(0, third));
  const last = moments(known.subarray(known.length - third));
  return last.avg > first.avg + (2 * (first.std + last.std)) / Math.sqrt(third) && last.avg > 1.1 * first.avg;
}

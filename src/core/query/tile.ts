import {
  computedNote,
  familiesOf,
  JOIN,
  joinedText,
  joiningOf,
  presentNames,
  rateUnit,
  recogniseServers,
  shownUnit,
  watchLevel,
  type KeyMetric,
  type KeyStatistic,
  ROLES,
  type Role,
} from "../catalog/index.js";
import type { EndpointId, Family, SeriesKey } from "../model/index.js";
import { groupBy } from "../math/index.js";
import { moments, type Steps } from "../stats/index.js";
import type { Tile, TileReading } from "./types/index.js";

/** Reads metrics of a run over its window, whatever is known of it. */
export interface MetricReader {
  /** The series that a family is read from, by its canonical name. */
  readonly keysOf: (family: string) => readonly SeriesKey[];
  /** In several statistics, in their order. Of a derived metric there is only one. */
  read(plan: TilePlan, statistics: readonly KeyStatistic[]): Steps<readonly TileReading[]>;
  /** Of these series only. */
  within(admitted: (key: SeriesKey) => boolean): MetricReader;
}

/** Points of a tile's sparkline at the most. */
export const SPARK_POINTS = 60;

/** A value that runs across a restart is the sum of rises, and says so. */
export const RESTARTED = "restarted: increase across restarts";

export const NOTHING: TileReading = { value: NaN, sparkline: new Float64Array(0) };

/** The share of observations below a statistic, of those that are quantiles. */
export const QUANTILES: { readonly [S in KeyStatistic]?: number } = {
  p50_estimate: 0.5,
  p90_estimate: 0.9,
  p99_estimate: 0.99,
};

/** A key metric of a server found, and the family that stands for it: the first that a run holds it under. */
export interface TilePlan {
  readonly metric: KeyMetric;
  readonly family: Family;
  readonly unit: string | undefined;
  /** The server's name; "" for one that the catalogue does not know. */
  readonly server: string;
  /** Of a disaggregated deployment: whose endpoints it is read from. */
  readonly role?: Role;
}

/** One for each key metric of the servers found that the run has, in the catalogue's order. */
export function tilePlans(families: readonly Family[]): TilePlan[] {
  const byName = new Map(families.map((family) => [family.name, family]));
  return recogniseServers(byName.keys()).flatMap((server) =>
    server.keyMetrics.flatMap((metric) => planOf(metric, byName, server.name) ?? []),
  );
}

/**
 * As they are, but of each metric that endpoints of several roles have one for every role: prefill and decode workers
 * do other work, and what they do together is no figure. Those of a role come together.
 * @param endpointsOf where a family is read from, by its canonical name
 * @param roles by endpoint; empty where nothing is disaggregated
 */
export function plansByRole(
  plans: readonly TilePlan[],
  endpointsOf: (family: string) => readonly { readonly endpointUrl: string }[],
  roles: ReadonlyMap<string, Role>,
): readonly TilePlan[] {
  if (roles.size === 0) return plans;
  const split = plans.flatMap((plan) => {
    const own = new Set(endpointsOf(plan.metric.family).map(({ endpointUrl }) => roles.get(endpointUrl)));
    return own.size < 2 ? [plan] : ROLES.filter((role) => own.has(role)).map((role) => ({ ...plan, role }));
  });
  return [...groupBy(split, ({ server }) => server).values()].flatMap((own) =>
    [undefined, ...ROLES].flatMap((role) => own.filter((plan) => plan.role === role)),
  );
}

/** What reads a plan: of one with a role its endpoints alone. */
export function readerOf(reader: MetricReader, { role }: TilePlan, roles: ReadonlyMap<string, Role>): MetricReader {
  return role === undefined ? reader : reader.within(({ endpointUrl }) => roles.get(endpointUrl) === role);
}

/** How a metric is read from a run with these families; undefined where one of those that it needs is missing. */
export function planOf(metric: KeyMetric, byName: ReadonlyMap<string, Family>, server: string): TilePlan | undefined {
  const needed = metric.derived === undefined ? [metric.family] : familiesOf(metric.derived);
  const present = needed.map((name) => presentNames(name, byName)[0]);
  const family = byName.get(presentNames(metric.family, byName)[0] ?? "");
  if (family === undefined || present.includes(undefined)) return undefined;
  const unit = metric.derived === undefined ? tileUnit(metric.statistic, family) : metric.unit;
  return { metric, family, unit, server };
}

/** Names of the families whose samples a tile is read from. */
export function familiesOfPlan(
  { metric: { derived, family } }: TilePlan,
  names: { has(name: string): boolean },
): readonly string[] {
  return (derived === undefined ? [family] : familiesOf(derived)).flatMap((part) => presentNames(part, names));
}

/**
 * The series that a family is read from: an endpoint may expose it under today's name and an older one side by side, so
 * of each endpoint those of the first name that it has.
 * @param family canonical name
 * @param seriesOf the series of one name
 */
export function seriesByName<T>(
  family: string,
  names: { has(name: string): boolean },
  seriesOf: (name: string) => readonly T[],
  keyOf: (series: T) => SeriesKey,
): T[] {
  const taken = new Map<EndpointId, string>();
  return presentNames(family, names).flatMap((name) => {
    const all = seriesOf(name);
    for (const series of all) {
      const { endpoint } = keyOf(series);
      if (!taken.has(endpoint)) taken.set(endpoint, name);
    }
    return all.filter((series) => taken.get(keyOf(series).endpoint) === name);
  });
}

/** The tile of a plan with what was read for it. */
export function tileOf({ metric, family, unit, server, role }: TilePlan, reading: TileReading): Tile {
  // While the run goes on, a warning ends with its cause.
  const watched = watchLevel(metric.watch, reading.current ?? reading.value, isGrowing(reading.sparkline));
  const computed = metric.derived === undefined ? computedNote(metric.family) : undefined;
  return {
    id: role === undefined ? metric.id : `${metric.id} ${role}`,
    server,
    title: role === undefined ? metric.title : `${metric.title} (${role})`,
    family: family.name,
    statistic: metric.derived !== undefined && unit === "ratio" ? "ratio" : metric.statistic,
    ...(unit === undefined ? {} : { unit }),
    direction: metric.direction,
    watch: watched.level,
    ...(watched.reason === undefined ? {} : { watchReason: watched.reason }),
    ...(metric.hint === undefined ? {} : { hint: metric.hint }),
    ...(computed === undefined ? {} : { note: computed }),
    ...reading,
  };
}

/** Tiles whose samples are still to be read. */
export function pendingTiles(plans: readonly TilePlan[]): Tile[] {
  return plans.map((plan) => tileOf(plan, { ...NOTHING, note: "being read" }));
}

/** Of a statistic of a family: a counter's rate is per second. */
export function tileUnit(statistic: KeyStatistic, family: Family): string | undefined {
  const unit = shownUnit(family);
  return statistic === "rate" ? rateUnit(unit) : unit;
}

/** Readings of several series as one. */
export function combineReadings(readings: readonly TileReading[], { metric, unit }: TilePlan): TileReading {
  const known = readings.filter((reading) => !Number.isNaN(reading.value));
  if (known.length === 0) return { ...NOTHING, note: "no samples in the profiling phase" };
  const { shown } = joiningOf(metric.type, unit);
  const combine = JOIN[shown];
  const note = known.find((reading) => reading.note !== undefined)?.note;
  return {
    value: combine(known.map((reading) => reading.value)),
    sparkline: combineLines(
      known.map((reading) => reading.sparkline),
      combine,
    ),
    ...(known.length === 1 ? {} : { combined: joinedText(shown, known.length) }),
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Courses in the same stretches as one. A line that has no value in one stretch keeps the last one: endpoints are not
 * scraped at the same moment.
 */
export function combineLines(
  lines: readonly Float64Array[],
  combine: (values: readonly number[]) => number,
): Float64Array {
  return Float64Array.from({ length: Math.max(0, ...lines.map((line) => line.length)) }, (_, i) => {
    // Where nothing was scraped there is no value, not a sum of 0.
    if (!lines.some((line) => hasValue(line, i))) return NaN;
    const kept = lines.flatMap((line) => line.subarray(Math.max(0, i - 1), i + 1).findLast(isKnown) ?? []);
    return combine(kept);
  });
}

/** NaN stands for what is not known. */
export const isKnown = (value: number) => !Number.isNaN(value);
const hasValue = (line: Float64Array, i: number) => isKnown(line[i] ?? NaN);

/** Does the last third lie clearly above the first, and is it still so? */
function isGrowing(course: Float64Array): boolean {
  const known = course.filter((value) => !Number.isNaN(value));
  const third = Math.floor(known.length / 3);
  if (third < 3) return false;
  const first = moments(known.subarray(0, third));
  const last = moments(known.subarray(known.length - third));
  const now = known[known.length - 1] ?? NaN;
  return (
    now > (first.avg + last.avg) / 2 &&
    last.avg > first.avg + (2 * (first.std + last.std)) / Math.sqrt(third) &&
    last.avg > 1.1 * first.avg
  );
}

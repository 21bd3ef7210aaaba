import type { ConceptMatch } from "./concepts.js";
import { mean } from "../../math/index.js";
import { PERCENTILES, type Labels, type MetricType } from "../../model/index.js";
import {
  betweenRunsDifference,
  canPair,
  NO_DIFFERENCE,
  sharesOf,
  sliceDifference,
  type Sided,
} from "../inference/difference.js";
import { countedIn } from "../inference/few-events.js";
import { meanInfluence, quantileInfluences, ratioInfluence, type Influence } from "../inference/influence.js";
import { boundsShared, once, type GroupOfRun, ratioTrend } from "../run-view.js";
import type { SliceGrid } from "../slices/slices.js";
import type { SourceSeries } from "../source.js";
import type { ComparisonRow, EstimatedDifference, Quantity, SeriesBehind, SideValue } from "../types.js";

/** The series that are compared with each other: for each run those it has, none when it has not. */
export interface SeriesGroup {
  readonly type: MetricType;
  /** Series of different engines, compared by what they are about and not by name. */
  readonly concept?: ConceptMatch;
  /** Of those compared by a concept: their endpoints' role, where all runs are disaggregated. */
  readonly role?: Labels;
  readonly series: readonly (readonly SourceSeries[])[];
}

export interface GroupContext {
  /** Of each run. */
  readonly grids: readonly SliceGrid[];
  /** Positions of the runs of both sides. */
  readonly sets: readonly [baseline: readonly number[], candidate: readonly number[]];
  readonly confidence: number;
  readonly threshold: number;
}

/** What lies between the quantities of both sides. */
export interface GroupDifference {
  readonly difference?: EstimatedDifference;
  /** Why it cannot be judged. */
  readonly obstacle?: string;
  /** All slices of both lie within the threshold of each other: the same, however correlated they are. */
  readonly indistinguishable: boolean;
}

export interface DraftRow extends GroupDifference {
  readonly quantity: Quantity;
  readonly objective?: ComparisonRow["objective"];
  readonly baseline: SideValue;
  readonly candidate: SideValue;
}

/** One quantity of one run. */
export interface RunQuantity extends Omit<Sided, "influence">, Pick<SideValue, "interval"> {
  /** Undefined for a value without slices. */
  readonly influence: () => Influence | undefined;
}

/** So many slices, or observations, alike are no chance. */
const MIN_ALIKE = 4;

const COMPARED_PERCENTILES = [
  { key: "p50", p: 50 },
  { key: "p90", p: 90 },
  { key: "p99", p: 99 },
] as const;

/** One row for each quantity of the group's type. */
export function compareGroup(group: SeriesGroup, views: readonly GroupOfRun[], context: GroupContext): DraftRow[] {
  if (group.type !== "histogram") {
    const quantity: Quantity = group.type === "counter" ? "rate" : "avg";
    return rowOf(quantity, views, views.map(plainQuantity), context);
  }
  const percentiles = views.map(percentileQuantities);
  const obstacle = boundsShared(views)
    ? undefined
    : "the bucket bounds differ, and with them the resolution of the estimates";
  return [
    ...rowOf("avg", views, views.map(plainQuantity), context),
    ...COMPARED_PERCENTILES.flatMap(({ key }, i) =>
      rowOf(
        key,
        views,
        percentiles.map((own) => own?.[i]),
        context,
        { obstacle },
      ),
    ),
  ];
}

/** The ratio of two groups of counters. */
export function compareRatio(
  numerators: readonly GroupOfRun[],
  denominators: readonly GroupOfRun[],
  context: GroupContext,
): DraftRow[] {
  const quantities = denominators.map((below, r): RunQuantity | undefined => {
    const above = numerators[r];
    const value = (above?.measured()?.value ?? NaN) / (below.measured()?.value ?? NaN);
    if (above === undefined || !Number.isFinite(value)) return undefined;
    return {
      value,
      atLeast: false,
      error: 0,
      influence: () => {
        const [a, b] = [above.slices, below.slices];
        return a?.kind === "values" && b?.kind === "values" ? ratioInfluence(a.values, b.values) : undefined;
      },
    };
  });
  const sides = numerators.map((view, r) => ({ ...view, trend: ratioTrend(view.slices, denominators[r]?.slices) }));
  return rowOf("ratio", sides, quantities, context, { below: denominators });
}

/**
 * A row of one quantity; none where no run has it.
 * @param options.obstacle why it cannot be judged between these runs
 * @param options.below of a ratio what the views are divided by
 */
export function rowOf(
  quantity: Quantity,
  views: readonly GroupOfRun[],
  quantities: readonly (RunQuantity | undefined)[],
  context: GroupContext,
  { obstacle, below }: { readonly obstacle?: string | undefined; readonly below?: readonly GroupOfRun[] } = {},
): DraftRow[] {
  if (quantities.every((one) => one === undefined)) return [];
  return [
    {
      quantity,
      baseline: sideOf(context.sets[0], views, quantities, below),
      candidate: sideOf(context.sets[1], views, quantities, below),
      ...differenceOf(quantities, context),
      ...(obstacle === undefined ? {} : { obstacle }),
    },
  ];
}

/** What a set of runs measured: the mean over its runs. */
export function sideOf(
  runs: readonly number[],
  views: readonly GroupOfRun[],
  quantities: readonly (RunQuantity | undefined)[],
  below?: readonly GroupOfRun[],
): SideValue {
  const own = runs.flatMap((r) => quantities[r] ?? []);
  const certain = meanRange(own.map((one) => one.certain));
  const interval = meanRange(own.map((one) => one.interval));
  const first = runs.find((r) => (views[r]?.series ?? []).length > 0) ?? runs[0] ?? 0;
  const behind = (r: number): SeriesBehind => ({
    series: (views[r]?.series ?? []).map(({ endpointUrl, labels }) => ({ endpointUrl, labels })),
    ...(below === undefined ? {} : { below: (below[r]?.series ?? []).map(namedSeries) }),
  });
  return {
    value: mean(own.map(({ value }) => value)),
    ...(own.some(({ atLeast }) => atLeast) ? { atLeast: true } : {}),
    ...(certain === undefined ? {} : { certain }),
    ...(interval === undefined ? {} : { interval }),
    ...behind(first),
    ...(runs.length < 2 ? {} : { repeats: runs.map(behind) }),
    trend: views[first]?.trend ?? new Float64Array(0),
  };
}

function namedSeries({ family, endpointUrl, labels }: SourceSeries) {
  return { family: family.name, endpointUrl, labels };
}

/** Ends of ranges, each the mean over the runs; undefined where there are none. */
function meanRange(ranges: readonly (readonly [number, number] | undefined)[]): readonly [number, number] | undefined {
  const known = ranges.flatMap((range) => (range === undefined ? [] : [range]));
  const mean = (end: 0 | 1) => known.reduce((sum, range) => sum + range[end], 0) / known.length;
  return known.length === 0 ? undefined : [mean(0), mean(1)];
}

/** What lies between the quantities of both sides. */
export function differenceOf(quantities: readonly (RunQuantity | undefined)[], context: GroupContext): GroupDifference {
  const have = (runs: readonly number[]) => runs.filter((r) => quantities[r] !== undefined);
  const [as, bs] = [have(context.sets[0]), have(context.sets[1])];
  const [ra, rb] = [as[0], bs[0]];
  const a = ra === undefined ? undefined : quantities[ra];
  const b = rb === undefined ? undefined : quantities[rb];
  if (a === undefined || b === undefined || ra === undefined || rb === undefined) {
    const where =
      a === undefined && b === undefined ? "either side" : a === undefined ? "the baseline" : "the candidate";
    return { obstacle: `nothing was measured in ${where}`, indistinguishable: false };
  }
  const open = openObstacle(as, bs, quantities);
  if (quantities.length > 2) return { ...repeats(as, bs, quantities, context), ...open };
  const [influenceA, influenceB] = [a.influence(), b.influence()];
  if (influenceA === undefined || influenceB === undefined)
    return {
      difference: {
        ...NO_DIFFERENCE,
        difference: b.value - a.value,
        ...sharesOf(a.value, b.value - a.value, NaN, NaN),
      },
      obstacle: "there are only values, and no slices to measure their uncertainty",
      indistinguishable: false,
    };
  const difference = sliceDifference(
    { ...a, influence: influenceA },
    { ...b, influence: influenceB },
    canPair(context.grids[ra], context.grids[rb]),
    context.confidence,
  );
  // Slices may be alike where the values are not: what lies outside them is part of those.
  const reach = Math.max(
    Math.max(influenceA.max, influenceB.max) - Math.min(influenceA.min, influenceB.min),
    Math.abs(difference.difference),
  );
  const seen = Math.min(influenceA.worth, influenceB.worth) >= MIN_ALIKE;
  return { difference, ...open, indistinguishable: seen && reach <= context.threshold * Math.abs(a.value) };
}

/** Why lower limits are no values to compare; nothing where they are, or where all values are known. */
function openObstacle(
  as: readonly number[],
  bs: readonly number[],
  quantities: readonly (RunQuantity | undefined)[],
): { readonly obstacle?: string } {
  const isOpen = (r: number) => quantities[r]?.atLeast === true;
  if ([...as, ...bs].every(isOpen)) return { obstacle: "it lies beyond the last bucket on both sides" };
  const meanOf = (runs: readonly number[]) => mean(runs.flatMap((r) => quantities[r]?.value ?? []));
  const rise = meanOf(bs) - meanOf(as);
  return (rise < 0 && bs.some(isOpen)) || (rise > 0 && as.some(isOpen))
    ? { obstacle: "only a lower limit of one side is known, and the other side lies above it" }
    : {};
}

function repeats(
  as: readonly number[],
  bs: readonly number[],
  quantities: readonly (RunQuantity | undefined)[],
  context: GroupContext,
): GroupDifference {
  const valuesOf = (runs: readonly number[]) => runs.map((r) => quantities[r]?.value ?? NaN);
  const difference = betweenRunsDifference(valuesOf(as), valuesOf(bs), context.confidence);
  if (difference === undefined)
    return {
      obstacle: "only one run of each side has it, so its spread between repeats is unknown",
      indistinguishable: false,
    };
  return { difference, indistinguishable: false };
}

/** Average of a gauge or histogram, rate of a counter. */
function plainQuantity(view: GroupOfRun): RunQuantity | undefined {
  const value = view.measured()?.value ?? NaN;
  if (Number.isNaN(value)) return undefined;
  return {
    value,
    atLeast: false,
    error: 0,
    influence: () => {
      const { slices } = view;
      if (slices === undefined) return undefined;
      if (slices.kind === "histogram") return ratioInfluence(slices.sums, slices.observed);
      const influence = meanInfluence(slices.values);
      return influence === undefined || view.series[0]?.family.type !== "counter"
        ? influence
        : { ...influence, counted: countedIn(slices.values, view.grid, () => amountOf(view)) };
    },
  };
}

function amountOf({ series }: GroupOfRun): number {
  return series.reduce((sum, { amount }) => sum + amount(), 0);
}

/** Of COMPARED_PERCENTILES; undefined without observations or bounds. */
function percentileQuantities(view: GroupOfRun): readonly (RunQuantity | undefined)[] | undefined {
  const percentiles = view.measured()?.percentiles;
  if (percentiles === undefined) return undefined;
  const influences = once(() => {
    const { slices } = view;
    return slices?.kind === "histogram" && slices.uppers.length > 1 && slices.observed.some((n) => n > 0)
      ? quantileInfluences(
          slices,
          percentiles,
          COMPARED_PERCENTILES.map(({ p }) => p),
        )
      : undefined;
  });
  return COMPARED_PERCENTILES.map(({ p }, i): RunQuantity | undefined => {
    const own = percentiles[PERCENTILES.findIndex((one) => one === p)];
    return own === undefined || Number.isNaN(own.value) ? undefined : { ...own, influence: () => influences()?.[i] };
  });
}

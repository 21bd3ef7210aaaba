import { NS_PER_SECOND, type MetricType } from "../model/index.js";
import { betweenRunsDifference, canPair, sharesOf, sliceDifference, type Difference } from "./difference.js";
import { averageOf, meanOf, ratioOf, type Estimated } from "./estimate.js";
import { COMPARED_QUANTILES, quantileDifferences, quantileValues, type QuantileValue } from "./quantiles.js";
import { aggregateSlices, sharedUppers, type HistogramSlices, type SeriesSlices, type SliceGrid } from "./slices.js";
import type { SourceSeries } from "./source.js";
import { trendOf } from "./trend.js";
import { FEWEST_SLICES } from "./verdict.js";
import type { Quantity, SideValue } from "./types.js";

/** The series that are compared with each other: for each run those it has, none when it has not. */
export interface Group {
  readonly type: MetricType;
  readonly series: readonly (readonly SourceSeries[])[];
}

export interface GroupContext {
  readonly grids: readonly SliceGrid[];
  /** Positions of the runs of the baseline, then of each candidate. */
  readonly sets: readonly (readonly number[])[];
  readonly confidence: number;
  readonly threshold: number;
  readonly seed: number;
  /** That quantiles are estimated from. */
  readonly intervals: number;
}

export interface DraftCell {
  readonly candidate: SideValue;
  readonly difference?: Difference;
  /** Why it cannot be judged. */
  readonly obstacle?: string;
  /** All slices of both lie within the threshold of each other: the same, however correlated they are. */
  readonly indistinguishable: boolean;
}

export interface DraftRow {
  readonly quantity: Quantity;
  readonly baseline: SideValue;
  readonly cells: readonly DraftCell[];
}

/** What one run has of a group. */
export interface RunView {
  readonly series: readonly SourceSeries[];
  readonly slices: SeriesSlices | undefined;
  readonly trend: Float64Array;
}

/** One quantity of one run. */
interface RunQuantity {
  readonly value: number;
  readonly atLeast: boolean;
  /** Absent for a value without slices. */
  readonly estimated?: Estimated;
  readonly histogram?: { readonly slices: HistogramSlices; readonly values: readonly QuantileValue[] };
}

/** Reads a run's series of a group as one. */
export function viewOf(series: readonly SourceSeries[], grid: SliceGrid, gauges: "sum" | "mean"): RunView {
  const parts = series.flatMap((one) => one.slices(grid) ?? []);
  const slices = aggregateSlices(parts, gauges);
  return { series, slices, trend: trendOf(slices) };
}

/** One row for each quantity of the group's type. */
export function compareGroup(group: Group, views: readonly RunView[], context: GroupContext): DraftRow[] {
  if (group.type !== "histogram") {
    const quantity: Quantity = group.type === "counter" ? "rate" : "avg";
    return rowOf(
      quantity,
      views,
      views.map((view) => plainQuantity(view)),
      context,
    );
  }
  const averages = rowOf("avg", views, views.map(averageQuantity), context);
  const quantiles = views.map((view) =>
    view.slices?.kind === "histogram" ? quantileValues(view.slices, context.intervals) : undefined,
  );
  const shared = boundsShared(views);
  const memo = new Map<string, readonly Difference[]>();
  return [
    ...averages,
    ...COMPARED_QUANTILES.flatMap(({ key }, i) => {
      const quantities = views.map((view, r): RunQuantity | undefined => {
        const values = quantiles[r];
        const own = values?.[i];
        if (own !== undefined && values !== undefined && view.slices?.kind === "histogram") {
          return { value: own.value, atLeast: own.atLeast, histogram: { slices: view.slices, values } };
        }
        return pointQuantity(view, `${key}_estimate`);
      });
      return rowOf(
        key,
        views,
        quantities,
        context,
        shared ? undefined : "the bucket bounds differ, and with them what an estimate can see",
        (a, b, ra, rb) => {
          const memoKey = `${ra} ${rb}`;
          let all = memo.get(memoKey);
          if (all === undefined) {
            const paired = pairable(context, ra, rb);
            const { confidence, seed } = context;
            all = quantileDifferences(a.slices, b.slices, { a: a.values, b: b.values }, { paired, confidence, seed });
            memo.set(memoKey, all);
          }
          return all[i];
        },
      );
    }),
  ];
}

/** The ratio of two groups of counters. */
export function compareRatio(
  numerators: readonly RunView[],
  denominators: readonly RunView[],
  context: GroupContext,
): DraftRow[] {
  const quantities = denominators.map((below, r): RunQuantity | undefined => {
    const above = numerators[r]?.slices;
    if (above?.kind !== "values" || below.slices?.kind !== "values") return undefined;
    const estimated = ratioOf(above.values, below.slices.values);
    return estimated === undefined ? undefined : { value: estimated.value, atLeast: false, estimated };
  });
  return rowOf("ratio", numerators, quantities, context);
}

type QuantileCompare = (
  a: NonNullable<RunQuantity["histogram"]>,
  b: NonNullable<RunQuantity["histogram"]>,
  runA: number,
  runB: number,
) => Difference | undefined;

function rowOf(
  quantity: Quantity,
  views: readonly RunView[],
  quantities: readonly (RunQuantity | undefined)[],
  context: GroupContext,
  obstacle?: string,
  quantile?: QuantileCompare,
): DraftRow[] {
  const [baselineRuns = [], ...candidates] = context.sets;
  const baseline = sideOf(baselineRuns, views, quantities);
  if (quantities.every((one) => one === undefined)) return [];
  const cells = candidates.map((runs): DraftCell => {
    const candidate = sideOf(runs, views, quantities);
    const found = differenceOf(baselineRuns, runs, quantities, context, quantile);
    const own = obstacle ?? found.obstacle;
    return {
      candidate,
      ...(found.difference === undefined ? {} : { difference: found.difference }),
      ...(own === undefined ? {} : { obstacle: own }),
      indistinguishable: found.indistinguishable,
    };
  });
  return [{ quantity, baseline, cells }];
}

function sideOf(
  runs: readonly number[],
  views: readonly RunView[],
  quantities: readonly (RunQuantity | undefined)[],
): SideValue {
  const own = runs.flatMap((r) => quantities[r] ?? []);
  const first = runs.map((r) => views[r]).find((view) => view !== undefined && view.series.length > 0);
  return {
    value: own.length === 0 ? NaN : own.reduce((sum, { value }) => sum + value, 0) / own.length,
    ...(own.some(({ atLeast }) => atLeast) ? { atLeast: true } : {}),
    series: (first?.series ?? []).map(({ endpointUrl, labels }) => ({ endpointUrl, labels })),
    trend: first?.trend ?? new Float64Array(0),
  };
}

interface Found {
  readonly difference?: Difference;
  readonly obstacle?: string;
  readonly indistinguishable: boolean;
}

function differenceOf(
  baselineRuns: readonly number[],
  candidateRuns: readonly number[],
  quantities: readonly (RunQuantity | undefined)[],
  context: GroupContext,
  quantile: QuantileCompare | undefined,
): Found {
  const have = (runs: readonly number[]) => runs.filter((r) => quantities[r] !== undefined);
  const [as, bs] = [have(baselineRuns), have(candidateRuns)];
  const [ra, rb] = [as[0], bs[0]];
  const a = ra === undefined ? undefined : quantities[ra];
  const b = rb === undefined ? undefined : quantities[rb];
  if (a === undefined || b === undefined || ra === undefined || rb === undefined) {
    const where =
      a === undefined && b === undefined ? "either side" : a === undefined ? "the baseline" : "the candidate";
    return { obstacle: `nothing was measured in ${where}`, indistinguishable: false };
  }
  if (baselineRuns.length + candidateRuns.length > 2) return repeats(as, bs, quantities, context);
  if (quantile !== undefined && a.histogram !== undefined && b.histogram !== undefined) {
    const difference = quantile(a.histogram, b.histogram, ra, rb);
    if (difference === undefined) return { obstacle: "it has no estimate", indistinguishable: false };
    const reason = "reason" in difference && typeof difference.reason === "string" ? difference.reason : undefined;
    return { difference, ...(reason === undefined ? {} : { obstacle: reason }), indistinguishable: false };
  }
  if (a.estimated === undefined || b.estimated === undefined) {
    return {
      difference: valueDifference(a.value, b.value),
      obstacle: "there are only values, no slices to tell their uncertainty by",
      indistinguishable: false,
    };
  }
  const difference = sliceDifference(a.estimated, b.estimated, pairable(context, ra, rb), context.confidence);
  const reach = Math.max(a.estimated.max, b.estimated.max) - Math.min(a.estimated.min, b.estimated.min);
  const enough = Math.min(a.estimated.slices, b.estimated.slices) >= FEWEST_SLICES;
  return { difference, indistinguishable: enough && reach <= context.threshold * Math.abs(a.value) };
}

function repeats(
  as: readonly number[],
  bs: readonly number[],
  quantities: readonly (RunQuantity | undefined)[],
  context: GroupContext,
): Found {
  const valuesOf = (runs: readonly number[]) => runs.map((r) => quantities[r]?.value ?? NaN);
  const difference = betweenRunsDifference(valuesOf(as), valuesOf(bs), context.confidence);
  if (difference === undefined)
    return {
      obstacle: "only one run of each side has it, so its spread between repeats is unknown",
      indistinguishable: false,
    };
  const bothOpen = [...as, ...bs].every((r) => quantities[r]?.atLeast === true);
  return {
    difference,
    ...(bothOpen ? { obstacle: "it lies beyond the last bucket on both sides" } : {}),
    indistinguishable: false,
  };
}

function valueDifference(a: number, b: number): Difference {
  return {
    difference: b - a,
    low: NaN,
    high: NaN,
    ...sharesOf(a, b - a, NaN, NaN),
    p: NaN,
    effective: NaN,
    slices: 0,
    basis: "values",
  };
}

function pairable({ grids }: GroupContext, a: number, b: number): boolean {
  const [first, second] = [grids[a], grids[b]];
  return first !== undefined && second !== undefined && canPair(first, second);
}

function plainQuantity(view: RunView): RunQuantity | undefined {
  if (view.slices?.kind === "values") {
    const estimated = meanOf(view.slices.values);
    if (estimated !== undefined) return { value: estimated.value, atLeast: false, estimated };
  }
  return pointQuantity(view, "avg") ?? pointQuantity(view, "rate");
}

function averageQuantity(view: RunView): RunQuantity | undefined {
  const estimated = view.slices?.kind === "histogram" ? averageOf(view.slices) : undefined;
  return estimated === undefined ? pointQuantity(view, "avg") : { value: estimated.value, atLeast: false, estimated };
}

/** What the file itself says, of a single series: values of several cannot be joined. */
function pointQuantity({ series }: RunView, statistic: string): RunQuantity | undefined {
  const [only] = series;
  if (series.length !== 1 || only?.result === undefined) return undefined;
  const stats: readonly (readonly [string, number | undefined])[] = Object.entries(only.result.stats);
  const value = stats.find(([key]) => key === statistic)?.[1];
  return value === undefined || Number.isNaN(value) ? undefined : { value, atLeast: false };
}

/** Have all runs the same bounds? */
function boundsShared(views: readonly RunView[]): boolean {
  const layouts = views.flatMap(({ slices }) => (slices?.kind === "histogram" ? [slices.uppers] : []));
  const shared = sharedUppers(layouts);
  return layouts.every((layout) => layout.length === 0 || layout.length === shared.length);
}

/** Restarts that a view has seen. */
export function resetsOf({ slices }: RunView): number {
  return slices?.resets ?? 0;
}

/** Sum of all rates or observations, per second. */
export function totalRate({ slices }: RunView, { length, count }: SliceGrid): number {
  if (slices === undefined) return NaN;
  const values = slices.kind === "values" ? slices.values : slices.observed.map((n) => n / (length / NS_PER_SECOND));
  return values.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0) / Math.max(1, count);
}

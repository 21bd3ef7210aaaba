import { JOIN, joiningOf, shownUnit } from "../catalog/index.js";
import {
  observedTogether,
  NS_PER_SECOND,
  statisticOf,
  type EpochNs,
  type FamilyResult,
  type HistogramResult,
  type Labels,
  type SeriesResult,
} from "../model/index.js";
import { getOrInsert, sum, mean } from "../math/index.js";

/** One value a slice, on the run's grid. */
export interface SignalPoint {
  readonly startNs: EpochNs;
  readonly endNs: EpochNs;
  readonly value: number;
}

export interface SignalBase {
  /** As exposed. */
  readonly family: string;
  readonly unit: string | undefined;
  readonly endpointUrl: string;
  /** Of the only series; none where several were put together. */
  readonly labels: Labels;
}

/** A gauge of one endpoint, its series combined as in tiles: amounts are summed, of shares the largest counts. */
export interface GaugeSignal extends SignalBase {
  readonly avg: number;
  readonly max: number;
  /** Mean of each slice that has samples. */
  readonly means: readonly SignalPoint[];
  /** Largest value of each slice. */
  readonly maxima: readonly SignalPoint[];
}

/** A counter of one endpoint, its series summed; rises across restarts count. */
export interface CounterSignal extends SignalBase {
  readonly total: number;
  readonly rate: number;
  readonly rates: readonly SignalPoint[];
}

/** A histogram of one endpoint. Percentiles of several series are those of the one with the most observations. */
export interface HistogramSignal extends SignalBase {
  readonly count: number;
  readonly sum: number;
  readonly avg: number;
  /** Observations a second. */
  readonly rate: number;
  /** The series with the most observations: buckets and percentiles are its own. */
  readonly main: HistogramResult;
  /** NaN where there is no estimate. */
  readonly percentile: (p: 1 | 10 | 50 | 90 | 99) => number;
  /** Mean of each slice with observations. */
  readonly means: readonly SignalPoint[];
  /** Observations a second, of each slice. */
  readonly rates: readonly SignalPoint[];
}

function baseOf(family: FamilyResult, series: readonly SeriesResult[], endpointUrl: string): SignalBase {
  const [only] = series;
  return {
    family: family.name,
    unit: family.unit,
    endpointUrl,
    labels: series.length === 1 && only !== undefined ? only.labels : [],
  };
}

/** A family's gauge, of one endpoint's series; undefined without a sample in the window, and for another type. */
export function gaugeSignal(family: FamilyResult, endpointUrl: string): GaugeSignal | undefined {
  if (family.type !== "gauge" && family.type !== "unknown") return undefined;
  const known = family.series.filter((each) => !Number.isNaN(statisticOf(each, "avg")));
  if (known.length === 0) return undefined;
  const combine = JOIN[joiningOf(family.type, shownUnit(family)).shown];
  return {
    ...baseOf(family, known, endpointUrl),
    avg: combine(statistics(known, "avg")),
    max: combine(statistics(known, "max")),
    means: pointsOf(known, (slice) => slice.avg, combine),
    maxima: pointsOf(known, (slice) => slice.max, combine),
  };
}

/** A family's counter, of one endpoint's series; undefined without one, and for another type. */
export function counterSignal(family: FamilyResult, endpointUrl: string): CounterSignal | undefined {
  const { type, series } = family;
  if (type !== "counter" || series.length === 0) return undefined;
  return {
    ...baseOf(family, series, endpointUrl),
    total: sum(statistics(series, "total")),
    rate: sum(statistics(series, "rate")),
    rates: pointsOf(series, (slice) => slice.rate, sum),
  };
}

/** A family's histogram, of one endpoint's series; undefined where nothing was observed, and for another type. */
export function histogramSignal(family: FamilyResult, endpointUrl: string): HistogramSignal | undefined {
  const observed = family.type === "histogram" ? observedTogether(family.series) : undefined;
  if (observed === undefined) return undefined;
  const { series: own, main, count, avg } = observed;
  const counts = pointsOf(own, (slice) => slice.count, sum);
  const sums = pointsOf(own, (slice) => slice.sum, sum);
  return {
    ...{ ...baseOf(family, own, endpointUrl), count, sum: observed.sum, avg, main },
    rate: sum(statistics(own, "count_rate")),
    rates: counts.map((point) => ({
      ...point,
      value: (point.value * NS_PER_SECOND) / Number(point.endNs - point.startNs),
    })),
    percentile: (p) => statisticOf(main, `p${p}_estimate`),
    means: sums.flatMap((point, i) => {
      const n = counts[i]?.value ?? 0;
      return n > 0 ? [{ ...point, value: point.value / n }] : [];
    }),
  };
}

/** One value a slice of a whole family: a gauge's level, a counter's rate, a histogram's mean. */
export function pointsOfFamily(family: FamilyResult): readonly SignalPoint[] {
  return (gaugeSignal(family, "") ?? histogramSignal(family, ""))?.means ?? counterSignal(family, "")?.rates ?? [];
}

/** As `pointsOfFamily`, of one series. */
export function pointsOfSeries(series: SeriesResult): readonly SignalPoint[] {
  const alone = ([value = NaN]: readonly number[]) => value;
  switch (series.kind) {
    case "gauge":
      return pointsOf([series], (slice) => slice.avg, alone);
    case "counter":
      return pointsOf([series], (slice) => slice.rate, alone);
    case "histogram":
      return pointsOf([series], ({ count, sum }) => (count > 0 ? sum / count : NaN), alone).filter(
        ({ value }) => !Number.isNaN(value),
      );
  }
}

function statistics(series: readonly SeriesResult[], key: string): readonly number[] {
  return series.map((each) => statisticOf(each, key));
}

interface SliceLike {
  readonly start_ns: EpochNs;
  readonly end_ns: EpochNs;
}

/** Complete slices of several series, joined by their start. */
function pointsOf<S extends SliceLike & { readonly is_complete?: false }>(
  series: readonly { readonly slices?: readonly S[] }[],
  valueOf: (slice: S) => number,
  combine: (values: readonly number[]) => number,
): readonly SignalPoint[] {
  const byStart = new Map<EpochNs, { readonly slice: S; readonly values: number[] }>();
  for (const { slices } of series) {
    for (const slice of slices ?? []) {
      if (slice.is_complete === false) continue;
      getOrInsert(byStart, slice.start_ns, () => ({ slice, values: [] })).values.push(valueOf(slice));
    }
  }
  return [...byStart.values()]
    .sort((a, b) => (a.slice.start_ns < b.slice.start_ns ? -1 : 1))
    .map(({ slice, values }) => ({ startNs: slice.start_ns, endNs: slice.end_ns, value: combine(values) }));
}

/** The values of points by the start of their slice. */
export function byStart(points: readonly SignalPoint[]): ReadonlyMap<EpochNs, number> {
  return new Map(points.map(({ startNs, value }) => [startNs, value]));
}

/** The values of points without their times. */
export function valuesOf(points: readonly SignalPoint[]): readonly number[] {
  return points.map(({ value }) => value);
}

/** Sample standard deviation; 0 for fewer than two. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const m = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - m) ** 2, 0) / (values.length - 1));
}

/** Pearson's correlation of two series on the same slices; NaN where one is constant or fewer than 8 are shared. */
export function correlation(a: readonly SignalPoint[], b: readonly SignalPoint[]): number {
  const others = byStart(b);
  const pairs = a.flatMap(({ startNs, value }) => {
    const other = others.get(startNs);
    return other === undefined ? [] : [[value, other] as const];
  });
  if (pairs.length < 8) return NaN;
  const mx = mean(pairs.map(([x]) => x));
  const my = mean(pairs.map(([, y]) => y));
  let [xx, yy, xy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
    xy += (x - mx) * (y - my);
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

/** Share of points that a test holds for; 0 without points. */
export function share(points: readonly SignalPoint[], test: (value: number) => boolean): number {
  return points.length === 0 ? 0 : points.filter(({ value }) => test(value)).length / points.length;
}

/** Kendall's tau of values against time: 1 rises throughout, −1 falls throughout. */
export function trend(values: readonly number[]): number {
  let concordant = 0;
  let pairs = 0;
  for (let i = 0; i < values.length; i++) {
    for (let j = i + 1; j < values.length; j++) {
      concordant += Math.sign((values[j] ?? 0) - (values[i] ?? 0));
      pairs++;
    }
  }
  return pairs === 0 ? 0 : concordant / pairs;
}

/** Part of the points, by shares of their number. */
export function part(points: readonly SignalPoint[], from: number, to: number): readonly SignalPoint[] {
  return points.slice(Math.floor(points.length * from), Math.max(1, Math.ceil(points.length * to)));
}

/** From `low` at `from` to `high` at `to`, and no further. */
export function ramp(value: number, from: number, to: number, low: number, high: number): number {
  const at = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return low + at * (high - low);
}

/**
 * Standard errors that the largest of so many differences exceeds by chance as seldom as a single one exceeds those
 * given: the tail of a normal distribution falls by a factor of n from z to about √(z² + 2 ln n).
 */
export function adjustedForMany(standardErrors: number, n: number): number {
  return Math.sqrt(standardErrors ** 2 + 2 * Math.log(Math.max(1, n)));
}

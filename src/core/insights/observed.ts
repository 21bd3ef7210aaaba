import {
  canonicalName,
  conceptOf,
  JOIN,
  joiningOf,
  serverOf,
  shownUnit,
  type ConceptId,
  type ServerId,
} from "../catalog/index.js";
import { isClientEndpoint } from "../client/index.js";
import {
  displayName,
  NS_PER_SECOND,
  type CounterResult,
  type EndpointInfo,
  type EpochNs,
  type FamilyResult,
  type GaugeResult,
  type HistogramResult,
  type Labels,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import type { Evidence } from "./types.js";

/** One value a slice, on the run's grid. */
export interface Point {
  readonly startNs: EpochNs;
  readonly endNs: EpochNs;
  readonly value: number;
}

interface SignalBase {
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
  readonly means: readonly Point[];
  /** Largest value of each slice. */
  readonly maxima: readonly Point[];
}

/** A counter of one endpoint, its series summed; rises across restarts count. */
export interface CounterSignal extends SignalBase {
  readonly total: number;
  readonly rate: number;
  readonly rates: readonly Point[];
}

/** A histogram of one endpoint. Percentiles of several series are those of the one with the most observations. */
export interface HistogramSignal extends SignalBase {
  readonly count: number;
  readonly sum: number;
  readonly avg: number;
  readonly results: readonly HistogramResult[];
  /** NaN where there is no estimate. */
  readonly percentile: (p: 1 | 10 | 50 | 90 | 99) => number;
  /** Mean of each slice with observations. */
  readonly means: readonly Point[];
  /** Observations a second, of each slice. */
  readonly rates: readonly Point[];
}

/** What rules ask of a run. Every answer comes from its statistics and slices, so that all formats are answered. */
export class Observed {
  readonly seconds: number;
  private readonly families: readonly { readonly family: FamilyResult; readonly canonical: string }[];

  constructor(readonly run: RunStatistics) {
    this.seconds = Number(run.endNs - run.startNs) / NS_PER_SECOND;
    this.families = run.families
      .filter(({ series }) => !series.every(({ endpointUrl }) => isClientEndpoint(endpointUrl)))
      .map((family) => ({ family, canonical: canonicalName(family.name) }));
  }

  /** Servers with anything captured; a benchmark client is none. */
  endpoints(): readonly string[] {
    return this.run.endpointsSuccessful.filter((url) => !isClientEndpoint(url));
  }

  /** Endpoints that have families of a server which takes part in serving requests, by server. */
  serving(): ReadonlyMap<ServerId, readonly string[]> {
    const byServer = new Map<ServerId, Set<string>>();
    for (const { family } of this.families) {
      const server = serverOf(family.name);
      if (server === undefined || conceptOf(family.name) === undefined) continue;
      const urls = byServer.get(server.id) ?? new Set();
      byServer.set(server.id, urls);
      for (const series of family.series) urls.add(series.endpointUrl);
    }
    return new Map([...byServer].map(([server, urls]) => [server, [...urls].sort()]));
  }

  /** All endpoints of `serving`. */
  servingEndpoints(): readonly string[] {
    return [...new Set([...this.serving().values()].flat())].sort();
  }

  info(endpointUrl: string): EndpointInfo | undefined {
    return this.run.endpointInfo.find(([url]) => url === endpointUrl)?.[1];
  }

  /** Families by a test of their canonical names. */
  find(test: (canonical: string, family: FamilyResult) => boolean): readonly FamilyResult[] {
    return this.families.filter(({ family, canonical }) => test(canonical, family)).map(({ family }) => family);
  }

  /** An endpoint's gauge of a concept or canonical name; undefined without samples. */
  gauge(endpointUrl: string, of: ConceptId | readonly string[]): GaugeSignal | undefined {
    for (const family of this.candidates(of)) {
      if (family.type !== "gauge" && family.type !== "unknown") continue;
      const signal = gaugeSignal(family, on(family.series, endpointUrl), endpointUrl);
      if (signal !== undefined) return signal;
    }
    return undefined;
  }

  counter(endpointUrl: string, of: ConceptId | readonly string[]): CounterSignal | undefined {
    for (const family of this.candidates(of)) {
      if (family.type !== "counter") continue;
      const signal = counterSignal(family, on(family.series, endpointUrl), endpointUrl);
      if (signal !== undefined) return signal;
    }
    return undefined;
  }

  histogram(endpointUrl: string, of: ConceptId | readonly string[]): HistogramSignal | undefined {
    for (const family of this.candidates(of)) {
      if (family.type !== "histogram") continue;
      const signal = histogramSignal(family, on(family.series, endpointUrl), endpointUrl);
      if (signal !== undefined) return signal;
    }
    return undefined;
  }

  /** As `histogram`, of a family that is known already. */
  histogramOf(family: FamilyResult, endpointUrl: string): HistogramSignal | undefined {
    return family.type === "histogram"
      ? histogramSignal(family, on(family.series, endpointUrl), endpointUrl)
      : undefined;
  }

  /** Evidence over the whole window, or over the points that are named. */
  evidence(
    { family, labels, endpointUrl, unit }: SignalBase,
    figure: { readonly statistic: string; readonly value: number; readonly threshold?: number; readonly unit?: string },
    points: readonly Point[] = [],
  ): Evidence {
    const first = points[0];
    const last = points.at(-1);
    const shown = figure.unit ?? unit;
    return {
      family,
      labels,
      endpointUrl,
      statistic: figure.statistic,
      range: { startNs: first?.startNs ?? this.run.startNs, endNs: last?.endNs ?? this.run.endNs },
      value: figure.value,
      ...(shown === undefined || shown === "" ? {} : { unit: shown }),
      ...(figure.threshold === undefined ? {} : { threshold: figure.threshold }),
    };
  }

  /** Evidence of how an endpoint was scraped, over the run unless a range is named. */
  scrapeEvidence(
    endpointUrl: string,
    { statistic, value, unit, threshold }: Pick<Evidence, "statistic" | "value" | "unit" | "threshold">,
    range: Evidence["range"] = { startNs: this.run.startNs, endNs: this.run.endNs },
  ): Evidence {
    return {
      family: "up",
      labels: [],
      endpointUrl,
      statistic,
      range,
      value,
      ...(unit === undefined ? {} : { unit }),
      ...(threshold === undefined ? {} : { threshold }),
    };
  }

  private candidates(of: ConceptId | readonly string[]): readonly FamilyResult[] {
    if (typeof of === "string")
      return this.families
        .filter(({ family }) => conceptOf(family.name)?.concept.id === of)
        .map(({ family }) => family);
    return of.flatMap((name) =>
      this.families.filter(({ canonical }) => canonical === name).map(({ family }) => family),
    );
  }
}

/** host:port of an endpoint, as everywhere. */
export function nameOf(endpointUrl: string): string {
  return displayName(endpointUrl);
}

function on<T extends SeriesResult>(series: readonly T[], endpointUrl: string): readonly T[] {
  return series.filter((each) => each.endpointUrl === endpointUrl);
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

function gaugeSignal(
  family: FamilyResult,
  series: readonly GaugeResult[],
  endpointUrl: string,
): GaugeSignal | undefined {
  const known = series.filter(({ stats }) => stats.avg !== undefined);
  if (known.length === 0) return undefined;
  const combine = JOIN[joiningOf(family.type, shownUnit(family)).shown];
  return {
    ...baseOf(family, known, endpointUrl),
    avg: combine(known.map(({ stats }) => stats.avg ?? 0)),
    max: combine(known.map(({ stats }) => stats.max ?? 0)),
    means: pointsOf(known, (slice) => slice.avg, combine),
    maxima: pointsOf(known, (slice) => slice.max, combine),
  };
}

function counterSignal(
  family: FamilyResult,
  series: readonly CounterResult[],
  endpointUrl: string,
): CounterSignal | undefined {
  if (series.length === 0) return undefined;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...baseOf(family, series, endpointUrl),
    total: sum(series.map(({ stats }) => stats.increase ?? stats.total)),
    rate: sum(series.map(({ stats }) => stats.rate)),
    rates: pointsOf(series, (slice) => slice.rate, sum),
  };
}

function histogramSignal(
  family: FamilyResult,
  series: readonly HistogramResult[],
  endpointUrl: string,
): HistogramSignal | undefined {
  const observed = series.filter(({ stats }) => countOf(stats) > 0);
  const main = observed.reduce<HistogramResult | undefined>(
    (most, each) => (most === undefined || countOf(each.stats) > countOf(most.stats) ? each : most),
    undefined,
  );
  if (main === undefined) return undefined;
  const count = observed.reduce((total, { stats }) => total + countOf(stats), 0);
  const sum = observed.reduce((total, { stats }) => total + (stats.increase_sum ?? stats.sum ?? 0), 0);
  const counts = pointsOf(observed, (slice) => slice.count, total);
  const sums = pointsOf(observed, (slice) => slice.sum, total);
  return {
    ...baseOf(family, observed, endpointUrl),
    count,
    sum,
    avg: sum / count,
    results: observed,
    rates: counts.map((point) => ({
      ...point,
      value: (point.value * NS_PER_SECOND) / Number(point.endNs - point.startNs),
    })),
    percentile: (p) => main.stats[`p${p}_estimate`] ?? NaN,
    means: sums.flatMap((point, i) => {
      const n = counts[i]?.value ?? 0;
      return n > 0 ? [{ ...point, value: point.value / n }] : [];
    }),
  };
}

/** One value a slice of a whole family: a gauge's level, a counter's rate, a histogram's mean. */
export function pointsOfFamily(family: FamilyResult): readonly Point[] {
  switch (family.type) {
    case "gauge":
    case "unknown":
      return gaugeSignal(family, family.series, "")?.means ?? [];
    case "counter":
      return counterSignal(family, family.series, "")?.rates ?? [];
    case "histogram":
      return histogramSignal(family, family.series, "")?.means ?? [];
  }
}

/** As `pointsOfFamily`, of one series. */
export function pointsOfSeries(series: SeriesResult): readonly Point[] {
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

function countOf(stats: HistogramResult["stats"]): number {
  return stats.increase_count ?? stats.count;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
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
): readonly Point[] {
  const byStart = new Map<EpochNs, { readonly slice: S; readonly values: number[] }>();
  for (const { slices } of series) {
    for (const slice of slices ?? []) {
      if (slice.is_complete === false) continue;
      const at = byStart.get(slice.start_ns);
      if (at === undefined) byStart.set(slice.start_ns, { slice, values: [valueOf(slice)] });
      else at.values.push(valueOf(slice));
    }
  }
  return [...byStart.values()]
    .sort((a, b) => (a.slice.start_ns < b.slice.start_ns ? -1 : 1))
    .map(({ slice, values }) => ({ startNs: slice.start_ns, endNs: slice.end_ns, value: combine(values) }));
}

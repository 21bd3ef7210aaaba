import type { Family, MetricType, Labels, BoundText } from "./series.js";
import type { EpochNs } from "./time.js";
import type { JsonObject } from "../text/json.js";
import type { TimeRange, Phase } from "./run-metadata.js";

export const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99] as const;
export type Percentile = (typeof PERCENTILES)[number];
export type PercentileKey = `p${Percentile}`;
export type EstimateKey = `${PercentileKey}_estimate`;
export type IntervalKey = `${PercentileKey}_interval`;

const GAUGE_STATISTICS = ["avg", "min", "max", "std", ...PERCENTILES.map((p) => `p${p}`)];
/** The statistics of every series of a type, as the artifacts spell them and in the order of their columns. */
export const STATISTICS: Readonly<Record<MetricType, readonly string[]>> = {
  gauge: GAUGE_STATISTICS,
  unknown: GAUGE_STATISTICS,
  counter: ["total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"],
  histogram: ["count", "count_rate", "sum", "sum_rate", "avg", ...PERCENTILES.map((p) => `p${p}_estimate`)],
};
/** Those of some series only: of one with NaN samples, and of one that restarted. */
export const RARE_STATISTICS: Readonly<Record<MetricType, readonly string[]>> = {
  gauge: ["gaps"],
  unknown: ["gaps"],
  counter: ["resets", "gaps"],
  histogram: ["resets"],
};

/** Keys as the artifacts spell them. */
export type GaugeStatKey = "avg" | "min" | "max" | "std" | PercentileKey;

/** Gauge and unknown. `gaps`: NaN or infinite samples in the window, only when there were any. */
export type GaugeStats = { readonly [K in GaugeStatKey]?: number } & { readonly gaps?: number };

/**
 * What a counter did in the window: the sum of its rises, across restarts, and from 0 where it was born during the run.
 * So are the rates.
 */
export type CounterStats = {
  readonly total: number;
  /** Per second. */
  readonly rate: number;
  readonly rate_avg?: number;
  readonly rate_min?: number;
  readonly rate_max?: number;
  readonly rate_std?: number;
  /** Only when a reset was seen. */
  readonly resets?: number;
  /** NaN or infinite samples in the window, only when there were any. */
  readonly gaps?: number;
};

/** What a histogram observed in the window, counted as a counter's rises are. */
export type HistogramStats = {
  readonly count: number;
  readonly sum?: number;
  readonly avg?: number;
  readonly count_rate?: number;
  readonly sum_rate?: number;
  readonly resets?: number;
} & { readonly [K in EstimateKey]?: number };

export type EstimateIntervals = { readonly [K in IntervalKey]?: readonly [low: number, high: number] };

/** One quantile of all observations, in the metric's unit. NaN without observations. */
export interface QuantileEstimate {
  /** The best estimate; always inside [lower, upper]. */
  readonly value: number;
  /** Hard interval: the bounds of the bucket that must contain the quantile. Infinite where a bucket is open. */
  readonly lower: number;
  readonly upper: number;
  /** Holds the quantile of what was observed in 90 % of the cases; inside [lower, upper]. */
  readonly interval: readonly [low: number, high: number];
  /** What Prometheus' `histogram_quantile` gives for the same buckets. */
  readonly linear: number;
  /** The quantile lies in the +Inf bucket, so `value` is an extrapolation. */
  readonly extrapolated: boolean;
  /** Why `value` is the linear estimate. */
  readonly note?: string;
}

export interface SliceTimes {
  readonly start_ns: EpochNs;
  readonly end_ns: EpochNs;
  /** Absent when complete. */
  readonly is_complete?: false;
}

/** Cumulative increase per bound. */
export type BucketCounts = readonly (readonly [BoundText, number])[];

export type GaugeSlice = SliceTimes & { readonly avg: number; readonly min: number; readonly max: number };
export type CounterSlice = SliceTimes & { readonly total: number; readonly rate: number };
export type HistogramSlice = SliceTimes & {
  readonly count: number;
  readonly sum: number;
  readonly avg: number;
  readonly buckets: BucketCounts;
};

/**
 * AIPerf's own numbers of a series (last sample less reference), which the artifacts have; only where they differ, as
 * the series restarted or was born. Nothing else reads them but what tells of the difference.
 */
interface AiperfCounter {
  readonly stats: Omit<CounterStats, "resets" | "gaps">;
  readonly slices?: readonly CounterSlice[];
}
export interface AiperfHistogram {
  readonly stats: Pick<HistogramStats, "count" | "sum" | "avg" | "count_rate" | "sum_rate">;
  readonly buckets?: BucketCounts;
  readonly slices?: readonly HistogramSlice[];
}

/** What tells a series of a family from the others. */
export interface LabelledSeries {
  readonly endpointUrl: string;
  readonly labels: Labels;
}

export type GaugeResult = LabelledSeries & {
  readonly kind: "gauge";
  readonly stats: GaugeStats;
  readonly slices?: readonly GaugeSlice[];
  /** Of the length that findings are read from, beside those of the run; absent where these are read. */
  readonly fineSlices?: readonly GaugeSlice[];
};
export type CounterResult = LabelledSeries & {
  readonly kind: "counter";
  /**
   * From the reference to the last sample: what the rates run over. Not part of an artifact; absent when read from one.
   */
  readonly seconds?: number;
  /** Its first time, where it appeared during the run and began at 0. */
  readonly born?: EpochNs;
  readonly stats: CounterStats;
  readonly slices?: readonly CounterSlice[];
  /** As a gauge's. */
  readonly fineSlices?: readonly CounterSlice[];
  readonly aiperf?: AiperfCounter;
};
export type HistogramResult = LabelledSeries & {
  readonly kind: "histogram";
  /** As a counter's. */
  readonly seconds?: number;
  /** As a counter's. */
  readonly born?: EpochNs;
  readonly stats: HistogramStats;
  readonly buckets?: BucketCounts;
  readonly slices?: readonly HistogramSlice[];
  /** As a gauge's. */
  readonly fineSlices?: readonly HistogramSlice[];
  readonly aiperf?: AiperfHistogram;
  /** Of each of PERCENTILES, behind the estimates in `stats`; not part of an artifact. Absent without observations. */
  readonly estimates?: readonly QuantileEstimate[];
  /** 90 % intervals of the estimates, as the JSON artifact has them beside these. */
  readonly intervals?: EstimateIntervals;
  /** What is to be known of all of them: why they are linear. Part of the JSON artifact. */
  readonly estimateNote?: string;
};
/** Gauge and unknown families give GaugeResults. */
export type SeriesResult = GaugeResult | CounterResult | HistogramResult;

interface FamilyResultBase {
  readonly name: string;
  readonly description: string;
  readonly unit?: string;
}
/** One family over all endpoints, its series sorted by endpoint, then labels. */
export type FamilyResult =
  | (FamilyResultBase & { readonly type: "gauge" | "unknown"; readonly series: readonly GaugeResult[] })
  | (FamilyResultBase & { readonly type: "counter"; readonly series: readonly CounterResult[] })
  | (FamilyResultBase & { readonly type: "histogram"; readonly series: readonly HistogramResult[] });

/** A family of those series that are of its type. */
export function familyResult(
  { name, type, description }: Pick<Family, "name" | "type" | "description">,
  unit: string | undefined,
  series: readonly SeriesResult[],
): FamilyResult {
  const base = { name, description, ...(unit === undefined ? {} : { unit }) };
  switch (type) {
    case "counter":
      return { ...base, type, series: series.filter((result) => result.kind === "counter") };
    case "histogram":
      return { ...base, type, series: series.filter((result) => result.kind === "histogram") };
    case "gauge":
    case "unknown":
      return { ...base, type, series: series.filter((result) => result.kind === "gauge") };
  }
}

/** Over the whole capture, not the window. */
export interface EndpointInfo {
  readonly total_fetches: number;
  /** Scrapes that were made and gave no metrics; only when there were any. Ours beside AIPerf's keys. */
  readonly failed_fetches?: number;
  /** The last of those: later than `last_fetch_ns` where the endpoint did not answer to the end. */
  readonly last_failure_ns?: EpochNs;
  readonly first_fetch_ns: EpochNs;
  readonly last_fetch_ns: EpochNs;
  readonly avg_fetch_latency_ms: number;
  readonly unique_updates: number;
  readonly first_update_ns: EpochNs;
  readonly last_update_ns: EpochNs;
  readonly duration_seconds: number;
  readonly avg_update_interval_ms?: number;
  readonly median_update_interval_ms?: number;
  /** Between scrapes that gave metrics, whether these had changed or not. Ours beside AIPerf's keys. */
  readonly median_fetch_interval_ms?: number;
}

/** What is said of a run over one window beside its families. */
export interface RunFacts {
  readonly benchmarkId: string;
  readonly startNs: EpochNs;
  readonly endNs: EpochNs;
  readonly endpointsConfigured: readonly string[];
  /** In configured order. */
  readonly endpointsSuccessful: readonly string[];
  /** Sorted by URL. */
  readonly endpointInfo: readonly (readonly [url: string, info: EndpointInfo])[];
  readonly inputConfig: JsonObject;
  /** The phase that the families are of; absent: profiling. */
  readonly phase?: Phase;
}

/** All that a JSON artifact holds: the statistics of a run over one window. */
export interface RunStatistics extends RunFacts {
  /** Sorted by name. */
  readonly families: readonly FamilyResult[];
  /** Of a run with a warm-up: its window and the statistics over it alone. */
  readonly warmup?: WarmupStatistics;
}

/** Values of the warm-up, which never count to those of profiling. */
export interface WarmupStatistics extends TimeRange {
  /** As the run's; empty when no series has a sample in it. */
  readonly families: readonly FamilyResult[];
}

import type { LeftOutFile } from "../model/files.js";

/** A value with its 95 % interval, where the data tell one. */
export interface Estimated {
  readonly value: number;
  readonly interval?: readonly [low: number, high: number];
}

export const SWEEP_LATENCIES = ["request-latency", "ttft", "inter-token-latency"] as const;
export type SweepLatency = (typeof SWEEP_LATENCIES)[number];

export const SWEEP_STATISTICS = ["avg", "p50", "p90", "p99"] as const;
export type SweepStatistic = (typeof SWEEP_STATISTICS)[number];

/** What is shown of a sweep. */
export interface SweepOptions {
  /** Absent: request latency, or what all runs have. */
  readonly latency?: SweepLatency;
  /** Absent: the average. */
  readonly statistic?: SweepStatistic;
}

/** Columns of latencies in the library, in seconds. */
export const LATENCY_COLUMNS = { "request-latency": "latency", ttft: "ttft", "inter-token-latency": "itl" } as const;
export type LatencyColumn = (typeof LATENCY_COLUMNS)[SweepLatency];

/**
 * What was measured of a run, by the library's columns: requests and tokens a second, and latencies, of which each
 * column is the average and has `.p50`, `.p90` and `.p99` beside it.
 */
export type Figures = {
  readonly [C in "requests" | "tokens" | LatencyColumn | `${LatencyColumn}.${Exclude<SweepStatistic, "avg">}`]?:
    Estimated | undefined;
};

/** The column of a statistic of a latency. */
export function latencyFigure(latency: SweepLatency, statistic: SweepStatistic): keyof Figures {
  const column = LATENCY_COLUMNS[latency];
  return statistic === "avg" ? column : `${column}.${statistic}`;
}

/** What the load of a run was set to, or was. */
export interface SweepLoad {
  readonly kind: "concurrency" | "request rate";
  readonly value: number;
}

/** One run of a sweep as it was measured. */
export interface SweepRun {
  /** File to open for it. */
  readonly path: string;
  /** What tells its series from others: folders and settings, without the load; "" of the only one. */
  readonly configuration: string;
  /** Absent where nothing tells. */
  readonly load?: SweepLoad;
  readonly figures: Figures;
  readonly source: "client" | "server";
}

/** One load of one configuration: a run, or repeats of it together. */
export interface SweepPoint {
  /** Of each repeat; the first is opened. */
  readonly paths: readonly string[];
  readonly load?: SweepLoad;
  readonly throughput: Estimated;
  readonly latency: Estimated;
  readonly run: SweepRun;
  /** No other point of the sweep has at least this throughput at no more latency. */
  readonly pareto: boolean;
}

export interface SweepSeries {
  readonly configuration: string;
  /** In the order of their load. */
  readonly points: readonly SweepPoint[];
  /** Index of the point at the knee; absent where the curve does not bend. */
  readonly knee?: number;
}

/** The runs of a folder as a sweep reads them. */
export interface SweepRuns {
  readonly runs: readonly SweepRun[];
  /** Those that could not be read, with the reason. */
  readonly skipped: readonly LeftOutFile[];
}

export interface Sweep {
  readonly latency: SweepLatency;
  readonly statistic: SweepStatistic;
  readonly throughput: { readonly title: string; readonly unit: "tokens/s" | "requests/s" };
  readonly series: readonly SweepSeries[];
  /** Runs that have no point, with the reason. */
  readonly skipped: readonly LeftOutFile[];
}

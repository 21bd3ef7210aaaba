import type { LeftOutFile } from "../model/left-out.js";

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

/** A latency of one run, in seconds. */
export type LatencyStatistics = { readonly [S in SweepStatistic]?: Estimated };

/** What the load of a run was set to, or was. */
export interface SweepLoad {
  readonly kind: "concurrency" | "request rate";
  readonly value: number;
}

/** What was measured of a run. */
export interface Figures {
  /** Per second. */
  readonly requestThroughput?: Estimated;
  /** Tokens per second. */
  readonly tokenThroughput?: Estimated;
  readonly latencies: { readonly [L in SweepLatency]?: LatencyStatistics };
  readonly source: "client" | "server";
}

/** One run of a sweep as it was measured. */
export interface SweepRun extends Figures {
  /** File to open for it. */
  readonly path: string;
  /** What tells its series from others: folders and settings, without the load; "" of the only one. */
  readonly configuration: string;
  /** Absent where nothing tells. */
  readonly load?: SweepLoad;
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

import type { EpochNs, PercentileKey, Problem } from "../model/index.js";

export type ClientTool = "AIPerf" | "GuideLLM" | "vLLM bench" | "inference-perf" | "llm-d";

/** One request as the client saw it. Durations in seconds; what the tool did not record is absent. */
export interface ClientRequest {
  readonly start: EpochNs;
  /** When it was over, also of a failed one: until then it was in flight. */
  readonly end: EpochNs;
  readonly outcome: "completed" | "failed" | "cancelled";
  readonly timeToFirstToken?: number | undefined;
  /** To the last content. */
  readonly latency?: number | undefined;
  /** Mean of the request: (latency − time to first token) / (output tokens − 1). */
  readonly interTokenLatency?: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Other figures of the request, by family name. */
  readonly others?: readonly (readonly [family: string, value: number])[];
}

/** Statistics of one metric over all completed requests. A scalar such as a throughput has an average only. */
export type ClientStatistics = {
  readonly avg: number;
  readonly min?: number;
  readonly max?: number;
  readonly std?: number;
  readonly count?: number;
} & { readonly [K in PercentileKey]?: number };

export interface ClientMetric {
  /** Family name: `client:time_to_first_token_seconds`. */
  readonly family: string;
  readonly stats: ClientStatistics;
}

/** Time slices of a client whose requests are not at hand. */
export interface ClientSlice {
  /** Number from 0 over the slices that have requests. */
  readonly index: number;
  readonly metrics: readonly ClientMetric[];
}

/** What one benchmark at one load measured on the client's side. */
export interface ClientResult {
  readonly tool: ClientTool;
  readonly model?: string | undefined;
  readonly label?: string | undefined;
  readonly benchmarkId?: string | undefined;
  /** Requests in flight that the load was set to. */
  readonly concurrency?: number | undefined;
  /** Requests per second that the load was set to. */
  readonly requestRate?: number | undefined;
  /** Other settings that tell one configuration of a sweep from another. */
  readonly configuration: Readonly<Record<string, string>>;
  /** Empty where the file has statistics only. */
  readonly requests: readonly ClientRequest[];
  /** As the tool wrote them. */
  readonly stored: readonly ClientMetric[];
  readonly slices?: { readonly seconds: number; readonly slices: readonly ClientSlice[] };
  readonly durationSeconds?: number | undefined;
  /** End of the run in local time of an unknown zone, as if UTC; absent where request times are wall-clock times. */
  readonly localEnd?: EpochNs;
  readonly notices: readonly Problem[];
}

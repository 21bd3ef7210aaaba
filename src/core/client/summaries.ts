import { epochNs, type EpochNs } from "../model/index.js";
import { fieldsOf, isFields, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, storedIn, type StoredPlace } from "./metrics.js";
import { listOf, numberAt, numberOf, textAt, valueAt } from "./lenient.js";
import type { ClientResult } from "./types.js";

/*
 * Files that hold what a client measured as statistics alone: inference-perf's summary and stages, and llm-d's
 * Benchmark Report (0.1 and 0.2), which stands for the results of any load generator.
 */

/** Whether it is inference-perf's `summary_lifecycle_metrics.json`, or that of one stage. */
export function isInferencePerf(file: unknown): file is Fields {
  return isFields(file) && isFields(file["load_summary"]) && isFields(file["successes"]);
}

const INFERENCE_PERF: readonly StoredPlace[] = [
  [CLIENT.timeToFirstToken, "s", "latency.time_to_first_token"],
  [CLIENT.interTokenLatency, "s", "latency.time_per_output_token"],
  [CLIENT.latency, "s", "latency.request_latency"],
  [CLIENT.inputLength, undefined, "prompt_tokens", "prompt_len"],
  // By its own tokenizer, as its times per token are, beside what the server says.
  [CLIENT.outputLength, undefined, "output_len", "output_tokens"],
  [CLIENT.usageTokens, undefined, "output_tokens"],
  [CLIENT_RATES.requests, undefined, "throughput.requests_per_sec"],
  [CLIENT_RATES.outputTokens, undefined, "throughput.output_tokens_per_sec"],
];

export function readInferencePerf(file: Fields): ClientResult {
  return {
    tool: "inference-perf",
    requestRate: numberAt(file, "load_summary.requested_rate"),
    configuration: {},
    requests: [],
    stored: storedIn(file["successes"], INFERENCE_PERF),
    durationSeconds: numberAt(file, "benchmark_time_seconds"),
    notices: [],
  };
}

/** Whether it is llm-d's Benchmark Report. */
export function isBenchmarkReport(file: unknown): file is Fields {
  return (
    isFields(file) && isReportVersion(file["version"]) && isFields(file["scenario"]) && isFields(performanceOf(file))
  );
}

function isReportVersion(version: unknown): boolean {
  return /^0\.[12](?:\.\d+)?$/.test(String(version));
}

/** Whether a text begins as one, JSON or YAML. */
export function beginsAsReport(head: string): boolean {
  return (
    /^\s*\{?\s*"?version"?\s*:\s*["']?0\.[12](?:\.\d+)?["']?\s*(?:,|$)/m.test(head.slice(0, 4096)) &&
    /(?:^|[{,\s])"?scenario"?\s*:/.test(head)
  );
}

/** What users saw: of 0.2 below `results`, of 0.1 in `metrics`. */
function performanceOf(file: Fields): unknown {
  return valueAt(file, "results.request_performance.aggregate", "metrics");
}

const REPORT: readonly StoredPlace[] = [
  [CLIENT.timeToFirstToken, undefined, "latency.time_to_first_token"],
  [CLIENT.interTokenLatency, undefined, "latency.time_per_output_token", "latency.inter_token_latency"],
  [CLIENT.latency, undefined, "latency.request_latency"],
  [CLIENT.inputLength, undefined, "requests.input_length"],
  [CLIENT.outputLength, undefined, "requests.output_length"],
  [CLIENT_RATES.requests, undefined, "throughput.request_rate", "throughput.requests_per_sec"],
  [CLIENT_RATES.outputTokens, undefined, "throughput.output_token_rate", "throughput.output_tokens_per_sec"],
];

export function readBenchmarkReport(file: Fields): ClientResult {
  const performance = performanceOf(file);
  const scenario = fieldsOf(file["scenario"]);
  const load = valueAt(scenario, "load.standardized", "load");
  const time = valueAt(file, "run.time") ?? valueAt(performance, "time");
  const stage = numberAt(load, "stage");
  const end = timeOf(valueAt(time, "end", "stop"));
  const start = timeOf(valueAt(time, "start"));
  return {
    tool: "llm-d",
    model: modelOf(scenario),
    label: [textAt(load, "tool", "name"), ...(stage === undefined ? [] : [`stage ${stage}`])].join(" ").trim(),
    benchmarkId: textAt(file, "run.uid"),
    concurrency: numberAt(load, "concurrency"),
    requestRate: numberAt(load, "rate_qps"),
    configuration: {},
    requests: [],
    stored: storedIn(performance, REPORT),
    durationSeconds:
      numberAt(time, "duration") ?? (start === undefined || end === undefined ? undefined : Number(end - start) / 1e9),
    ...(end === undefined ? {} : { localEnd: end }),
    notices: [],
  };
}

/** The model of the first engine that names one. */
function modelOf(scenario: Fields): string | undefined {
  const components = listOf(scenario["stack"]).map((one) => valueAt(one, "standardized"));
  return [...components, scenario].flatMap((one) => textAt(one, "model.name") ?? [])[0];
}

/** Seconds since the epoch, or a date; YAML may have made a Date of it. */
function timeOf(value: unknown): EpochNs | undefined {
  const seconds = numberOf(value) ?? Date.parse(value instanceof Date ? value.toISOString() : String(value)) / 1000;
  return Number.isFinite(seconds) ? epochNs(BigInt(Math.round(seconds * 1e6)) * 1000n) : undefined;
}

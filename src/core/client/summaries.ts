import { epochNs, type EpochNs } from "../model/index.js";
import { fieldsOf, isFields, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, inBaseUnit, storedStatistics } from "./metrics.js";
import { numberOf, textOf } from "./lenient.js";
import type { ClientMetric, ClientResult } from "./types.js";

/*
 * Files that hold what a client measured as statistics alone: inference-perf's summary and stages, and llm-d's
 * Benchmark Report (0.1 and 0.2), which stands for the results of any load generator.
 */

/** Whether it is inference-perf's `summary_lifecycle_metrics.json`, or that of one stage. */
export function isInferencePerf(file: unknown): file is Fields {
  return isFields(file) && isFields(file["load_summary"]) && isFields(file["successes"]);
}

export function readInferencePerf(file: Fields): ClientResult {
  const { latency, throughput, ...lengths } = fieldsOf(file["successes"]);
  const [latencies, rates] = [fieldsOf(latency), fieldsOf(throughput)];
  return {
    tool: "inference-perf",
    requestRate: numberOf(fieldsOf(file["load_summary"])["requested_rate"]),
    configuration: {},
    requests: [],
    stored: [
      ...metric(CLIENT.timeToFirstToken, latencies["time_to_first_token"], "s"),
      ...metric(CLIENT.interTokenLatency, latencies["time_per_output_token"], "s"),
      ...metric(CLIENT.latency, latencies["request_latency"], "s"),
      ...metric(CLIENT.inputLength, lengths["prompt_tokens"] ?? lengths["prompt_len"]),
      // By its own tokenizer, as its times per token are, beside what the server says.
      ...metric(CLIENT.outputLength, lengths["output_len"] ?? lengths["output_tokens"]),
      ...metric(CLIENT.usageTokens, lengths["output_tokens"]),
      ...metric(CLIENT_RATES.requests, { mean: rates["requests_per_sec"] }),
      ...metric(CLIENT_RATES.outputTokens, { mean: rates["output_tokens_per_sec"] }),
    ],
    durationSeconds: numberOf(file["benchmark_time_seconds"]),
    notices: [],
  };
}

/** Whether it is llm-d's Benchmark Report. */
export function isBenchmarkReport(file: unknown): file is Fields {
  return (
    isFields(file) && isReportVersion(file["version"]) && isFields(file["scenario"]) && performanceOf(file) !== null
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

/** What users saw: of 0.2 below `results`, of 0.1 in `metrics`; null without it. */
function performanceOf(file: Fields): Fields | null {
  const { request_performance: performance } = fieldsOf(file["results"]);
  const found = fieldsOf(performance)["aggregate"] ?? file["metrics"];
  return isFields(found) ? found : null;
}

export function readBenchmarkReport(file: Fields): ClientResult {
  const performance = performanceOf(file) ?? {};
  const [latency, throughput] = [fieldsOf(performance["latency"]), fieldsOf(performance["throughput"])];
  const requests = fieldsOf(performance["requests"]);
  const [run, scenario] = [fieldsOf(file["run"]), fieldsOf(file["scenario"])];
  const load = fieldsOf(fieldsOf(scenario["load"])["standardized"] ?? scenario["load"]);
  const time = fieldsOf(run["time"] ?? performance["time"]);
  const stage = numberOf(load["stage"]);
  const end = timeOf(time["end"] ?? time["stop"]);
  const start = timeOf(time["start"]);
  return {
    tool: "llm-d",
    model: modelOf(scenario),
    label: [textOf(load["tool"] ?? load["name"]), ...(stage === undefined ? [] : [`stage ${stage}`])].join(" ").trim(),
    benchmarkId: textOf(run["uid"]),
    concurrency: numberOf(load["concurrency"]),
    requestRate: numberOf(load["rate_qps"]),
    configuration: {},
    requests: [],
    stored: [
      ...metric(CLIENT.timeToFirstToken, latency["time_to_first_token"]),
      ...metric(CLIENT.interTokenLatency, latency["time_per_output_token"] ?? latency["inter_token_latency"]),
      ...metric(CLIENT.latency, latency["request_latency"]),
      ...metric(CLIENT.inputLength, requests["input_length"]),
      ...metric(CLIENT.outputLength, requests["output_length"]),
      ...metric(CLIENT_RATES.requests, throughput["request_rate"] ?? { mean: throughput["requests_per_sec"] }),
      ...metric(
        CLIENT_RATES.outputTokens,
        throughput["output_token_rate"] ?? { mean: throughput["output_tokens_per_sec"] },
      ),
    ],
    durationSeconds:
      numberOf(time["duration"]) ?? (start === undefined || end === undefined ? undefined : Number(end - start) / 1e9),
    ...(end === undefined ? {} : { localEnd: end }),
    notices: [],
  };
}

/** @param unit where the statistics do not say theirs: "s", "ms/token" */
function metric(family: string, value: unknown, unit?: string): readonly ClientMetric[] {
  const stats = fieldsOf(value);
  const own = textOf(stats["units"] ?? unit)?.replace(/\/token$/, "");
  const read = storedStatistics(stats, (number) => inBaseUnit(number, own));
  return read === undefined ? [] : [{ family, stats: read }];
}

/** The model of the first engine that names one. */
function modelOf(scenario: Fields): string | undefined {
  const stack: unknown = scenario["stack"];
  const components = Array.isArray(stack) ? stack.map((one: unknown) => fieldsOf(fieldsOf(one)["standardized"])) : [];
  return [...components, scenario].flatMap(({ model }) => textOf(fieldsOf(model)["name"]) ?? [])[0];
}

/** Seconds since the epoch, or a date; YAML may have made a Date of it. */
function timeOf(value: unknown): EpochNs | undefined {
  const seconds = numberOf(value) ?? Date.parse(value instanceof Date ? value.toISOString() : String(value)) / 1000;
  return Number.isFinite(seconds) ? epochNs(BigInt(Math.round(seconds * 1e6)) * 1000n) : undefined;
}

import { epochNs, warningOf } from "../model/index.js";
import { fieldsOf, isFields, parseJson, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, familyOfTag, inBaseUnit, storedStatistics } from "./metrics.js";
import { listOf, numberAt, numberOf, textAt, textOf, valueAt } from "./lenient.js";
import type { ClientMetric, ClientRequest, ClientResult, ClientSlice } from "./types.js";

/** Tags of AIPerf that have a family of ours; the others are named after their tag. */
const FAMILIES: Readonly<Record<string, string>> = {
  time_to_first_token: CLIENT.timeToFirstToken,
  inter_token_latency: CLIENT.interTokenLatency,
  request_latency: CLIENT.latency,
  input_sequence_length: CLIENT.inputLength,
  output_sequence_length: CLIENT.outputLength,
  request_throughput: CLIENT_RATES.requests,
  output_token_throughput: CLIENT_RATES.outputTokens,
};

/** Given for the whole benchmark by other figures. */
const NOT_OF_A_REQUEST = new Set(["error_isl"]);

/** Whether a line is a record of one request. */
export function isAiperfRecord(line: unknown): line is Fields {
  return isFields(line) && numberAt(line, "metadata.request_start_ns") !== undefined;
}

/**
 * A line of `profile_export.jsonl`. Requests of the warm-up give nothing: AIPerf's statistics leave them out.
 * @throws Error saying what is wrong with it
 */
export function readAiperfRecord(text: string): ClientRequest | undefined {
  const line = parseJson(text);
  if (!isAiperfRecord(line)) throw new Error("metadata.request_start_ns was expected");
  const metadata = fieldsOf(line["metadata"]);
  if (metadata["benchmark_phase"] === "warmup") return undefined;
  const metrics = fieldsOf(line["metrics"]);
  const start = numberOf(metadata["request_start_ns"]) ?? NaN;
  const cancelled = metadata["was_cancelled"] === true;
  const failed = isFields(line["error"]) || textOf(line["error"]) !== undefined;
  const value = (tag: string): number | undefined => {
    const { value: number, unit } = fieldsOf(metrics[tag]);
    const known = numberOf(number);
    return known === undefined ? undefined : inBaseUnit(known, textOf(unit) ?? (TIMES.has(tag) ? "ms" : undefined));
  };
  const latency = value("request_latency");
  const end = numberOf(metadata["request_end_ns"]) ?? start + Math.round((latency ?? 0) * 1e9);
  return {
    start: epochNs(BigInt(Math.round(start))),
    end: epochNs(BigInt(Math.round(Math.max(start, end)))),
    outcome: cancelled ? "cancelled" : failed ? "failed" : "completed",
    timeToFirstToken: value("time_to_first_token"),
    latency,
    interTokenLatency: value("inter_token_latency"),
    inputTokens: value("input_sequence_length"),
    outputTokens: value("output_sequence_length"),
    others: Object.entries(metrics).flatMap(([tag, metric]) => {
      const { value: number, unit } = fieldsOf(metric);
      const known = numberOf(number);
      if (known === undefined || FAMILIES[tag] !== undefined || NOT_OF_A_REQUEST.has(tag)) return [];
      return [[familyOfTag(tag, textOf(unit)), inBaseUnit(known, textOf(unit))] as const];
    }),
  };
}

const TIMES = new Set(["time_to_first_token", "inter_token_latency", "request_latency"]);

/** Whether it is `profile_export_aiperf.json`. Server metrics and aggregates of several runs are not. */
export function isAiperfSummary(file: unknown): file is Fields {
  if (!isFields(file) || isFields(file["metrics"]) || file["aggregation_type"] !== undefined) return false;
  if (fieldsOf(file["metadata"])["aggregation_type"] !== undefined) return false;
  return numberAt(file, "request_latency.avg", "request_throughput.avg", "request_count.avg") !== undefined;
}

/** `profile_export_aiperf.json`: statistics of the whole benchmark and how it was set up. */
export function readAiperfSummary(file: Fields): ClientResult {
  const phases = listOf(valueAt(file, "input_config.phases")).map(fieldsOf);
  const phase = phases.find(({ name, type }) => name === "profiling" || type === "profiling") ?? phases.at(-1);
  const varied = Object.entries(fieldsOf(valueAt(file, "run_info.variation_values"))).flatMap(([path, value]) =>
    typeof value === "string" || typeof value === "number" ? [{ path, name: path.split(".").at(-1) ?? "", value }] : [],
  );
  const variedOf = (name: string) => numberOf(varied.find((one) => one.name === name)?.value);
  const loadgen = "input_config.loadgen";
  return {
    tool: "AIPerf",
    model: textAt(file, "input_config.models.items.0.name", "input_config.endpoint.model_names.0"),
    label: textAt(file, "run_info.run_label", "run_info.variation_label"),
    benchmarkId: textAt(file, "benchmark_id", "run_info.benchmark_id"),
    concurrency: numberAt(phase, "concurrency") ?? numberAt(file, `${loadgen}.concurrency`) ?? variedOf("concurrency"),
    requestRate: numberAt(phase, "rate") ?? numberAt(file, `${loadgen}.request_rate`) ?? variedOf("rate"),
    configuration: Object.fromEntries(
      varied
        .filter(({ name }) => !["concurrency", "rate", "request_rate"].includes(name))
        .map(({ path, value }) => [path, String(value)]),
    ),
    requests: [],
    stored: metricsOf(file),
    durationSeconds: numberAt(file, "benchmark_duration.avg"),
    notices: file["was_cancelled"] === true ? [warningOf("The benchmark was cancelled before its end.")] : [],
  };
}

/** Whether it is AIPerf's earlier `aiperf.json`, which has the servers' metrics and the client's, or one of them. */
export function isEarlierAiperf(file: Fields): boolean {
  return isFields(file["llm_metrics"]) || isFields(fieldsOf(file["server_metrics"])["endpoints"]);
}

/** What the client measured, of the earlier `aiperf.json`: as the summary of today, a level down. */
export function earlierResults(file: Fields): readonly ClientResult[] {
  if (!isFields(file["llm_metrics"])) return [];
  const metrics = Object.entries(file["llm_metrics"]).map(([tag, metric]): [string, Fields] => [
    tag,
    { unit: "", ...(isFields(metric) ? metric : { avg: metric }) },
  ]);
  const about = { ...fieldsOf(file["metadata"]), ...file };
  const result = readAiperfSummary({ ...about, ...Object.fromEntries(metrics) });
  return [{ ...result, model: result.model ?? textOf(about["model"]) ?? textOf(about["model_name"]) }];
}

/** How a run was set up, by the `run_config.json` beside its files. */
export function readAiperfRunConfig(file: Fields): ClientResult {
  return readAiperfSummary({ input_config: file["cfg"], run_info: file["variation"] ?? file });
}

const STATISTIC = /^(.+)_(avg|min|max|std|p\d+)$/;

/**
 * AIPerf's means over several runs: of `profile_export_aiperf_sweep.json` one result for each of its cells, of
 * `profile_export_aiperf_aggregate.json` one.
 */
export function readAiperfAggregates(file: Fields): readonly ClientResult[] {
  const cells = listOf(file["per_combination_metrics"]).map(fieldsOf);
  const { variation_values: parameters } = fieldsOf(file["metadata"]);
  return (cells.length > 0 ? cells : [{ parameters, metrics: file["metrics"] }]).flatMap((cell) => {
    const metrics: Record<string, Record<string, unknown>> = {};
    for (const [key, value] of Object.entries(fieldsOf(cell["metrics"]))) {
      const [, tag, statistic] = STATISTIC.exec(key) ?? [];
      const { mean, unit } = fieldsOf(value);
      if (tag !== undefined && statistic !== undefined) (metrics[tag] ??= { unit })[statistic] = mean;
    }
    if (Object.keys(metrics).length === 0) return [];
    return [readAiperfSummary({ ...metrics, run_info: { variation_values: cell["parameters"] } })];
  });
}

/** `profile_export_aiperf_timeslices.json`. @param seconds length of a slice, where the file does not say */
export function readAiperfSlices(file: Fields, seconds?: number): ClientResult["slices"] {
  const length = aiperfSliceSeconds(file) ?? seconds;
  if (length === undefined || !(length > 0)) return undefined;
  return {
    seconds: length,
    slices: listOf(file["timeslices"]).map((slice, i): ClientSlice => {
      const fields = fieldsOf(slice);
      return { index: numberOf(fields["timeslice_index"]) ?? i, metrics: metricsOf(fields) };
    }),
  };
}

/**
 * Rows of `profile_export_aiperf_timeslices.csv` as the JSON beside it would hold them. It names metrics as people do,
 * "Time to First Token", which is their tag with spaces; its numbers have two decimals.
 * @param rows without their header: slice, metric, unit, statistic, value
 */
export function slicesOfRows(rows: readonly (readonly string[])[]): Fields {
  const slices = new Map<number, Record<string, Record<string, string | number>>>();
  for (const [slice = "", metric = "", unit = "", statistic = "", value = ""] of rows) {
    const index = Number(slice);
    const number = Number(value);
    if (slice === "" || value === "" || !Number.isInteger(index) || !Number.isFinite(number)) continue;
    const metrics = slices.get(index) ?? {};
    slices.set(index, metrics);
    const tag = metric.toLowerCase().replace(/[^a-z0-9]+/g, "_");
    (metrics[tag] ??= { unit })[statistic] = number;
  }
  return {
    timeslices: [...slices]
      .sort(([a], [b]) => a - b)
      .map(([index, metrics]) => ({ timeslice_index: index, ...metrics })),
  };
}

/** Length of the slices that a summary speaks of. */
export function aiperfSliceSeconds(file: Fields): number | undefined {
  return numberAt(file, "input_config.artifacts.slice_duration", "input_config.output.slice_duration");
}

function metricsOf(file: Fields): readonly ClientMetric[] {
  return Object.entries(file).flatMap(([tag, value]): ClientMetric[] => {
    if (!isFields(value) || typeof value["unit"] !== "string" || NOT_OF_A_REQUEST.has(tag)) return [];
    const unit = value["unit"];
    const stats = storedStatistics(value, (number) => inBaseUnit(number, unit));
    return stats === undefined ? [] : [{ family: FAMILIES[tag] ?? familyOfTag(tag, unit), stats }];
  });
}

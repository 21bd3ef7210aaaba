import { epochNs, PERCENTILES, type EpochNs, type PercentileKey, type Family } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { fieldsOf, type Fields } from "../text/index.js";
import { gaugeStats } from "../stats/index.js";
import { numberOf, textOf, valueAt } from "./lenient.js";
import type { ClientMetric, ClientRequest, ClientStatistics, ClientTool } from "./types.js";
import { familyEntry } from "../catalog/index.js";

/** Families of the client's side. Each name begins with `client:`, so that none is taken for a server's. */
export const CLIENT = {
  timeToFirstToken: "client:time_to_first_token_seconds",
  interTokenLatency: "client:inter_token_latency_seconds",
  latency: "client:request_latency_seconds",
  concurrency: "client:concurrency_requests",
  requests: "client:requests",
  failed: "client:failed_requests",
  cancelled: "client:cancelled_requests",
  inputTokens: "client:input_tokens",
  outputTokens: "client:output_tokens",
  inputLength: "client:input_sequence_length_tokens",
  outputLength: "client:output_sequence_length_tokens",
  /** What the server says it generated, as AIPerf records it of each request. */
  usageTokens: "client:usage_completion_tokens_tokens",
  decodeSeconds: "client:decode_seconds",
  decodeTokens: "client:decode_tokens",
} as const;

/** Figures that statistics alone have: of requests they are rates of counters. */
export const CLIENT_RATES = {
  requests: "client:request_throughput_per_second",
  outputTokens: "client:output_token_throughput_per_second",
} as const;

/** How many of a unit of time are a second. */
const PER_SECOND: ReadonlyMap<string, number> = new Map([
  ["s", 1],
  ["sec", 1],
  ["seconds", 1],
  ["ms", 1e3],
  ["milliseconds", 1e3],
  ["us", 1e6],
  ["µs", 1e6],
  ["microseconds", 1e6],
  ["ns", 1e9],
  ["nanoseconds", 1e9],
]);

/** Seconds of a time in a unit, other units as they are. */
export function inBaseUnit(value: number, unit: string | undefined): number {
  return value / (PER_SECOND.get(unit ?? "") ?? 1);
}

/** Family of a figure that has none of its own: `http_req_duration` in ms is `client:http_req_duration_seconds`. */
export function familyOfTag(tag: string, unit: string | undefined): string {
  const name = tag.replace(/[^a-zA-Z0-9_]/g, "_");
  return `client:${name}${PER_SECOND.has(unit ?? "") ? "_seconds" : unit === "tokens" ? "_tokens" : ""}`;
}

/** Statistics that a tool wrote under one name; undefined without an average. */
export function storedStatistics(stats: Fields, scale: (value: number) => number): ClientStatistics | undefined {
  const avg = numberOf(stats["avg"] ?? stats["mean"]);
  if (avg === undefined) return undefined;
  const rest: { -readonly [K in "min" | "max" | "std" | PercentileKey]?: number } = {};
  const take = (key: keyof typeof rest, value: unknown) => {
    const number = numberOf(value);
    if (number !== undefined) rest[key] = scale(number);
  };
  take("min", stats["min"]);
  take("max", stats["max"]);
  take("std", stats["std"] ?? stats["std_dev"] ?? stats["stddev"]);
  const percentiles = fieldsOf(stats["percentiles"]);
  for (const p of PERCENTILES)
    take(
      `p${p}`,
      stats[`p${p}`] ?? percentiles[`p${String(p).padStart(2, "0")}`] ?? (p === 50 ? stats["median"] : null),
    );
  const count = numberOf(stats["count"]);
  return { avg: scale(avg), ...rest, ...(count === undefined ? {} : { count }) };
}

/** Where a file may have the statistics of a metric, or a number alone; the unit where they do not say theirs. */
export type StoredPlace = readonly [family: string, unit: string | undefined, ...places: string[]];

/** The metrics that a file has of these. */
export function storedIn(file: unknown, metrics: readonly StoredPlace[]): readonly ClientMetric[] {
  return metrics.flatMap(([family, usual, ...places]) => {
    const value = valueAt(file, ...places);
    const fields = typeof value === "number" ? { avg: value } : fieldsOf(value);
    const unit = (textOf(fields["units"]) ?? usual)?.replace(/\/token$/, "");
    const stats = storedStatistics(fields, (number) => inBaseUnit(number, unit));
    return stats === undefined ? [] : [{ family, stats }];
  });
}

/** Seconds since the epoch as a time. */
export function timeOfSeconds(seconds: number): EpochNs {
  return epochNs(BigInt(Math.round(seconds * 1e9)));
}

const OF_REQUEST = [
  [CLIENT.timeToFirstToken, "timeToFirstToken"],
  [CLIENT.interTokenLatency, "interTokenLatency"],
  [CLIENT.latency, "latency"],
  [CLIENT.inputLength, "inputTokens"],
  [CLIENT.outputLength, "outputTokens"],
] as const;

/** The figures of one request, each by its family. Of failed and cancelled requests nothing counts. */
export function figuresOf(request: ClientRequest): readonly (readonly [family: string, value: number])[] {
  if (request.outcome !== "completed") return [];
  return [
    ...OF_REQUEST.flatMap(([family, key]) => {
      const value = request[key];
      return value === undefined ? [] : [[family, value] as const];
    }),
    ...(request.others ?? []),
  ];
}

/** Exact statistics of requests: every one is known. Throughputs run from the first start to the last end. */
export function statisticsOfRequests(requests: readonly ClientRequest[]): readonly ClientMetric[] {
  const values = new Map<string, number[]>();
  for (const request of requests)
    for (const [family, value] of figuresOf(request)) getOrInsert(values, family, () => []).push(value);
  const metrics = [...values].map(([family, list]): ClientMetric => {
    const { gaps: _, avg = NaN, ...rest } = gaugeStats(Float64Array.from(list));
    return { family, stats: { ...rest, avg, count: list.length } };
  });
  const completed = requests.filter(({ outcome }) => outcome === "completed");
  const span = spanOf(completed);
  const seconds = span === undefined ? 0 : Number(span.end - span.start) / 1e9;
  if (seconds > 0) {
    metrics.push({ family: CLIENT_RATES.requests, stats: { avg: completed.length / seconds } });
    const tokens = completed.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0);
    if (tokens > 0) metrics.push({ family: CLIENT_RATES.outputTokens, stats: { avg: tokens / seconds } });
  }
  if (requests.length > 0) metrics.push({ family: CLIENT.concurrency, stats: concurrencyOf(requests) });
  return metrics;
}

/** First start and last end; undefined without requests. */
export function spanOf(requests: readonly Pick<ClientRequest, "start" | "end">[]) {
  const [first] = requests;
  if (first === undefined) return undefined;
  let { start, end } = first;
  for (const request of requests) {
    if (request.start < start) start = request.start;
    if (request.end > end) end = request.end;
  }
  return { start, end };
}

/** Requests in flight from each change on. */
export interface Concurrency {
  /** Nanoseconds from the first start, ascending. */
  readonly times: readonly number[];
  readonly counts: readonly number[];
}

/** Sweep line over [start, end): an end at the time of a start comes first. Failed requests count, they were a load. */
export function sweepLine(requests: readonly ClientRequest[]): Concurrency {
  const span = spanOf(requests);
  if (span === undefined) return { times: [], counts: [] };
  const events = requests.flatMap(({ start, end }) => [
    [Number(start - span.start), 1] as const,
    [Number(end - span.start), -1] as const,
  ]);
  events.sort(([a, x], [b, y]) => a - b || x - y);
  const times: number[] = [];
  const counts: number[] = [];
  let count = 0;
  for (const [time, change] of events) {
    count += change;
    if (times.at(-1) === time) counts[counts.length - 1] = Math.max(0, count);
    else {
      times.push(time);
      counts.push(Math.max(0, count));
    }
  }
  return { times, counts };
}

/** Average over time, not over requests. */
function concurrencyOf(requests: readonly ClientRequest[]): ClientStatistics {
  const { times, counts } = sweepLine(requests);
  const end = times.at(-1) ?? 0;
  const max = counts.reduce((most, count) => Math.max(most, count), 0);
  const area = counts.reduce((sum, count, i) => sum + count * ((times[i + 1] ?? end) - (times[i] ?? end)), 0);
  return { avg: end > 0 ? area / end : max, max };
}

/** The endpoints of clients have URLs of this scheme. */
const SCHEME = "client://";

/** The endpoint that stands for a client in a run: "client://vllm-bench". */
export function clientUrl(tool: ClientTool): string {
  return SCHEME + tool.toLowerCase().replaceAll(" ", "-");
}

/** Whether an endpoint of a run stands for a benchmark client, whose samples are requests and no scrapes. */
export function isClientEndpoint(url: string): boolean {
  return url.startsWith(SCHEME);
}

/** A family of the client's side by its name; what the catalogue does not list is a gauge. */
export function clientFamily(name: string): Family {
  const entry = familyEntry(name);
  return {
    name,
    type: entry?.type ?? "gauge",
    description: entry === undefined ? "Measured by the benchmark client, one value per request." : (entry.hint ?? ""),
  };
}

import { epochNs, type EpochNs } from "../model/index.js";
import { fieldsOf, isFields, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, storedStatistics } from "./metrics.js";
import { listOf, numberOf, textOf } from "./lenient.js";
import type { ClientMetric, ClientRequest, ClientResult } from "./types.js";

/** Whether it is GuideLLM's `benchmarks.json`, of the present or the earlier layout. */
export function isGuideLlm(file: unknown): file is Fields {
  if (!isFields(file) || !Array.isArray(file["benchmarks"])) return false;
  return listOf(file["benchmarks"]).some((entry) => isFields(entry) && isFields(entry["metrics"]));
}

/** One result for each load that GuideLLM tried. */
export function readGuideLlm(file: Fields): readonly ClientResult[] {
  return listOf(file["benchmarks"]).filter(isFields).map(resultOf);
}

function resultOf(entry: Fields): ClientResult {
  const config = fieldsOf(entry["config"] ?? entry["args"]);
  const strategy = fieldsOf(config["strategy"]);
  const backend = fieldsOf(config["backend"]);
  const lists = fieldsOf(entry["requests"]);
  const kind = textOf(strategy["type_"]);
  const concurrency =
    numberOf(strategy["streams"] ?? strategy["max_concurrency"]) ?? (kind === "synchronous" ? 1 : undefined);
  const requestRate = numberOf(strategy["rate"]);
  const requests = [
    ...requestsOf(lists["successful"] ?? lists["completed"], "completed"),
    ...requestsOf(lists["errored"], "failed"),
    ...requestsOf(lists["incomplete"], "cancelled"),
  ];
  const load = concurrency ?? requestRate;
  const counts = fieldsOf(fieldsOf(entry["metrics"])["request_totals"]);
  const total = numberOf(counts["total"]);
  return {
    tool: "GuideLLM",
    model: textOf(backend["model"]),
    ...(kind === undefined ? {} : { label: load === undefined ? kind : `${kind} ${load}` }),
    concurrency,
    requestRate,
    configuration: {},
    requests,
    stored: storedOf(fieldsOf(entry["metrics"])),
    durationSeconds: numberOf(entry["duration"]),
    notices:
      total !== undefined && requests.length > 0 && requests.length < total
        ? [
            {
              severity: "info",
              reason: `The file holds ${requests.length} of ${total} requests: charts show a sample.`,
            },
          ]
        : [],
  };
}

function ns(seconds: number): EpochNs {
  return epochNs(BigInt(Math.round(seconds * 1e9)));
}

function requestsOf(list: unknown, outcome: ClientRequest["outcome"]): readonly ClientRequest[] {
  return listOf(list).flatMap((item): ClientRequest[] => {
    const request = fieldsOf(item);
    const timings = fieldsOf(fieldsOf(request["info"])["timings"]);
    const start = numberOf(request["request_start_time"] ?? request["start_time"] ?? timings["request_start"]);
    if (start === undefined) return [];
    const end = numberOf(
      request["request_end_time"] ?? request["end_time"] ?? timings["request_end"] ?? timings["resolve_end"],
    );
    const completed = outcome === "completed";
    const milliseconds = (key: string) => {
      const value = numberOf(request[key]);
      return completed && value !== undefined ? value / 1000 : undefined;
    };
    return [
      {
        start: ns(start),
        end: ns(Math.max(start, end ?? start)),
        outcome,
        timeToFirstToken: milliseconds("time_to_first_token_ms"),
        latency: completed ? numberOf(request["request_latency"]) : undefined,
        interTokenLatency: milliseconds("inter_token_latency_ms"),
        inputTokens: numberOf(request["prompt_tokens"]),
        outputTokens: numberOf(request["output_tokens"]),
      },
    ];
  });
}

const STORED: readonly (readonly [key: string, family: string, scale: number])[] = [
  ["time_to_first_token_ms", CLIENT.timeToFirstToken, 1000],
  ["inter_token_latency_ms", CLIENT.interTokenLatency, 1000],
  ["request_latency", CLIENT.latency, 1],
  ["prompt_token_count", CLIENT.inputLength, 1],
  ["output_token_count", CLIENT.outputLength, 1],
  ["request_concurrency", CLIENT.concurrency, 1],
  ["requests_per_second", CLIENT_RATES.requests, 1],
  ["output_tokens_per_second", CLIENT_RATES.outputTokens, 1],
];

function storedOf(metrics: Fields): readonly ClientMetric[] {
  return STORED.flatMap(([key, family, scale]): ClientMetric[] => {
    const stats = storedStatistics(fieldsOf(fieldsOf(metrics[key])["successful"]), (value) => value / scale);
    // Without streaming there is no first token: the distribution holds zeros.
    if (stats === undefined || stats.count === 0 || (stats.avg === 0 && scale === 1000)) return [];
    return [{ family, stats }];
  });
}

import { noteOf } from "../model/index.js";
import { isFields, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, storedIn, timeOfSeconds, type StoredPlace } from "./metrics.js";
import { listOf, numberAt, textAt, valueAt } from "./lenient.js";
import type { ClientRequest, ClientResult } from "./types.js";

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
  const config = entry["config"] ?? entry["args"];
  const kind = textAt(config, "strategy.type_");
  const concurrency =
    numberAt(config, "strategy.streams", "strategy.max_concurrency") ?? (kind === "synchronous" ? 1 : undefined);
  const requestRate = numberAt(config, "strategy.rate");
  const requests = [
    ...requestsOf(valueAt(entry, "requests.successful", "requests.completed"), "completed"),
    ...requestsOf(valueAt(entry, "requests.errored"), "failed"),
    ...requestsOf(valueAt(entry, "requests.incomplete"), "cancelled"),
  ];
  const load = concurrency ?? requestRate;
  const total = numberAt(entry, "metrics.request_totals.total") ?? 0;
  const reason = `The file holds ${requests.length} of ${total} requests: charts show a sample.`;
  return {
    tool: "GuideLLM",
    model: textAt(config, "backend.model"),
    ...(kind === undefined ? {} : { label: load === undefined ? kind : `${kind} ${load}` }),
    concurrency,
    requestRate,
    configuration: {},
    requests,
    stored: storedIn(entry["metrics"], STORED).filter(
      // Without streaming there is no first token: the distribution holds zeros.
      ({ family, stats }) => stats.count !== 0 && (stats.avg !== 0 || !STREAMED.includes(family)),
    ),
    durationSeconds: numberAt(entry, "duration"),
    notices: requests.length > 0 && requests.length < total ? [noteOf(reason)] : [],
  };
}

function requestsOf(list: unknown, outcome: ClientRequest["outcome"]): readonly ClientRequest[] {
  return listOf(list).flatMap((request): ClientRequest[] => {
    const start = numberAt(request, "request_start_time", "start_time", "info.timings.request_start");
    if (start === undefined) return [];
    const end = numberAt(
      request,
      ...["request_end_time", "end_time", "info.timings.request_end", "info.timings.resolve_end"],
    );
    const seconds = (key: string, perSecond: number) => {
      const value = outcome === "completed" ? numberAt(request, key) : undefined;
      return value === undefined ? undefined : value / perSecond;
    };
    return [
      {
        start: timeOfSeconds(start),
        end: timeOfSeconds(Math.max(start, end ?? start)),
        outcome,
        timeToFirstToken: seconds("time_to_first_token_ms", 1000),
        latency: seconds("request_latency", 1),
        interTokenLatency: seconds("inter_token_latency_ms", 1000),
        inputTokens: numberAt(request, "prompt_tokens"),
        outputTokens: numberAt(request, "output_tokens"),
      },
    ];
  });
}

const STREAMED: readonly string[] = [CLIENT.timeToFirstToken, CLIENT.interTokenLatency];

const STORED: readonly StoredPlace[] = [
  [CLIENT.timeToFirstToken, "ms", "time_to_first_token_ms.successful"],
  [CLIENT.interTokenLatency, "ms", "inter_token_latency_ms.successful"],
  [CLIENT.latency, "s", "request_latency.successful"],
  [CLIENT.inputLength, undefined, "prompt_token_count.successful"],
  [CLIENT.outputLength, undefined, "output_token_count.successful"],
  [CLIENT.concurrency, undefined, "request_concurrency.successful"],
  [CLIENT_RATES.requests, undefined, "requests_per_second.successful"],
  [CLIENT_RATES.outputTokens, undefined, "output_tokens_per_second.successful"],
];

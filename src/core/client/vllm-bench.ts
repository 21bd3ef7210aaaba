import { epochNs, warningOf } from "../model/index.js";
import { isFields, type Fields } from "../text/index.js";
import { CLIENT, CLIENT_RATES, storedIn, timeOfSeconds, type StoredPlace } from "./metrics.js";
import { listOf, numberOf, textOf } from "./lenient.js";
import type { ClientMetric, ClientRequest, ClientResult } from "./types.js";

/** Whether it is what `vllm bench serve --save-result` writes. */
export function isVllmBench(file: unknown): file is Fields {
  return (
    isFields(file) &&
    numberOf(file["num_prompts"] ?? file["completed"]) !== undefined &&
    numberOf(file["duration"]) !== undefined &&
    (textOf(file["date"]) !== undefined || textOf(file["model_id"]) !== undefined)
  );
}

/** One result of `vllm bench serve`; requests only where it was run with `--save-detailed`. */
export function readVllmBench(file: Fields): ClientResult {
  const seconds = numberOf(file["duration"]) ?? 0;
  const localEnd = localTime(textOf(file["date"]));
  const requests = requestsOf(file, seconds, localEnd ?? 0);
  const rate = file["request_rate"];
  const notices: ClientResult["notices"] =
    listOf(file["ttfts"]).length > 0 && requests.length === 0
      ? [
          warningOf(
            "The requests in this file have no start times, so they cannot be placed in time.",
            "vLLM writes start_times since January 2026 (--save-detailed).",
          ),
        ]
      : [];
  return {
    tool: "vLLM bench",
    model: textOf(file["model_id"]),
    label: textOf(file["label"]),
    concurrency: numberOf(file["max_concurrency"]),
    requestRate: numberOf(rate),
    configuration: {},
    requests,
    stored: storedOf(file),
    durationSeconds: seconds,
    localEnd: timeOfSeconds(localEnd ?? 0),
    notices,
  };
}

/** `20260921-141407` as seconds, as if it were UTC; undefined for another text. */
function localTime(text: string | undefined): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(text ?? "");
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/** Their times run from the first start, which lies one duration before the end of the run. */
function requestsOf(file: Fields, seconds: number, end: number): readonly ClientRequest[] {
  const starts = listOf(file["start_times"]).map(numberOf);
  const ttfts = listOf(file["ttfts"]);
  const gaps = listOf(file["itls"]);
  const latencies = listOf(file["latencies"]);
  const inputs = listOf(file["input_lens"]);
  const outputs = listOf(file["output_lens"]);
  const first = starts.reduce<number>((least, start) => Math.min(least, start ?? Infinity), Infinity);
  return starts.flatMap((start, i): ClientRequest[] => {
    if (start === undefined) return [];
    const ttft = numberOf(ttfts[i]) ?? 0;
    const decode = listOf(gaps[i]).reduce<number>((sum, gap) => sum + (numberOf(gap) ?? 0), 0);
    const outputTokens = numberOf(outputs[i]);
    // A failed request has a time to first token of 0, and not always an error text.
    const completed = ttft > 0 || (numberOf(latencies[i]) ?? 0) > 0;
    const latency = completed ? (numberOf(latencies[i]) ?? ttft + decode) : undefined;
    const at = BigInt(Math.round((end - seconds) * 1e9)) + BigInt(Math.round((start - first) * 1e9));
    return [
      {
        start: epochNs(at),
        end: epochNs(at + BigInt(Math.round((latency ?? 0) * 1e9))),
        outcome: completed ? "completed" : "failed",
        timeToFirstToken: ttft > 0 ? ttft : undefined,
        latency,
        interTokenLatency:
          decode > 0 && outputTokens !== undefined && outputTokens > 1 ? decode / (outputTokens - 1) : undefined,
        inputTokens: numberOf(inputs[i]),
        outputTokens,
      },
    ];
  });
}

/** `mean_ttft_ms`, `p99_ttft_ms`: a field for each statistic. "tpot" is of each request, "itl" of each gap. */
const TIMES = [
  ["ttft", CLIENT.timeToFirstToken],
  ["tpot", CLIENT.interTokenLatency],
  ["e2el", CLIENT.latency],
] as const;

const RATES: readonly StoredPlace[] = [
  [CLIENT_RATES.requests, undefined, "request_throughput"],
  [CLIENT_RATES.outputTokens, undefined, "output_throughput"],
];

function storedOf(file: Fields): readonly ClientMetric[] {
  const times = TIMES.flatMap(([name, family]) => {
    const own = Object.entries(file).filter(([key]) => key.endsWith(`_${name}_ms`));
    const stats = Object.fromEntries(own.map(([key, value]) => [key.slice(0, key.indexOf("_")), value]));
    return storedIn({ stats }, [[family, "ms", "stats"]]);
  });
  return [...times, ...storedIn(file, RATES)];
}

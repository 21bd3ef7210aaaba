import type { Observed } from "./observed.js";
import type { HistogramSignal } from "./signals.js";

/** One part of a latency: its mean over the window and its share of the whole. */
export interface LatencyPart {
  readonly part: "queue" | "prefill" | "decode" | "transfer" | "rest";
  readonly seconds: number;
  readonly share: number;
}

/** What the mean of a latency is made of, of one endpoint. */
export interface Attribution {
  readonly latency: "ttft" | "e2e-latency";
  /** As exposed. */
  readonly family: string;
  readonly endpointUrl: string;
  readonly seconds: number;
  readonly parts: readonly LatencyPart[];
}

const PREFILL = ["vllm:request_prefill_time_seconds", "trtllm:request_prefill_time_seconds"];
const DECODE = ["vllm:request_decode_time_seconds", "trtllm:request_decode_time_seconds"];
const TRANSFER = ["trtllm:kv_transfer_latency_seconds", "vllm:nixl_xfer_time_seconds"];

/** A rest below this share of the whole is a matter of floating point. */
const ROUNDING = 1e-9;

/** Whether a family is one of these parts, by its canonical name. */
export function isPhase(family: string): boolean {
  return [PREFILL, DECODE, TRANSFER].some((names) => names.includes(family));
}

/**
 * Means of the parts that the server reports, and what they leave. Means add up where all are of the same requests; a
 * part is cut to what is left of the whole, so that shares never exceed 1. vLLM counts a request that waits for its KV
 * blocks as queued: where the parts are more than the whole by most of the transfer, it is in the queue time, too.
 */
export function attributionsOf(run: Observed): readonly Attribution[] {
  return run.servingEndpoints().flatMap((endpointUrl) => {
    const latency = run.histogram(endpointUrl, "e2e-latency");
    return [
      ...timeToFirstToken(run, endpointUrl),
      ...attribute("e2e-latency", latency, [
        ...untilFirstToken(run, endpointUrl),
        ["decode", run.histogram(endpointUrl, DECODE)],
      ]),
    ];
  });
}

/** As `attributionsOf`, of an endpoint's time to first token alone; none where the server tells nothing of it. */
export function timeToFirstToken(run: Observed, endpointUrl: string): readonly Attribution[] {
  return attribute("ttft", run.histogram(endpointUrl, "ttft"), untilFirstToken(run, endpointUrl));
}

/** The time that KV blocks of a request take from another server. */
export function kvTransfer(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, TRANSFER);
}

type Parts = readonly (readonly [LatencyPart["part"], HistogramSignal | undefined])[];

function untilFirstToken(run: Observed, endpointUrl: string): Parts {
  return [
    ["queue", run.histogram(endpointUrl, "queue-time")],
    ["prefill", run.histogram(endpointUrl, PREFILL)],
    ["transfer", kvTransfer(run, endpointUrl)],
  ];
}

function attribute(
  latency: Attribution["latency"],
  whole: HistogramSignal | undefined,
  of: Parts,
): readonly Attribution[] {
  if (whole === undefined || !(whole.avg > 0) || of.every(([, signal]) => signal === undefined)) return [];
  const means = of.flatMap(([part, signal]) => (signal === undefined ? [] : [{ part, mean: signal.avg }]));
  const excess = means.reduce((sum, { mean }) => sum + mean, 0) - whole.avg;
  const transfer = means.find(({ part }) => part === "transfer")?.mean ?? 0;
  const twice = excess > transfer / 2 ? transfer : 0;
  let left = whole.avg;
  const parts: LatencyPart[] = [];
  for (const { part, mean } of means) {
    const seconds = Math.min(left, part === "queue" ? Math.max(0, mean - twice) : mean);
    left -= seconds;
    parts.push({ part, seconds, share: seconds / whole.avg });
  }
  const rest = left > ROUNDING * whole.avg ? left : 0;
  parts.push({ part: "rest", seconds: rest, share: rest / whole.avg });
  return [{ latency, family: whole.family, endpointUrl: whole.endpointUrl, seconds: whole.avg, parts }];
}

import { mean } from "../math/index.js";
import type { Role } from "../catalog/index.js";
import { kvTransfer, type Attribution, type LatencyPart } from "./attribution.js";
import type { Observed } from "./observed.js";
import type { HistogramSignal } from "./signals.js";

/** A decode worker that is told of a request while its prompt is computed counts that time, too. */
const SAME_TIME = 1.05;

/** Time to first token of a disaggregated deployment, by where it passes. */
interface Pools extends Attribution {
  /** As the frontend or, without one, the decode workers report it. */
  readonly whole: HistogramSignal;
  readonly urls: Readonly<Record<"prefill" | "decode", readonly string[]>>;
  /** Of the workers of a pool, by which its part is measured. */
  readonly measured: Partial<Readonly<Record<LatencyPart["part"], HistogramSignal>>>;
}

/**
 * What the mean time to first token is made of where some workers compute prompts and others tokens: a request's time
 * at a prefill worker, the transfer of its KV blocks, and its time at a decode worker until the first token. Where both
 * workers are told of it at once, the decode worker's time holds the others and is cut by them. Undefined where the
 * workers do not report it.
 */
export function poolsOf(run: Observed): Pools | undefined {
  const of = (role: Role) => run.servingEndpoints().filter((url) => run.role(url) === role);
  const urls = { prefill: of("prefill"), decode: of("decode") };
  const prefill = joined(urls.prefill, (url) => run.histogram(url, "e2e-latency"));
  const decode = joined(urls.decode, (url) => run.histogram(url, "ttft"));
  if (prefill === undefined || decode === undefined) return undefined;
  const transfer = joined([...urls.decode, ...urls.prefill], (url) => kvTransfer(run, url));
  const asked = joined(of("frontend"), (url) => run.histogram(url, "ttft"));
  const whole = asked?.avg ?? prefill.avg + decode.avg;
  const atOnce = prefill.avg + decode.avg > SAME_TIME * whole;
  const moved = Math.min(transfer?.avg ?? 0, decode.avg);
  const seconds = {
    prefill: Math.min(prefill.avg, whole),
    transfer: moved,
    decode: Math.max(0, decode.avg - moved - (atOnce ? prefill.avg : 0)),
  };
  const rest = Math.max(0, whole - seconds.prefill - seconds.transfer - seconds.decode);
  const part = (name: LatencyPart["part"], value: number) => ({ part: name, seconds: value, share: value / whole });
  const signal = asked?.signal ?? decode.signal;
  return {
    latency: "ttft",
    family: signal.family,
    endpointUrl: signal.endpointUrl,
    seconds: whole,
    parts: [
      part("prefill", seconds.prefill),
      ...(transfer === undefined ? [] : [part("transfer", seconds.transfer)]),
      part("decode", seconds.decode),
      part("rest", rest),
    ],
    whole: signal,
    urls,
    measured: {
      prefill: prefill.signal,
      decode: decode.signal,
      ...(transfer === undefined ? {} : { transfer: transfer.signal }),
    },
  };
}

/** Mean over the requests of several endpoints; the signal is that of the slowest. */
function joined(urls: readonly string[], of: (url: string) => HistogramSignal | undefined) {
  const signals = urls.flatMap((url) => of(url) ?? []);
  const count = signals.reduce((sum, one) => sum + one.count, 0);
  const slowest = [...signals].sort((a, b) => b.avg - a.avg)[0];
  return slowest === undefined || !(count > 0)
    ? undefined
    : { avg: signals.reduce((sum, one) => sum + one.sum, 0) / count, signal: slowest };
}

const SIZES = ["trtllm:kv_transfer_bytes", "vllm:nixl_bytes_transferred"];
const SIZES_MB = ["sglang:kv_transfer_total_mb"];

/** Whether a family is of sizes of KV transfers, by its canonical name. */
export function isTransferSize(family: string): boolean {
  return SIZES.includes(family) || SIZES_MB.includes(family);
}

/** Mean size of a KV transfer of an endpoint, in bytes; undefined where it does not tell. */
export function transferSize(run: Observed, endpointUrl: string): number | undefined {
  const bytes = run.histogram(endpointUrl, SIZES);
  return bytes?.avg ?? scaled(run.histogram(endpointUrl, SIZES_MB)?.avg, 1e6);
}

function scaled(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value * by;
}

/** Share of the time in which requests wait at the workers of a pool, on average; NaN where none tells. */
export function waitingIn(urls: readonly string[], shareAt: (url: string) => number): number {
  const shares = urls.map(shareAt).filter((share) => !Number.isNaN(share));
  return shares.length === 0 ? NaN : mean(shares);
}

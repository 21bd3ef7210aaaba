import { canonicalName, type Role } from "../../catalog/index.js";
import { mean } from "../../math/index.js";
import { optionOf } from "../engine-options.js";
import { kvTransfer, type Attribution, type LatencyPart } from "../attribution.js";
import { ramp, type HistogramSignal } from "../signals.js";
import { nameOf, type Observed } from "../observed.js";
import { endpointRule, type Rule } from "../rule.js";
import { counted, figure, percent } from "../words.js";
import { loadOf, loads } from "./load.js";

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
/** Mean size of a KV transfer of an endpoint, in bytes; undefined where it does not tell. */
function transferSize(run: Observed, endpointUrl: string): number | undefined {
  const megabytes = run.histogram(endpointUrl, SIZES_MB)?.avg;
  return run.histogram(endpointUrl, SIZES)?.avg ?? (megabytes === undefined ? undefined : megabytes * 1e6);
}

/** Share of the time in which requests wait at the workers of a pool, on average; NaN where none tells. */
function waitingIn(urls: readonly string[], shareAt: (url: string) => number): number {
  const shares = urls.map(shareAt).filter((share) => !Number.isNaN(share));
  return shares.length === 0 ? NaN : mean(shares);
}

/** Times that KV blocks take from one server to another. */
const TRANSFER = /(kv_?transfer|nixl_xfer|xfer|transfer)(_\w+)?_(latency|time|duration)/;

/** Moving KV blocks between servers is a good part of what a request waits for. */
export const transferBound = endpointRule({
  title: "KV transfer is the limit",
  advice:
    "Check that transfers use RDMA or NVLink and not TCP, place prefill and decode workers closer together, and look at the number of concurrent transfers.",
  uses: (family) => TRANSFER.test(family) || [...SIZES, ...SIZES_MB].includes(family),
  look: (run, endpointUrl) => run.find((name, { type }) => type === "histogram" && TRANSFER.test(name), endpointUrl),
  judge: (family, { run, endpointUrl, limits: { transferShare: threshold } }) => {
    const transfer = run.histogram(endpointUrl, [canonicalName(family.name)]);
    const references = loads(run).flatMap(({ ttft, latency }) => ttft ?? latency ?? []);
    // Of its own endpoint; in a disaggregated fleet the frontend knows the time to first token.
    const reference = references.find((each) => each.endpointUrl === endpointUrl) ?? references[0];
    if (transfer === undefined || reference === undefined || transfer.count < 10) return undefined;
    const isMilliseconds = /_ms$|milliseconds/.test(family.name) || family.unit === "milliseconds";
    const seconds = transfer.avg * (isMilliseconds ? 1e-3 : 1);
    const share = seconds / reference.avg;
    const size = transferSize(run, endpointUrl);
    if (share < threshold) return undefined;
    return {
      weight: ramp(share, threshold, 0.8, 0.6, 0.9),
      confidence: reference.endpointUrl === endpointUrl ? "high" : "medium",
      text:
        `a KV transfer${size === undefined ? "" : ` of ${figure(size, "bytes")}`} took ${figure(seconds, "seconds")} on average, ` +
        `${percent(Math.min(1, share))} of the ${figure(reference.avg, reference.unit)} to the first token.`,
      evidence: [
        run.evidence(reference, "share that is transfer", share, { threshold, unit: "ratio" }),
        run.evidence(transfer, "avg", transfer.avg),
      ],
    };
  },
});

/** A pool in which most of the time to first token passes. */
const MOST = 0.5;
/** Fewer requests in the queue of a stage are on their way through it. */
const MIN_WAITING = 1.5;
/** Endpoints named. */
const NAMED = 3;

/** SGLang's stages of a pool: the queue of each, and what requests wait for in it. */
const STAGES: Readonly<Record<"prefill" | "decode", readonly (readonly [family: string, what: string])[]>> = {
  prefill: [
    ["sglang:num_prefill_bootstrap_queue_reqs", "the handshake with a decode worker"],
    ["sglang:num_prefill_prealloc_queue_reqs", "room in the KV cache"],
    ["sglang:num_prefill_inflight_queue_reqs", "the transfer of their KV blocks"],
  ],
  decode: [
    ["sglang:num_decode_prealloc_queue_reqs", "room in the KV cache"],
    ["sglang:num_decode_transfer_queue_reqs", "the transfer of their KV blocks"],
  ],
};

const ADVICE =
  "Add workers to this pool, or give it more of the GPUs: a larger pool for the other phase changes little.";

/**
 * In a disaggregated deployment most of the time to first token passes in one pool, and requests wait there. A transfer
 * that takes long has a finding of its own, and so does a frontend that is saturated.
 */
export const shortPool: Rule = {
  title: "One pool of workers is too small",
  advice: ADVICE,
  uses: (family) => Object.values(STAGES).some((stages) => stages.some(([name]) => name === family)),
  check: (run, { waitingShare: threshold }) => {
    const pools = poolsOf(run);
    if (pools === undefined) return undefined;
    const { seconds, parts, urls, whole, measured } = pools;
    return (["prefill", "decode"] as const).flatMap((pool) => {
      const part = parts.find((one) => one.part === pool);
      const signal = measured[pool];
      const waits = waitingIn(urls[pool], (url) => loadOf(run, url).waitingShare);
      // A prefill worker behind Dynamo does not tell its queue: more requests in it than one at a time are one.
      const stage = fullestStage(run, pool, urls[pool]);
      const queues = (Number.isNaN(waits) ? holdsSeveral(run, urls[pool]) : waits >= threshold) || stage !== undefined;
      if (part === undefined || signal === undefined || part.share < MOST || !queues) return [];
      const waiting = Number.isNaN(waits) ? "" : `, where requests waited for ${percent(waits)} of the time`;
      const others = parts
        .filter((one) => one.part !== pool && one.share >= 0.005)
        .map((one) => `${one.part} ${percent(one.share)}`);
      const named = urls[pool].slice(0, NAMED).map(nameOf).join(", ");
      return [
        {
          weight: ramp(part.share, MOST, 1, 0.6, 0.85),
          confidence: Number.isNaN(waits) ? ("medium" as const) : ("high" as const),
          text:
            `The ${pool} pool (${named}${urls[pool].length > NAMED ? ", …" : ""}) is too small: ` +
            `${figure(part.seconds, "seconds")} of the ${figure(seconds, "seconds")} to the first token (${percent(part.share)}) were spent in it${waiting}.` +
            (stage === undefined ? "" : ` ${counted(stage.waiting, "request")} waited on average for ${stage.what}.`) +
            (others.length === 0 ? "" : ` The rest: ${others.join(", ")}.`),
          evidence: [
            run.evidence(whole, `share in the ${pool} pool`, part.share, { threshold: MOST, unit: "ratio" }),
            run.evidence(signal, "avg", signal.avg),
          ],
          endpointUrls: urls[pool],
          advice: adviceFor(run, pool, urls[pool][0] ?? ""),
        },
      ];
    });
  },
};

/** The stage with most requests in its queue, all workers together; undefined where hardly any wait. */
function fullestStage(run: Observed, pool: "prefill" | "decode", urls: readonly string[]) {
  const stages = STAGES[pool].map(([family, what]) => ({
    what,
    waiting: urls.reduce((sum, url) => sum + (run.gauge(url, [family])?.avg ?? 0), 0),
  }));
  const [fullest] = stages.sort((a, b) => b.waiting - a.waiting);
  return fullest !== undefined && fullest.waiting >= MIN_WAITING ? fullest : undefined;
}

function holdsSeveral(run: Observed, urls: readonly string[]): boolean {
  return urls.some((url) => (loadOf(run, url).running?.avg ?? 0) >= 2);
}

function adviceFor(run: Observed, pool: "prefill" | "decode", url: string): string {
  const server = run.serverAt(url);
  return pool === "prefill"
    ? `${ADVICE} Where prompts share a prefix, a prefix cache shortens prefill${optionOf(server, "prefixCaching")}.`
    : `${ADVICE} While its KV cache has room, let its workers run more requests at once${optionOf(server, "batch")}.`;
}

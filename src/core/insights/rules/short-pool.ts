import { optionOf } from "../advice.js";
import { ramp } from "../numbers.js";
import { nameOf, type Observed } from "../observed.js";
import { poolsOf, waitingIn } from "../pools.js";
import type { Rule } from "../rule.js";
import { counted, figure, percent } from "../words.js";
import { loadOf } from "./load.js";

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
  tells: (run) => run.isDisaggregated() && poolsOf(run) !== undefined,
  check: (run, { waitingShare: threshold }) => {
    const pools = poolsOf(run);
    if (pools === undefined) return [];
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

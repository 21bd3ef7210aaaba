import { MetricsPage, Families } from "./families.js";
import { timesOf, timeToFirstToken } from "../request.js";
import { BLOCK_SIZE, type Simulation, type EngineStep } from "../simulation.js";
import { RecentShare } from "./averages.js";
import {
  SGLANG_E2E_SECONDS,
  SGLANG_GRAMMAR_SECONDS,
  SGLANG_ITL_SECONDS,
  SGLANG_QUEUE_SECONDS,
  SGLANG_RETRACTIONS,
  SGLANG_STAGE_SECONDS,
  SGLANG_TTFT_SECONDS,
} from "./buckets.js";
import { MODEL } from "./vllm.js";

const LABELS = { engine_type: "unified", model_name: MODEL, moe_ep_rank: "0", pp_rank: "0", tp_rank: "0" };
/** The scheduler reports throughput and hit rate over about this long. */
const LOG_SECONDS = 1;

/** SGLang's metrics of a simulation. */
export function sglang(simulation: Simulation): MetricsPage {
  const exporter = new MetricsPage(LABELS);
  const families = new Families(exporter, simulation, "sglang:");
  scheduler(families);
  pools(families);
  rates(families);
  finishedRequests(families);
  return exporter;
}

function scheduler(families: Families): void {
  const { simulation } = families;
  const { running, waiting, options } = simulation;
  const used = () => simulation.usedBlocks * BLOCK_SIZE;
  families.gauge("num_running_reqs", "The number of running requests.", () => running.length);
  families.gauge("num_used_tokens", "The number of used tokens.", used);
  families.gauge("token_usage", "The token usage.", () => simulation.kvUsage);
  families.gauge("num_queue_reqs", "The number of requests in the waiting queue.", () => waiting.length);
  families.gauge("num_grammar_queue_reqs", "The number of requests in the grammar waiting queue.");
  // Of prefill and decode workers apart; a unified server has them, too, and they stay at 0.
  for (const what of ["prefill bootstrap", "prefill inflight", "decode prealloc", "decode transfer"])
    families.gauge(`num_${what.replace(" ", "_")}_queue_reqs`, `The number of requests in the ${what} queue.`);
  for (const what of ["transfer", "bootstrap"])
    families.counter(`num_${what}_failed_reqs_total`, `The number of ${what} failed requests.`);
  families.gauge("kv_used_tokens", "The number of KV cache tokens used by running requests.", used);
  families.gauge(
    "kv_available_tokens",
    "The number of free KV cache tokens.",
    () => (options.kvBlocks - simulation.usedBlocks) * BLOCK_SIZE,
  );
  families.gauge("kv_evictable_tokens", "The number of KV cache tokens that can be evicted.");
  let before = { now: 0, busy: 0 };
  families.gauge("fwd_occupancy", "The forward occupancy in percent.", () => {
    const { now, busySeconds: busy } = simulation;
    const since = before;
    before = { now, busy };
    return now > since.now ? Math.min(100, (100 * (busy - since.busy)) / (now - since.now)) : undefined;
  });
  families.gauge(
    "max_total_num_tokens",
    "Maximum total number of tokens in the KV cache pool.",
    options.kvBlocks * BLOCK_SIZE,
  );
  families.gauge(
    "num_retracted_reqs",
    "The number of retracted requests.",
    () => waiting.filter(({ preemptions }) => preemptions > 0).length,
  );
  families.counter("num_retracted_requests_total", "Total number of retracted requests.", { preempted: () => 1 });
  families.histogram("queue_time_seconds", "Histogram of queueing time in seconds.", SGLANG_QUEUE_SECONDS, {
    scheduled: ({ arrival, scheduled = NaN }) => scheduled - arrival,
  });
  families.histogram(
    "per_stage_req_latency_seconds{stage}",
    "The latency of each stage of requests.",
    SGLANG_STAGE_SECONDS,
    {
      scheduled: ({ arrival, scheduled = NaN }) => [[scheduled - arrival, { stage: "prefill_waiting" }]],
      firstToken: ({ scheduled = NaN, firstToken = NaN }) => [[firstToken - scheduled, { stage: "prefill_forward" }]],
    },
  );
}

/** Host memory behind the KV cache holds so many times its tokens. */
const HOST_SIZE = 2;
const LORA_SLOTS = 8;
/** One in so many requests asks for an adapter, each in turn for another one. */
const WITH_ADAPTER = 5;
const ADAPTERS = 3;

/** What lies beside the KV cache: host memory, adapters, and the pools of hybrid models, which stay empty. */
function pools(families: Families): void {
  const { running, options } = families.simulation;
  const hostSize = HOST_SIZE * options.kvBlocks * BLOCK_SIZE;
  let onHost = 0;
  families.simulation.observe({
    finished: ({ promptTokens, cachedTokens }) => {
      onHost = Math.min(hostSize, onHost + promptTokens - cachedTokens);
    },
  });
  const inUse = () => {
    const adapted = running.filter(({ id }) => id % WITH_ADAPTER === 0);
    return new Set(adapted.map(({ id }) => (id / WITH_ADAPTER) % ADAPTERS)).size;
  };
  families.gauge("swa_token_usage", "The token usage for SWA layers.");
  families.gauge("mamba_usage", "The token usage for Mamba layers.");
  families.gauge("hicache_host_used_tokens", "Tokens used in the host KV cache.", () => onHost);
  families.gauge("hicache_host_total_tokens", "Tokens that fit into the host KV cache.", hostSize);
  families.gauge("lora_pool_slots_used", "Number of LoRA adapter slots in use.", inUse);
  families.gauge("lora_pool_slots_total", "Number of LoRA adapter slots.", LORA_SLOTS);
  families.gauge("lora_pool_utilization", "LoRA pool utilization (0.0-1.0).", () => inUse() / LORA_SLOTS);
}

function rates(families: Families): void {
  const { simulation } = families;
  let recent: EngineStep[] = [];
  const hits = new RecentShare();
  simulation.observe({
    scheduled: ({ cachedTokens, promptTokens }) => hits.add(cachedTokens, promptTokens),
    stepped: (step) => {
      recent = [...recent.filter(({ end }) => end > step.end - LOG_SECONDS), step];
    },
  });
  families.gauge("gen_throughput", "The generation throughput (token/s).", () => {
    const latest = recent.filter(({ end }) => end > simulation.now - LOG_SECONDS);
    return latest.reduce((sum, step) => sum + step.generatedTokens, 0) / LOG_SECONDS;
  });
  families.gauge("cache_hit_rate", "The prefix cache hit rate.", () => hits.value);
  const realtime = families.counter(
    "realtime_tokens_total{mode}",
    "Total number of tokens processed (updated on each log interval). mode: prefill_compute, prefill_cache, decode.",
    {
      scheduled: ({ cachedTokens }) => [[cachedTokens, { mode: "prefill_cache" }]],
      stepped: ({ prefillTokens, generatedTokens }) => [
        [prefillTokens, { mode: "prefill_compute" }],
        [generatedTokens, { mode: "decode" }],
      ],
    },
  );
  families.counter(
    "gpu_execution_seconds_total{category}",
    "Total time that GPU is busy executing a workload. Refer to ForwardMode for category labels.",
    {
      stepped: ({ start, end, prefillTokens }) => [
        [end - start, { category: prefillTokens > 0 ? "extend" : "decode" }],
      ],
    },
  );
  const effective = families.counter(
    "prefill_effective_tokens_total{mode}",
    "Effective prefill tokens with retracted-request re-counts excluded. mode: device_hit, host_hit, storage_hit, input.",
    {
      scheduled: ({ promptTokens, cachedTokens }) => [
        [cachedTokens, { mode: "device_hit" }],
        [promptTokens - cachedTokens, { mode: "input" }],
      ],
    },
  );
  for (const mode of ["input", "device_hit", "host_hit", "storage_hit"]) effective(0, { mode });
  for (const mode of ["prefill_compute", "prefill_cache", "decode"]) realtime(0, { mode });
}

function finishedRequests(families: Families): void {
  families.counter("prompt_tokens_total", "Number of prefill tokens processed.", {
    finished: ({ promptTokens }) => promptTokens,
  });
  families.counter("generation_tokens_total", "Number of generation tokens processed.", {
    finished: ({ generated }) => generated,
  });
  families.counter("cached_tokens_total", "Number of cached prompt tokens.", {
    finished: ({ cachedTokens }) => cachedTokens,
  });
  families.counter("num_requests_total", "Number of requests processed.", { finished: () => 1 });
  families.counter("num_aborted_requests_total", "Number of requests aborted.", {
    finished: ({ finishReason }) => Number(finishReason === "abort"),
  });
  families.histogram(
    "time_to_first_token_seconds",
    "Histogram of time to first token in seconds.",
    SGLANG_TTFT_SECONDS,
    {
      firstToken: timeToFirstToken,
    },
  );
  families.histogram(
    "inter_token_latency_seconds",
    "Histogram of inter-token latency in seconds.",
    SGLANG_ITL_SECONDS,
    {
      tokens: (_request, _count, interval) => interval,
    },
  );
  families.histogram(
    "e2e_request_latency_seconds",
    "Histogram of End-to-end request latency in seconds",
    SGLANG_E2E_SECONDS,
    {
      finished: (request) => timesOf(request).e2e,
    },
  );
  families.histogram(
    "grammar_compilation_time_seconds",
    "Histogram of grammar compilation time in seconds.",
    SGLANG_GRAMMAR_SECONDS,
    // One in ten asks for structured output.
    { arrived: ({ id, promptTokens }) => (id % 10 === 0 ? 0.008 + promptTokens * 0.00002 : undefined) },
  );
  families.histogram("num_retractions", "Histogram of retraction counts per request.", SGLANG_RETRACTIONS, {
    finished: ({ preemptions }) => preemptions,
  });
}

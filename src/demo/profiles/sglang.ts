import { MetricsPage } from "../exporter.js";
import { timesOf } from "../request.js";
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
  scheduler(exporter, simulation);
  pools(exporter, simulation);
  rates(exporter, simulation);
  finishedRequests(exporter, simulation);
  return exporter;
}

function scheduler(exporter: MetricsPage, simulation: Simulation): void {
  const running = exporter.gauge("sglang:num_running_reqs", "The number of running requests.");
  const used = exporter.gauge("sglang:num_used_tokens", "The number of used tokens.");
  const usage = exporter.gauge("sglang:token_usage", "The token usage.");
  const queued = exporter.gauge("sglang:num_queue_reqs", "The number of requests in the waiting queue.");
  exporter.gauge("sglang:num_grammar_queue_reqs", "The number of requests in the grammar waiting queue.");
  // Of prefill and decode workers apart; a unified server has them, too, and they stay at 0.
  for (const [name, what] of [
    ["prefill_bootstrap", "prefill bootstrap"],
    ["prefill_inflight", "prefill inflight"],
    ["decode_prealloc", "decode prealloc"],
    ["decode_transfer", "decode transfer"],
  ] as const)
    exporter.gauge(`sglang:num_${name}_queue_reqs`, `The number of requests in the ${what} queue.`);
  for (const what of ["transfer", "bootstrap"] as const)
    exporter.counter(`sglang:num_${what}_failed_reqs_total`, `The number of ${what} failed requests.`);
  const kvUsed = exporter.gauge("sglang:kv_used_tokens", "The number of KV cache tokens used by running requests.");
  const kvFree = exporter.gauge("sglang:kv_available_tokens", "The number of free KV cache tokens.");
  exporter.gauge("sglang:kv_evictable_tokens", "The number of KV cache tokens that can be evicted.");
  const occupancy = exporter.gauge("sglang:fwd_occupancy", "The forward occupancy in percent.");
  const total = exporter.gauge("sglang:max_total_num_tokens", "Maximum total number of tokens in the KV cache pool.");
  const retractedNow = exporter.gauge("sglang:num_retracted_reqs", "The number of retracted requests.");
  const retracted = exporter.counter("sglang:num_retracted_requests_total", "Total number of retracted requests.");
  const queueTime = exporter.histogram(
    "sglang:queue_time_seconds",
    "Histogram of queueing time in seconds.",
    SGLANG_QUEUE_SECONDS,
  );
  const stage = exporter.histogram(
    "sglang:per_stage_req_latency_seconds",
    "The latency of each stage of requests.",
    SGLANG_STAGE_SECONDS,
    ["stage"],
  );
  total(simulation.options.kvBlocks * BLOCK_SIZE);
  simulation.observe({
    preempted: () => retracted(1),
    scheduled: (request) => {
      const waited = (request.scheduled ?? NaN) - request.arrival;
      queueTime(waited);
      stage(waited, { stage: "prefill_waiting" });
    },
    firstToken: (request) =>
      stage((request.firstToken ?? NaN) - (request.scheduled ?? NaN), { stage: "prefill_forward" }),
  });
  let before = { now: 0, busy: 0 };
  exporter.beforeExposition(() => {
    running(simulation.running.length);
    queued(simulation.waiting.length);
    used(simulation.usedBlocks * BLOCK_SIZE);
    kvUsed(simulation.usedBlocks * BLOCK_SIZE);
    kvFree((simulation.options.kvBlocks - simulation.usedBlocks) * BLOCK_SIZE);
    const { now, busySeconds: busy } = simulation;
    if (now > before.now) occupancy(Math.min(100, (100 * (busy - before.busy)) / (now - before.now)));
    before = { now, busy };
    usage(simulation.kvUsage);
    retractedNow(simulation.waiting.filter(({ preemptions }) => preemptions > 0).length);
  });
}

/** Host memory behind the KV cache holds so many times its tokens. */
const HOST_SIZE = 2;
const LORA_SLOTS = 8;
/** One in so many requests asks for an adapter, each in turn for another one. */
const WITH_ADAPTER = 5;
const ADAPTERS = 3;

/** What lies beside the KV cache: host memory, adapters, and the pools of hybrid models, which stay empty. */
function pools(exporter: MetricsPage, simulation: Simulation): void {
  exporter.gauge("sglang:swa_token_usage", "The token usage for SWA layers.");
  exporter.gauge("sglang:mamba_usage", "The token usage for Mamba layers.");
  const hostUsed = exporter.gauge("sglang:hicache_host_used_tokens", "Tokens used in the host KV cache.");
  const hostTotal = exporter.gauge("sglang:hicache_host_total_tokens", "Tokens that fit into the host KV cache.");
  const slotsUsed = exporter.gauge("sglang:lora_pool_slots_used", "Number of LoRA adapter slots in use.");
  const slots = exporter.gauge("sglang:lora_pool_slots_total", "Number of LoRA adapter slots.");
  const slotUsage = exporter.gauge("sglang:lora_pool_utilization", "LoRA pool utilization (0.0-1.0).");
  const hostSize = HOST_SIZE * simulation.options.kvBlocks * BLOCK_SIZE;
  let onHost = 0;
  simulation.observe({
    finished: ({ promptTokens, cachedTokens }) => {
      onHost = Math.min(hostSize, onHost + promptTokens - cachedTokens);
    },
  });
  exporter.beforeExposition(() => {
    const adapted = simulation.running.filter(({ id }) => id % WITH_ADAPTER === 0);
    const inUse = new Set(adapted.map(({ id }) => (id / WITH_ADAPTER) % ADAPTERS)).size;
    hostUsed(onHost);
    hostTotal(hostSize);
    slotsUsed(inUse);
    slots(LORA_SLOTS);
    slotUsage(inUse / LORA_SLOTS);
  });
}

function rates(exporter: MetricsPage, simulation: Simulation): void {
  const throughput = exporter.gauge("sglang:gen_throughput", "The generation throughput (token/s).");
  const hitRate = exporter.gauge("sglang:cache_hit_rate", "The prefix cache hit rate.");
  const realtime = exporter.counter(
    "sglang:realtime_tokens_total",
    "Total number of tokens processed (updated on each log interval). mode: prefill_compute, prefill_cache, decode.",
    ["mode"],
  );
  const execution = exporter.counter(
    "sglang:gpu_execution_seconds_total",
    "Total time that GPU is busy executing a workload. Refer to ForwardMode for category labels.",
    ["category"],
  );
  const effective = exporter.counter(
    "sglang:prefill_effective_tokens_total",
    "Effective prefill tokens with retracted-request re-counts excluded. mode: device_hit, host_hit, storage_hit, input.",
    ["mode"],
  );
  for (const mode of ["input", "device_hit", "host_hit", "storage_hit"]) effective(0, { mode });
  for (const mode of ["prefill_compute", "prefill_cache", "decode"]) realtime(0, { mode });
  let recent: EngineStep[] = [];
  const hits = new RecentShare();
  simulation.observe({
    scheduled: (request) => {
      hits.add(request.cachedTokens, request.promptTokens);
      realtime(request.cachedTokens, { mode: "prefill_cache" });
      effective(request.cachedTokens, { mode: "device_hit" });
      effective(request.promptTokens - request.cachedTokens, { mode: "input" });
    },
    stepped: (step) => {
      recent = recent.filter(({ end }) => end > step.end - LOG_SECONDS);
      recent.push(step);
      realtime(step.prefillTokens, { mode: "prefill_compute" });
      realtime(step.generatedTokens, { mode: "decode" });
      execution(step.end - step.start, { category: step.prefillTokens > 0 ? "extend" : "decode" });
    },
  });
  exporter.beforeExposition(() => {
    const tokens = recent
      .filter(({ end }) => end > simulation.now - LOG_SECONDS)
      .reduce((sum, step) => sum + step.generatedTokens, 0);
    throughput(tokens / LOG_SECONDS);
    hitRate(hits.value);
  });
}

function finishedRequests(exporter: MetricsPage, simulation: Simulation): void {
  const prompt = exporter.counter("sglang:prompt_tokens_total", "Number of prefill tokens processed.");
  const generation = exporter.counter("sglang:generation_tokens_total", "Number of generation tokens processed.");
  const cached = exporter.counter("sglang:cached_tokens_total", "Number of cached prompt tokens.");
  const requests = exporter.counter("sglang:num_requests_total", "Number of requests processed.");
  const aborted = exporter.counter("sglang:num_aborted_requests_total", "Number of requests aborted.");
  const ttft = exporter.histogram(
    "sglang:time_to_first_token_seconds",
    "Histogram of time to first token in seconds.",
    SGLANG_TTFT_SECONDS,
  );
  const itl = exporter.histogram(
    "sglang:inter_token_latency_seconds",
    "Histogram of inter-token latency in seconds.",
    SGLANG_ITL_SECONDS,
  );
  const e2e = exporter.histogram(
    "sglang:e2e_request_latency_seconds",
    "Histogram of End-to-end request latency in seconds",
    SGLANG_E2E_SECONDS,
  );
  const grammar = exporter.histogram(
    "sglang:grammar_compilation_time_seconds",
    "Histogram of grammar compilation time in seconds.",
    SGLANG_GRAMMAR_SECONDS,
  );
  const retractions = exporter.histogram(
    "sglang:num_retractions",
    "Histogram of retraction counts per request.",
    SGLANG_RETRACTIONS,
  );
  simulation.observe({
    arrived: ({ id, promptTokens }) => {
      // One in ten asks for structured output.
      if (id % 10 === 0) grammar(0.008 + promptTokens * 0.00002);
    },
    firstToken: (request) => ttft((request.firstToken ?? NaN) - request.arrival),
    tokens: (_request, _count, interval) => itl(interval),
    finished: (request) => {
      prompt(request.promptTokens);
      generation(request.generated);
      cached(request.cachedTokens);
      requests(1);
      if (request.finishReason === "abort") aborted(1);
      e2e(timesOf(request).e2e);
      retractions(request.preemptions);
    },
  });
}

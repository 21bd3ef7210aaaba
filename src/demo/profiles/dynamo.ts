import { MetricsPage, Families } from "./families.js";
import { timesOf, timeToFirstToken, type Request } from "../request.js";
import { BLOCK_SIZE, MAX_BATCHED_TOKENS, MAX_MODEL_LEN, MAX_NUM_SEQS, type Simulation } from "../simulation.js";
import {
  COMPONENT_DURATION_SECONDS,
  FRONTEND_DURATION_SECONDS,
  FRONTEND_INPUT_TOKENS,
  FRONTEND_ITL_SECONDS,
  FRONTEND_OUTPUT_TOKENS,
  FRONTEND_TTFT_SECONDS,
  STAGE_SECONDS,
  TOKENIZER_MS,
} from "./buckets.js";
import { additionalFamilies, trtllmFamilies } from "./trtllm.js";
import { MODEL } from "./vllm.js";
import { Mean, RecentShare } from "./averages.js";

const COMPONENT = { dynamo_component: "tensorrt_llm", dynamo_namespace: "dynamo" };
const WORKER = { ...COMPONENT, dynamo_endpoint: "generate", model: MODEL };
const BYTES_PER_TOKEN = 4.4;
/** Each streamed token travels in a message of its own. */
const RESPONSE_BYTES_PER_TOKEN = 61;

const DECODER = { worker_id: "1", dp_rank: "0", worker_type: "decode" };
/** Milliseconds to tokenize one token of a prompt, and seconds for its template and for choosing a worker. */
const TOKENIZED_MS = 0.002;
const TEMPLATE_SECONDS = 0.0003;
const ROUTED_SECONDS = 0.0008;
/** From the frontend to the worker. */
const TRANSIT_SECONDS = 0.0004;

/** A Dynamo deployment with one TensorRT-LLM worker, all of its parts on one page. */
export function dynamo(simulation: Simulation): MetricsPage {
  // The frontend writes model names in lower case.
  const exporter = new MetricsPage({ model: MODEL.toLowerCase() });
  const page = new Families(exporter, simulation, "dynamo_frontend_");
  frontend(page);
  router(page);
  modelConfiguration(page);
  component(page);
  const worker = page.others("trtllm_", { model_name: MODEL, engine_type: "trtllm" });
  trtllmFamilies(worker);
  additionalFamilies(worker);
  kvbm(page);
  planner(page);
  return exporter;
}

function frontend(families: Families): void {
  const { simulation } = families;
  const { running, waiting } = simulation;
  const own = families.others("dynamo_frontend_", {});
  const tokenized = ({ promptTokens }: Request) => 0.2 + promptTokens * TOKENIZED_MS;
  const stream = { endpoint: "chat_completions", request_type: "stream" };
  let awaitingFirstToken = 0;
  // The gauge only ever grows.
  let disconnections = 0;
  simulation.observe({
    arrived: () => awaitingFirstToken++,
    firstToken: () => awaitingFirstToken--,
    finished: ({ finishReason }) => (disconnections += Number(finishReason === "abort")),
  });
  own.gauge("disconnected_clients", "Number of disconnected clients", () => disconnections);
  const inFlight = () => running.length + waiting.length;
  families.gauge("inflight_requests", "Number of inflight requests", inFlight);
  families.gauge("active_requests", "Number of requests being worked on", inFlight);
  own.counter("event_loop_stall_total", "Number of event loop stalls longer than 5 ms");
  families
    .others("dynamo_frontend_", { model: MODEL, migration_type: "ongoing_request" })
    .counter("model_migration_total", "Number of request migrations as a worker was lost");
  families.gauge("queued_requests", "Number of requests in HTTP processing queue", () => awaitingFirstToken);
  families.counter(
    "requests_total{endpoint,request_type,status,error_type}",
    "Total number of LLM requests processed",
    { finished: (request) => [[1, { ...stream, ...outcomeOf(request) }]] },
  );
  families.counter("model_cancellation_total{endpoint,request_type}", "Total number of request cancellations", {
    finished: ({ finishReason }) => (finishReason === "abort" ? [[1, stream]] : undefined),
  });
  families.counter("output_tokens_total", "Total number of output tokens generated (updates in real-time)", {
    firstToken: () => 1,
    tokens: (_request, count) => count,
  });
  families.histogram("input_sequence_tokens", "Input sequence length in tokens", FRONTEND_INPUT_TOKENS, {
    firstToken: ({ promptTokens }) => promptTokens,
  });
  families.histogram("output_sequence_tokens", "Output sequence length in tokens", FRONTEND_OUTPUT_TOKENS, {
    finished: ({ generated }) => generated,
  });
  families.histogram("inter_token_latency_seconds", "Inter-token latency in seconds", FRONTEND_ITL_SECONDS, {
    tokens: (_request, _count, interval) => interval,
  });
  families.histogram("time_to_first_token_seconds", "Time to first token in seconds", FRONTEND_TTFT_SECONDS, {
    firstToken: timeToFirstToken,
  });
  families.histogram("request_duration_seconds", "Duration of LLM requests", FRONTEND_DURATION_SECONDS, {
    finished: (request) => timesOf(request).e2e,
  });
  families.histogram("tokenizer_latency_ms{operation}", "Tokenizer latency in milliseconds", TOKENIZER_MS, {
    arrived: (request) => [[tokenized(request), { operation: "tokenize" }]],
  });
  families.histogram("stage_duration_seconds{stage}", "Duration of each stage of the pipeline", STAGE_SECONDS, {
    arrived: (request) => [
      [tokenized(request) / 1000 + TEMPLATE_SECONDS, { stage: "preprocess" }],
      [ROUTED_SECONDS, { stage: "route" }],
    ],
    firstToken: (request) => [[timeToFirstToken(request), { stage: "transport_roundtrip" }]],
  });
  families
    .others("dynamo_frontend_", DECODER)
    .gauge("worker_active_decode_blocks", "Active decode blocks per worker", () => simulation.usedBlocks);
  families
    .others("dynamo_frontend_", { worker_type: "decode" })
    .gauge(
      "router_queue_pending_requests",
      "Number of requests pending in the router's scheduler queue",
      () => waiting.length,
    );
}

/** How the frontend counts a request that ended: one that its client gave up is an error of a type of its own. */
function outcomeOf({ finishReason }: Request) {
  if (finishReason === "abort") return { status: "error", error_type: "cancelled" };
  if (finishReason === "error") return { status: "error", error_type: "internal" };
  return { status: "success", error_type: "" };
}

/** Milliseconds of each step of a choice, by the prompt's tokens where they matter. */
const ROUTING_STEPS = [
  { step: "block_hashing", help: "Time spent hashing the prompt's blocks", tokens: 0.00004, fixed: 0.01 },
  { step: "indexer_find_matches", help: "Time spent looking up matches in the index", tokens: 0.00002, fixed: 0.02 },
  { step: "scheduling", help: "Time spent choosing a worker", tokens: 0, fixed: 0.05 },
] as const;

/** The router in the frontend, and the request plane from it to the worker. */
function router(page: Families): void {
  const overhead = page.others("dynamo_router_overhead_", { router_id: "1" });
  const took = ({ tokens, fixed }: (typeof ROUTING_STEPS)[number], { promptTokens }: Request) =>
    fixed + promptTokens * tokens;
  for (const one of ROUTING_STEPS)
    overhead.histogram(`${one.step}_ms`, one.help, TOKENIZER_MS, { arrived: (request) => took(one, request) });
  overhead.histogram("total_ms", "Total routing overhead of a request", TOKENIZER_MS, {
    arrived: (request) => ROUTING_STEPS.reduce((sum, one) => sum + took(one, request), 0),
  });
  const plane = page.others("dynamo_request_plane_", {});
  plane.histogram("queue_seconds", "Time from the serialized request to its sending", STAGE_SECONDS, {
    arrived: () => 0.00005,
  });
  plane.histogram("send_seconds", "Time to send a request", STAGE_SECONDS, { arrived: () => 0.0001 });
  plane.histogram("roundtrip_ttft_seconds", "Time from sending a request to the first response", STAGE_SECONDS, {
    firstToken: timeToFirstToken,
  });
  page
    .others("dynamo_component_", WORKER)
    .histogram("network_transit_seconds", "Time from sending by the frontend to receipt by the worker", STAGE_SECONDS, {
      arrived: () => TRANSIT_SECONDS,
    });
}

function modelConfiguration(page: Families): void {
  const facts = [
    ["context_length", "Maximum context length in tokens for a worker serving the model", MAX_MODEL_LEN],
    ["kv_cache_block_size", "KV cache block size in tokens for a worker serving the model", BLOCK_SIZE],
    ["max_num_batched_tokens", "Maximum number of batched tokens for a worker serving the model", MAX_BATCHED_TOKENS],
    ["max_num_seqs", "Maximum number of sequences for a worker serving the model", MAX_NUM_SEQS],
    ["migration_limit", "Maximum number of request migrations allowed for the model", 0],
    [
      "total_kv_blocks",
      "Total KV cache blocks available for a worker serving the model",
      page.simulation.options.kvBlocks,
    ],
    ["workers", "Number of worker instances serving the model", 1],
  ] as const;
  const families = page.others("dynamo_frontend_model_", { model: MODEL });
  for (const [name, help, value] of facts) families.gauge(name, help, value);
}

function component(page: Families): void {
  const { simulation } = page;
  const { running, waiting, options } = simulation;
  const kv = page.others("dynamo_component_", COMPONENT);
  const worker = page.others("dynamo_component_", WORKER);
  const prompts = { cached: 0, all: 0 };
  simulation.observe({
    scheduled: (request) => {
      prompts.cached += request.cachedTokens;
      prompts.all += request.promptTokens;
    },
  });
  worker.gauge(
    "inflight_requests",
    "Number of requests currently being processed by work handler",
    () => running.length + waiting.length,
  );
  kv.gauge("kvstats_active_blocks", "Number of active KV cache blocks currently in use", () => simulation.usedBlocks);
  // The second is today's name of the same.
  for (const name of ["kvstats_gpu_cache_usage_percent", "gpu_cache_usage_percent"])
    kv.gauge(name, "GPU cache usage as a percentage (0.0-1.0)", () => simulation.kvUsage);
  kv.gauge("kvstats_gpu_prefix_cache_hit_rate", "GPU prefix cache hit rate as a percentage (0.0-1.0)", () =>
    prompts.all === 0 ? 0 : prompts.cached / prompts.all,
  );
  kv.gauge("kvstats_total_blocks", "Total number of KV cache blocks available", options.kvBlocks);
  worker.counter("request_bytes_total", "Total number of bytes received in requests by work handler", {
    arrived: ({ promptTokens }) => Math.round(promptTokens * BYTES_PER_TOKEN),
  });
  worker.counter("response_bytes_total", "Total number of bytes sent in responses by work handler", {
    firstToken: () => RESPONSE_BYTES_PER_TOKEN,
    tokens: (_request, count) => count * RESPONSE_BYTES_PER_TOKEN,
  });
  worker.counter("requests_total", "Total number of requests processed by work handler", { finished: () => 1 });
  const generating = { error_type: "generate" };
  worker.counter("errors_total{error_type}", "Total number of errors in work handler processing", {
    finished: ({ finishReason }) => (finishReason === "error" ? [[1, generating]] : undefined),
  })(0, generating);
  worker.counter("cancellation_total", "Total number of requests cancelled by work handler", {
    finished: ({ finishReason }) => Number(finishReason === "abort"),
  });
  worker.histogram(
    "request_duration_seconds",
    "Time spent processing requests by work handler",
    COMPONENT_DURATION_SECONDS,
    { finished: (request) => timesOf(request).e2e },
  );
  page
    .others("dynamo_component_", {})
    .gauge("uptime_seconds", "Total uptime of the DistributedRuntime in seconds", () => simulation.now);
}

/** One in so many requests finds its shared prefix in host memory: the GPU has given it up meanwhile. */
const FROM_HOST = 4;

/** The KV block manager: whatever is computed is offloaded to host memory, which has room for all of it. */
function kvbm(page: Families): void {
  const families = page.others("kvbm_", {});
  const fromHost = ({ id, cachedTokens }: Request) => (id % FROM_HOST === 0 ? cachedTokens : 0);
  const rate = (tier: string, value?: () => number) =>
    families.gauge(`${tier}_cache_hit_rate`, `Cache hit rate of ${tier} memory (0.0-1.0)`, value);
  families.counter("offload_blocks_d2h", "Number of blocks offloaded from device to host", {
    finished: ({ promptTokens, cachedTokens }) => Math.floor((promptTokens - cachedTokens) / BLOCK_SIZE),
  });
  families.counter("offload_blocks_h2d", "Number of blocks offloaded from host to disk");
  families.counter("onboard_blocks_h2d", "Number of blocks onboarded from host to device", {
    scheduled: (request) => Math.floor(fromHost(request) / BLOCK_SIZE),
  });
  families.counter("onboard_blocks_d2d", "Number of blocks onboarded from disk to device");
  families.counter("matched_tokens", "Number of tokens found in the caches", { scheduled: fromHost });
  const tokens = new RecentShare();
  families.simulation.observe({ scheduled: (request) => tokens.add(fromHost(request), request.promptTokens) });
  rate("host", () => tokens.value);
  rate("disk");
  rate("object");
}

/** The planner looks at the deployment this often. */
const PLANNER_SECONDS = 10;

/** The planner of a deployment that it leaves as it is: one worker for prefill and decode. */
function planner(page: Families): void {
  const { simulation } = page;
  const families = page.others("dynamo_planner_", {});
  const nothing = (since: number) => ({ since, requests: 0, ttft: new Mean(), itl: new Mean() });
  let seen = nothing(0);
  let observed = { rate: 0, ttft: 0, itl: 0 };
  simulation.observe({
    firstToken: (request) => seen.ttft.add(timeToFirstToken(request)),
    tokens: (_request, _count, interval) => seen.itl.add(interval),
    finished: () => seen.requests++,
  });
  families.exporter.beforeExposition(() => {
    const { now } = simulation;
    if (now < seen.since + PLANNER_SECONDS) return;
    const { since, requests, ttft, itl } = seen;
    observed = { rate: requests / (now - since), ttft: ttft.value * 1000, itl: itl.value * 1000 };
    seen = nothing(now);
  });
  families.gauge("num_prefill_replicas", "Number of prefill replicas");
  families.gauge("num_decode_replicas", "Number of decode replicas", 1);
  families.gauge("observed_requests_per_second", "Observed requests per second", () => observed.rate);
  families.gauge("observed_ttft_ms", "Observed time to first token in milliseconds", () => observed.ttft);
  families.gauge("observed_itl_ms", "Observed inter-token latency in milliseconds", () => observed.itl);
}

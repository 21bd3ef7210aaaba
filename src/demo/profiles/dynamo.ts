import { MetricsPage } from "../exporter.js";
import { timesOf, type Request } from "../request.js";
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
import { kvbm, planner } from "./dynamo-parts.js";
import { additionalFamilies, trtllmFamilies } from "./trtllm.js";
import { MODEL } from "./vllm.js";

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
  frontend(exporter, simulation);
  router(exporter, simulation);
  modelConfiguration(exporter, simulation);
  component(exporter, simulation);
  const worker = { model_name: MODEL, engine_type: "trtllm" };
  trtllmFamilies(exporter, simulation, "trtllm_", worker);
  additionalFamilies(exporter, simulation, worker);
  kvbm(exporter, simulation);
  planner(exporter, simulation);
  return exporter;
}

function frontend(exporter: MetricsPage, simulation: Simulation): void {
  const name = (family: string) => `dynamo_frontend_${family}`;
  const disconnected = exporter.gauge(name("disconnected_clients"), "Number of disconnected clients", [], {});
  const inflight = exporter.gauge(name("inflight_requests"), "Number of inflight requests");
  const active = exporter.gauge(name("active_requests"), "Number of requests being worked on");
  exporter.counter(name("event_loop_stall_total"), "Number of event loop stalls longer than 5 ms", [], {});
  exporter.counter(name("model_migration_total"), "Number of request migrations as a worker was lost", [], {
    model: MODEL,
    migration_type: "ongoing_request",
  });
  const queued = exporter.gauge(name("queued_requests"), "Number of requests in HTTP processing queue");
  const requests = exporter.counter(name("requests_total"), "Total number of LLM requests processed", [
    "endpoint",
    "request_type",
    "status",
    "error_type",
  ]);
  const cancelled = exporter.counter(name("model_cancellation_total"), "Total number of request cancellations", [
    "endpoint",
    "request_type",
  ]);
  const outputTokens = exporter.counter(
    name("output_tokens_total"),
    "Total number of output tokens generated (updates in real-time)",
  );
  const input = exporter.histogram(
    name("input_sequence_tokens"),
    "Input sequence length in tokens",
    FRONTEND_INPUT_TOKENS,
  );
  const output = exporter.histogram(
    name("output_sequence_tokens"),
    "Output sequence length in tokens",
    FRONTEND_OUTPUT_TOKENS,
  );
  const itl = exporter.histogram(
    name("inter_token_latency_seconds"),
    "Inter-token latency in seconds",
    FRONTEND_ITL_SECONDS,
  );
  const ttft = exporter.histogram(
    name("time_to_first_token_seconds"),
    "Time to first token in seconds",
    FRONTEND_TTFT_SECONDS,
  );
  const duration = exporter.histogram(
    name("request_duration_seconds"),
    "Duration of LLM requests",
    FRONTEND_DURATION_SECONDS,
  );
  const tokenizer = exporter.histogram(
    name("tokenizer_latency_ms"),
    "Tokenizer latency in milliseconds",
    TOKENIZER_MS,
    ["operation"],
  );
  const stage = exporter.histogram(
    name("stage_duration_seconds"),
    "Duration of each stage of the pipeline",
    STAGE_SECONDS,
    ["stage"],
  );
  const blocks = exporter.gauge(name("worker_active_decode_blocks"), "Active decode blocks per worker", [], DECODER);
  const pending = exporter.gauge(
    name("router_queue_pending_requests"),
    "Number of requests pending in the router's scheduler queue",
    [],
    { worker_type: "decode" },
  );
  let awaitingFirstToken = 0;
  // The gauge only ever grows.
  let disconnections = 0;
  simulation.observe({
    arrived: ({ promptTokens }) => {
      awaitingFirstToken++;
      const milliseconds = 0.2 + promptTokens * TOKENIZED_MS;
      tokenizer(milliseconds, { operation: "tokenize" });
      stage(milliseconds / 1000 + TEMPLATE_SECONDS, { stage: "preprocess" });
      stage(ROUTED_SECONDS, { stage: "route" });
    },
    firstToken: (request) => {
      awaitingFirstToken--;
      stage((request.firstToken ?? NaN) - request.arrival, { stage: "transport_roundtrip" });
      outputTokens(1);
      input(request.promptTokens);
      ttft((request.firstToken ?? NaN) - request.arrival);
    },
    tokens: (_request, count, interval) => {
      outputTokens(count);
      itl(interval);
    },
    finished: (request) => {
      const stream = { endpoint: "chat_completions", request_type: "stream" };
      requests(1, { ...stream, ...outcomeOf(request) });
      if (request.finishReason === "abort") {
        cancelled(1, stream);
        disconnected(++disconnections);
      }
      output(request.generated);
      duration(timesOf(request).e2e);
    },
  });
  exporter.beforeExposition(() => {
    inflight(simulation.running.length + simulation.waiting.length);
    active(simulation.running.length + simulation.waiting.length);
    queued(awaitingFirstToken);
    blocks(simulation.usedBlocks);
    pending(simulation.waiting.length);
  });
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
function router(exporter: MetricsPage, simulation: Simulation): void {
  const overhead = (step: string, help: string) =>
    exporter.histogram(`dynamo_router_overhead_${step}_ms`, help, TOKENIZER_MS, [], { router_id: "1" });
  const steps = ROUTING_STEPS.map((one) => ({ ...one, observe: overhead(one.step, one.help) }));
  const total = overhead("total", "Total routing overhead of a request");
  const plane = (name: string, help: string) =>
    exporter.histogram(`dynamo_request_plane_${name}_seconds`, help, STAGE_SECONDS, [], {});
  const queue = plane("queue", "Time from the serialized request to its sending");
  const send = plane("send", "Time to send a request");
  const roundtrip = plane("roundtrip_ttft", "Time from sending a request to the first response");
  const transit = exporter.histogram(
    "dynamo_component_network_transit_seconds",
    "Time from sending by the frontend to receipt by the worker",
    STAGE_SECONDS,
    [],
    WORKER,
  );
  simulation.observe({
    arrived: ({ promptTokens }) => {
      const took = steps.map(({ tokens, fixed, observe }) => {
        const milliseconds = fixed + promptTokens * tokens;
        observe(milliseconds);
        return milliseconds;
      });
      total(took.reduce((sum, one) => sum + one, 0));
      queue(0.00005);
      send(0.0001);
      transit(TRANSIT_SECONDS);
    },
    firstToken: (request) => roundtrip((request.firstToken ?? NaN) - request.arrival),
  });
}

function modelConfiguration(exporter: MetricsPage, simulation: Simulation): void {
  const facts = [
    ["context_length", "Maximum context length in tokens for a worker serving the model", MAX_MODEL_LEN],
    ["kv_cache_block_size", "KV cache block size in tokens for a worker serving the model", BLOCK_SIZE],
    ["max_num_batched_tokens", "Maximum number of batched tokens for a worker serving the model", MAX_BATCHED_TOKENS],
    ["max_num_seqs", "Maximum number of sequences for a worker serving the model", MAX_NUM_SEQS],
    ["migration_limit", "Maximum number of request migrations allowed for the model", 0],
    ["total_kv_blocks", "Total KV cache blocks available for a worker serving the model", simulation.options.kvBlocks],
    ["workers", "Number of worker instances serving the model", 1],
  ] as const;
  for (const [name, help, value] of facts)
    exporter.gauge(`dynamo_frontend_model_${name}`, help, [], { model: MODEL })(value);
}

function component(exporter: MetricsPage, simulation: Simulation): void {
  const name = (family: string) => `dynamo_component_${family}`;
  const inflight = exporter.gauge(
    name("inflight_requests"),
    "Number of requests currently being processed by work handler",
    [],
    WORKER,
  );
  const active = exporter.gauge(
    name("kvstats_active_blocks"),
    "Number of active KV cache blocks currently in use",
    [],
    COMPONENT,
  );
  const usage = exporter.gauge(
    name("kvstats_gpu_cache_usage_percent"),
    "GPU cache usage as a percentage (0.0-1.0)",
    [],
    COMPONENT,
  );
  // Today's name of the same.
  const usageToday = exporter.gauge(
    name("gpu_cache_usage_percent"),
    "GPU cache usage as a percentage (0.0-1.0)",
    [],
    COMPONENT,
  );
  const hitRate = exporter.gauge(
    name("kvstats_gpu_prefix_cache_hit_rate"),
    "GPU prefix cache hit rate as a percentage (0.0-1.0)",
    [],
    COMPONENT,
  );
  const total = exporter.gauge(
    name("kvstats_total_blocks"),
    "Total number of KV cache blocks available",
    [],
    COMPONENT,
  );
  const requestBytes = exporter.counter(
    name("request_bytes_total"),
    "Total number of bytes received in requests by work handler",
    [],
    WORKER,
  );
  const responseBytes = exporter.counter(
    name("response_bytes_total"),
    "Total number of bytes sent in responses by work handler",
    [],
    WORKER,
  );
  const requests = exporter.counter(
    name("requests_total"),
    "Total number of requests processed by work handler",
    [],
    WORKER,
  );
  const errors = exporter.counter(
    name("errors_total"),
    "Total number of errors in work handler processing",
    ["error_type"],
    WORKER,
  );
  const cancelled = exporter.counter(
    name("cancellation_total"),
    "Total number of requests cancelled by work handler",
    [],
    WORKER,
  );
  const duration = exporter.histogram(
    name("request_duration_seconds"),
    "Time spent processing requests by work handler",
    COMPONENT_DURATION_SECONDS,
    [],
    WORKER,
  );
  const uptime = exporter.gauge(name("uptime_seconds"), "Total uptime of the DistributedRuntime in seconds", [], {});
  total(simulation.options.kvBlocks);
  errors(0, { error_type: "generate" });
  const prompts = { cached: 0, all: 0 };
  simulation.observe({
    arrived: (request) => requestBytes(Math.round(request.promptTokens * BYTES_PER_TOKEN)),
    scheduled: (request) => {
      prompts.cached += request.cachedTokens;
      prompts.all += request.promptTokens;
    },
    firstToken: () => responseBytes(RESPONSE_BYTES_PER_TOKEN),
    tokens: (_request, count) => responseBytes(count * RESPONSE_BYTES_PER_TOKEN),
    finished: (request) => {
      requests(1);
      if (request.finishReason === "abort") cancelled(1);
      if (request.finishReason === "error") errors(1, { error_type: "generate" });
      duration(timesOf(request).e2e);
    },
  });
  exporter.beforeExposition(() => {
    inflight(simulation.running.length + simulation.waiting.length);
    active(simulation.usedBlocks);
    usage(simulation.kvUsage);
    usageToday(simulation.kvUsage);
    hitRate(prompts.all === 0 ? 0 : prompts.cached / prompts.all);
    uptime(simulation.now);
  });
}

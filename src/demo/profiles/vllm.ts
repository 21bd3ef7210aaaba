import { MetricsPage } from "../exporter.js";
import { timesOf } from "../request.js";
import { BLOCK_SIZE, MAX_BATCHED_TOKENS, MAX_MODEL_LEN, MAX_NUM_SEQS, type Simulation } from "../simulation.js";
import { ITERATION_TOKENS, oneTwoFive, REQUEST_SECONDS, TOKEN_SECONDS, TTFT_SECONDS } from "./buckets.js";
import { httpServer, pythonProcess } from "./process.js";
import { KV_BYTES_PER_TOKEN, kvCache } from "./vllm-kv.js";

export const MODEL = "meta-llama/Llama-3.1-8B-Instruct";
const ENGINE = { model_name: MODEL, engine: "0" };
const PARAMETERS = 8.03e9;

/** vLLM of autumn 2026, one engine, with its HTTP server and process. */
export function vllm(simulation: Simulation, startSeconds: number): MetricsPage {
  const exporter = new MetricsPage(ENGINE);
  pythonProcess(exporter, simulation, startSeconds);
  scheduler(exporter, simulation);
  tokens(exporter, simulation);
  latencies(exporter, simulation);
  requests(exporter, simulation);
  kvCache(exporter, simulation);
  if (simulation.options.draftTokens > 0) speculation(exporter, simulation);
  cacheConfig(exporter, simulation);
  httpServer(exporter, simulation);
  return exporter;
}

function scheduler(exporter: MetricsPage, simulation: Simulation): void {
  const running = exporter.gauge("vllm:num_requests_running", "Number of requests in model execution batches.");
  const waiting = exporter.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.");
  const byReason = exporter.gauge("vllm:num_requests_waiting_by_reason", "Number of waiting requests by reason.", [
    "reason",
  ]);
  const sleep = exporter.gauge(
    "vllm:engine_sleep_state",
    "Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; " +
      "weights_offloaded = 1 means sleep level 1; discard_all = 1 means sleep level 2.",
    ["sleep_state"],
  );
  const usage = exporter.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.");
  const preemptions = exporter.counter(
    "vllm:num_preemptions_total",
    "Cumulative number of preemption from the engine.",
  );
  for (const [sleep_state, value] of [
    ["awake", 1],
    ["weights_offloaded", 0],
    ["discard_all", 0],
  ] as const)
    sleep(value, { sleep_state });
  simulation.observe({ preempted: () => preemptions(1) });
  exporter.beforeExposition(() => {
    running(simulation.running.length);
    const { waiting: queued, lost } = simulation;
    waiting(queued.length + lost.length);
    byReason(queued.length, { reason: "capacity" });
    byReason(lost.length, { reason: "deferred" });
    usage(simulation.kvUsage);
  });
}

function tokens(exporter: MetricsPage, simulation: Simulation): void {
  const queries = exporter.counter(
    "vllm:prefix_cache_queries_total",
    "Prefix cache queries, in terms of number of queried tokens.",
  );
  const hits = exporter.counter(
    "vllm:prefix_cache_hits_total",
    "Prefix cache hits, in terms of number of cached tokens.",
  );
  for (const [family, what] of [
    ["external_prefix_cache", "External prefix cache"],
    ["mm_cache", "Multi-modal cache"],
  ] as const) {
    exporter.counter(`vllm:${family}_queries_total`, `${what} queries.`);
    exporter.counter(`vllm:${family}_hits_total`, `${what} hits.`);
  }
  const prompt = exporter.counter("vllm:prompt_tokens_total", "Number of prefill tokens processed.");
  const bySource = exporter.counter("vllm:prompt_tokens_by_source_total", "Number of prompt tokens by source.", [
    "source",
  ]);
  const cached = exporter.counter(
    "vllm:prompt_tokens_cached_total",
    "Number of cached prompt tokens (local and external).",
  );
  const cachedBySource = exporter.counter(
    "vllm:prompt_tokens_cached_by_source_total",
    "Number of cached prompt tokens by source of the cache.",
    ["source"],
  );
  for (const source of ["device", "host", "disk", "p2p", "external_unspecified"]) cachedBySource(0, { source });
  const generated = exporter.counter("vllm:generation_tokens_total", "Number of generation tokens processed.");
  const iteration = exporter.histogram(
    "vllm:iteration_tokens_total",
    "Histogram of number of tokens per engine_step.",
    ITERATION_TOKENS,
  );
  const flops = exporter.counter(
    "vllm:estimated_flops_per_gpu_total",
    "Estimated number of floating point operations per GPU (for Model Flops Utilization calculations).",
  );
  const read = exporter.counter(
    "vllm:estimated_read_bytes_per_gpu_total",
    "Estimated number of bytes read from memory per GPU (for Model Flops Utilization calculations).",
  );
  const written = exporter.counter(
    "vllm:estimated_write_bytes_per_gpu_total",
    "Estimated number of bytes written to memory per GPU (for Model Flops Utilization calculations).",
  );
  for (const source of ["local_compute", "local_cache_hit", "external_kv_transfer"]) bySource(0, { source });
  simulation.observe({
    scheduled: (request) => {
      queries(request.promptTokens);
      hits(request.cachedTokens);
    },
    firstToken: (request) => {
      prompt(request.promptTokens);
      cached(request.cachedTokens);
      cachedBySource(request.cachedTokens, { source: "device" });
      bySource(request.promptTokens - request.cachedTokens, { source: "local_compute" });
      bySource(request.cachedTokens, { source: "local_cache_hit" });
    },
    stepped: ({ prefillTokens, generatedTokens }) => {
      const all = prefillTokens + generatedTokens;
      generated(generatedTokens);
      iteration(all);
      flops(2 * PARAMETERS * all);
      read(2 * PARAMETERS + simulation.usedBlocks * BLOCK_SIZE * KV_BYTES_PER_TOKEN);
      written(all * KV_BYTES_PER_TOKEN);
    },
  });
}

function latencies(exporter: MetricsPage, simulation: Simulation): void {
  const ttft = exporter.histogram(
    "vllm:time_to_first_token_seconds",
    "Histogram of time to first token in seconds.",
    TTFT_SECONDS,
  );
  const itl = exporter.histogram(
    "vllm:inter_token_latency_seconds",
    "Histogram of inter-token latency in seconds.",
    TOKEN_SECONDS,
  );
  const tpot = exporter.histogram(
    "vllm:request_time_per_output_token_seconds",
    "Histogram of time_per_output_token_seconds per request.",
    TOKEN_SECONDS,
  );
  const phase = (name: string, help: string) => exporter.histogram(`vllm:${name}_seconds`, help, REQUEST_SECONDS);
  const e2e = phase("e2e_request_latency", "Histogram of e2e request latency in seconds.");
  const queue = phase("request_queue_time", "Histogram of time spent in WAITING phase for request.");
  const inference = phase("request_inference_time", "Histogram of time spent in RUNNING phase for request.");
  const prefill = phase("request_prefill_time", "Histogram of time spent in PREFILL phase for request.");
  const decode = phase("request_decode_time", "Histogram of time spent in DECODE phase for request.");
  const { transferSeconds = 0 } = simulation.options;
  const transfer =
    transferSeconds > 0
      ? exporter.histogram("vllm:nixl_xfer_time_seconds", "Histogram of transfer duration for NIXL.", REQUEST_SECONDS)
      : undefined;
  simulation.observe({
    arrived: (request) => transfer?.(request.transfer),
    firstToken: (request) => ttft((request.firstToken ?? NaN) - request.arrival),
    tokens: (_request, _count, interval) => itl(interval),
    finished: (request) => {
      const times = timesOf(request);
      e2e(times.e2e);
      queue(times.queue);
      inference(times.inference);
      prefill(times.prefill);
      decode(times.decode);
      if (request.generated > 1) tpot(times.decode / (request.generated - 1));
    },
  });
}

function requests(exporter: MetricsPage, simulation: Simulation): void {
  const success = exporter.counter("vllm:request_success_total", "Count of successfully processed requests.", [
    "finished_reason",
  ]);
  const lengths = oneTwoFive(MAX_MODEL_LEN);
  const histogram = (name: string, help: string, bounds = lengths) => exporter.histogram(`vllm:${name}`, help, bounds);
  const prompt = histogram("request_prompt_tokens", "Number of prefill tokens processed.");
  const generation = histogram("request_generation_tokens", "Number of generation tokens processed.");
  const computed = histogram(
    "request_prefill_kv_computed_tokens",
    "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
  );
  const longest = histogram(
    "request_max_num_generation_tokens",
    "Histogram of maximum number of requested generation tokens.",
  );
  const preemptions = histogram(
    "request_num_preemptions",
    "Histogram of preemptions per request.",
    [0, 1, 2, 3, 5, 10, 20, 50, 100],
  );
  exporter.counter(
    "vllm:corrupted_requests_total",
    "Corrupted requests, in terms of total number of requests with NaNs.",
  );
  const n = histogram("request_params_n", "Histogram of the n request parameter.", [1, 2, 5, 10, 20]);
  const maxTokens = histogram("request_params_max_tokens", "Histogram of the max_tokens request parameter.");
  for (const finished_reason of ["stop", "length", "abort", "error"]) success(0, { finished_reason });
  simulation.observe({
    finished: (request) => {
      success(1, { finished_reason: request.finishReason });
      prompt(request.promptTokens);
      generation(request.generated);
      computed(request.promptTokens - request.cachedTokens);
      longest(request.generated);
      preemptions(request.preemptions);
      n(1);
      maxTokens(request.maxTokens);
    },
  });
}

function speculation(exporter: MetricsPage, simulation: Simulation): void {
  const drafts = exporter.counter("vllm:spec_decode_num_drafts_total", "Number of spec decoding drafts.");
  const drafted = exporter.counter("vllm:spec_decode_num_draft_tokens_total", "Number of draft tokens.");
  const accepted = exporter.counter("vllm:spec_decode_num_accepted_tokens_total", "Number of accepted tokens.");
  const perPosition = exporter.counter(
    "vllm:spec_decode_num_accepted_tokens_per_pos_total",
    "Accepted tokens per draft position.",
    ["position"],
  );
  const positions = Array.from({ length: simulation.options.draftTokens }, (_, i) => ({ position: String(i) }));
  for (const position of positions) perPosition(0, position);
  simulation.observe({
    speculated: (tokens, right) => {
      drafts(1);
      drafted(tokens);
      accepted(right);
      for (const position of positions.slice(0, right)) perPosition(1, position);
    },
  });
}

function cacheConfig(exporter: MetricsPage, simulation: Simulation): void {
  const labels = {
    block_size: String(BLOCK_SIZE),
    cache_dtype: "auto",
    calculate_kv_scales: "False",
    enable_prefix_caching: "True",
    gpu_memory_utilization: "0.9",
    num_cpu_blocks: "None",
    num_gpu_blocks: String(simulation.options.kvBlocks),
    prefix_caching_hash_algo: "sha256",
    sliding_window: "None",
    swap_space: "4",
    engine: "0",
  };
  const info = exporter.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", [], labels);
  info(1);
}

/** What vLLM answers of itself in its development mode. */
export function vllmAnswers({ options: { kvBlocks, draftTokens } }: Simulation): Readonly<Record<string, object>> {
  return {
    "/version": { version: "0.32.0+demo" },
    "/v1/models": { object: "list", data: [{ id: MODEL, object: "model", max_model_len: MAX_MODEL_LEN }] },
    "/server_info": {
      vllm_config: {
        model_config: { model: MODEL, dtype: "torch.bfloat16", max_model_len: MAX_MODEL_LEN },
        cache_config: { block_size: BLOCK_SIZE, num_gpu_blocks: kvBlocks, enable_prefix_caching: true },
        scheduler_config: { max_num_seqs: MAX_NUM_SEQS, max_num_batched_tokens: MAX_BATCHED_TOKENS },
        speculative_config: { num_speculative_tokens: draftTokens },
      },
    },
  };
}

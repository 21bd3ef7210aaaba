import { MetricsPage, Families } from "./families.js";
import { timePerOutputToken, timesOf, timeToFirstToken, type Request, type RequestTimes } from "../request.js";
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
  const families = new Families(exporter, simulation, "vllm:");
  pythonProcess(families, startSeconds);
  scheduler(families);
  tokens(families);
  latencies(families);
  requests(families);
  kvCache(families);
  if (simulation.options.draftTokens > 0) speculation(families);
  cacheConfig(families);
  httpServer(families);
  return exporter;
}

function scheduler(families: Families): void {
  const { simulation } = families;
  const { running, waiting, lost } = simulation;
  families.gauge("num_requests_running", "Number of requests in model execution batches.", () => running.length);
  families.gauge(
    "num_requests_waiting",
    "Number of requests waiting to be processed.",
    () => waiting.length + lost.length,
  );
  families.gauge("num_requests_waiting_by_reason{reason}", "Number of waiting requests by reason.", () => [
    [waiting.length, { reason: "capacity" }],
    [lost.length, { reason: "deferred" }],
  ]);
  families.gauge(
    "engine_sleep_state{sleep_state}",
    "Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; " +
      "weights_offloaded = 1 means sleep level 1; discard_all = 1 means sleep level 2.",
    () => ["awake", "weights_offloaded", "discard_all"].map((sleep_state, i) => [i === 0 ? 1 : 0, { sleep_state }]),
  );
  families.gauge("kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", () => simulation.kvUsage);
  families.counter("num_preemptions_total", "Cumulative number of preemption from the engine.", { preempted: () => 1 });
}

function tokens(families: Families): void {
  const { simulation } = families;
  families.counter("prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.", {
    scheduled: ({ promptTokens }) => promptTokens,
  });
  families.counter("prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.", {
    scheduled: ({ cachedTokens }) => cachedTokens,
  });
  for (const [family, what] of [
    ["external_prefix_cache", "External prefix cache"],
    ["mm_cache", "Multi-modal cache"],
  ] as const) {
    families.counter(`${family}_queries_total`, `${what} queries.`);
    families.counter(`${family}_hits_total`, `${what} hits.`);
  }
  families.counter("prompt_tokens_total", "Number of prefill tokens processed.", {
    firstToken: ({ promptTokens }) => promptTokens,
  });
  const bySource = families.counter("prompt_tokens_by_source_total{source}", "Number of prompt tokens by source.", {
    firstToken: ({ promptTokens, cachedTokens }) => [
      [promptTokens - cachedTokens, { source: "local_compute" }],
      [cachedTokens, { source: "local_cache_hit" }],
    ],
  });
  families.counter("prompt_tokens_cached_total", "Number of cached prompt tokens (local and external).", {
    firstToken: ({ cachedTokens }) => cachedTokens,
  });
  const cachedBySource = families.counter(
    "prompt_tokens_cached_by_source_total{source}",
    "Number of cached prompt tokens by source of the cache.",
    { firstToken: ({ cachedTokens }) => [[cachedTokens, { source: "device" }]] },
  );
  for (const source of ["device", "host", "disk", "p2p", "external_unspecified"]) cachedBySource(0, { source });
  families.counter("generation_tokens_total", "Number of generation tokens processed.", {
    stepped: ({ generatedTokens }) => generatedTokens,
  });
  families.histogram("iteration_tokens_total", "Histogram of number of tokens per engine_step.", ITERATION_TOKENS, {
    stepped: ({ prefillTokens, generatedTokens }) => prefillTokens + generatedTokens,
  });
  const estimated = (name: string, what: string, of: (tokens: number) => number) =>
    families.counter(
      `estimated_${name}_per_gpu_total`,
      `Estimated number of ${what} per GPU (for Model Flops Utilization calculations).`,
      { stepped: ({ prefillTokens, generatedTokens }) => of(prefillTokens + generatedTokens) },
    );
  estimated("flops", "floating point operations", (all) => 2 * PARAMETERS * all);
  estimated(
    "read_bytes",
    "bytes read from memory",
    () => 2 * PARAMETERS + simulation.usedBlocks * BLOCK_SIZE * KV_BYTES_PER_TOKEN,
  );
  estimated("write_bytes", "bytes written to memory", (all) => all * KV_BYTES_PER_TOKEN);
  for (const source of ["local_compute", "local_cache_hit", "external_kv_transfer"]) bySource(0, { source });
}

function latencies(families: Families): void {
  families.histogram("time_to_first_token_seconds", "Histogram of time to first token in seconds.", TTFT_SECONDS, {
    firstToken: timeToFirstToken,
  });
  families.histogram("inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", TOKEN_SECONDS, {
    tokens: (_request, _count, interval) => interval,
  });
  families.histogram(
    "request_time_per_output_token_seconds",
    "Histogram of time_per_output_token_seconds per request.",
    TOKEN_SECONDS,
    { finished: timePerOutputToken },
  );
  const phase = (name: string, what: string, of: keyof RequestTimes) =>
    families.histogram(`${name}_seconds`, `Histogram of ${what}.`, REQUEST_SECONDS, {
      finished: (request) => timesOf(request)[of],
    });
  phase("e2e_request_latency", "e2e request latency in seconds", "e2e");
  phase("request_queue_time", "time spent in WAITING phase for request", "queue");
  phase("request_inference_time", "time spent in RUNNING phase for request", "inference");
  phase("request_prefill_time", "time spent in PREFILL phase for request", "prefill");
  phase("request_decode_time", "time spent in DECODE phase for request", "decode");
  const { transferSeconds = 0 } = families.simulation.options;
  if (transferSeconds > 0)
    families.histogram("nixl_xfer_time_seconds", "Histogram of transfer duration for NIXL.", REQUEST_SECONDS, {
      arrived: ({ transfer }) => transfer,
    });
}

function requests(families: Families): void {
  const success = families.counter(
    "request_success_total{finished_reason}",
    "Count of successfully processed requests.",
    { finished: ({ finishReason }) => [[1, { finished_reason: finishReason }]] },
  );
  const lengths = oneTwoFive(MAX_MODEL_LEN);
  const histogram = (name: string, help: string, of: (request: Request) => number, bounds = lengths) =>
    families.histogram(name, help, bounds, { finished: of });
  histogram("request_prompt_tokens", "Number of prefill tokens processed.", ({ promptTokens }) => promptTokens);
  histogram("request_generation_tokens", "Number of generation tokens processed.", ({ generated }) => generated);
  histogram(
    "request_prefill_kv_computed_tokens",
    "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
    ({ promptTokens, cachedTokens }) => promptTokens - cachedTokens,
  );
  histogram(
    "request_max_num_generation_tokens",
    "Histogram of maximum number of requested generation tokens.",
    ({ generated }) => generated,
  );
  histogram(
    "request_num_preemptions",
    "Histogram of preemptions per request.",
    ({ preemptions }) => preemptions,
    [0, 1, 2, 3, 5, 10, 20, 50, 100],
  );
  families.counter("corrupted_requests_total", "Corrupted requests, in terms of total number of requests with NaNs.");
  histogram("request_params_n", "Histogram of the n request parameter.", () => 1, [1, 2, 5, 10, 20]);
  histogram("request_params_max_tokens", "Histogram of the max_tokens request parameter.", (one) => one.maxTokens);
  for (const finished_reason of ["stop", "length", "abort", "error"]) success(0, { finished_reason });
}

function speculation(families: Families): void {
  families.counter("spec_decode_num_drafts_total", "Number of spec decoding drafts.", { speculated: () => 1 });
  families.counter("spec_decode_num_draft_tokens_total", "Number of draft tokens.", {
    speculated: (drafted) => drafted,
  });
  families.counter("spec_decode_num_accepted_tokens_total", "Number of accepted tokens.", {
    speculated: (_drafted, accepted) => accepted,
  });
  const perPosition = families.counter(
    "spec_decode_num_accepted_tokens_per_pos_total{position}",
    "Accepted tokens per draft position.",
  );
  // Labels cost prom-client the most, and there is a draft for each token.
  const accepted = new Array<number>(families.simulation.options.draftTokens).fill(0);
  families.simulation.observe({
    speculated: (_drafted, right) => {
      for (let i = 0; i < right; i++) accepted[i] = (accepted[i] ?? 0) + 1;
    },
  });
  families.exporter.beforeExposition(() => {
    for (const [i, count] of accepted.entries()) perPosition(count, { position: String(i) });
    accepted.fill(0);
  });
}

function cacheConfig({ exporter, simulation }: Families): void {
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
  exporter.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", [], labels)(1);
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

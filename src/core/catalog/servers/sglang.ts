import { counter, gauge, histogram, defineServer, derived, info, KV_LIMIT, rateRatio, SATURATED } from "../define.js";
import { cacheFamilies } from "./sglang-cache.js";

const LATENCY = "Latency: seconds, down";
const CACHE = "KV cache:";

/** SGLang's server of the vision or audio encoder (`--encoder-only`). */
const encoderFamilies = {
  "sglang:encoder_requests": counter("Encoder requests", "Throughput: requests, up"),
  "sglang:encoder_requests_received": counter("Encoder requests received", "Throughput: requests"),
  "sglang:encoder_request_e2e_latency_seconds": histogram("Encoder latency", LATENCY, {
    hint: "Queue, loading, forward pass and transfer together.",
  }),
  "sglang:encoder_queue_wait_seconds": histogram("Encoder queue time", LATENCY),
  "sglang:encoder_preprocess_seconds": histogram("Encoder loading time", LATENCY, {
    hint: "Loading and decoding of images, videos and sounds by the CPU.",
  }),
  "sglang:encoder_model_forward_seconds": histogram("Encoder forward time", LATENCY),
  "sglang:encoder_transfer_seconds": histogram("Embedding transfer time", LATENCY),
  "sglang:encoder_mm_items_per_batch": histogram("Items per encoder batch", "Queue and batch: items"),
  "sglang:encoder_mm_items_per_request": histogram("Items per encoder request", "Queue and batch: items"),
  "sglang:encoder_cache_evictions": counter("Encoder cache evictions", CACHE),
  "sglang:encoder_cache_size_mb": gauge("Encoder cache size", "KV cache: mebibytes"),
  "sglang:encoder_cache_entries": gauge("Encoder cache entries", CACHE),
  "sglang:encoder_cache_hit_tokens": counter("Encoder cache hits", "KV cache: tokens, up"),
  "sglang:encoder_cache_total_tokens": counter("Encoder cache lookups", "KV cache: tokens"),
  "sglang:encoder_cache_hit_files": counter("Encoder cache hits, files", "KV cache: up"),
  "sglang:encoder_cache_total_files": counter("Encoder cache lookups, files", CACHE),
};

const S = "Latency: seconds, down";
const LORA = "Queue and batch:";

/** SGLang's server of image and video models. */
const diffusionFamilies = {
  "sglang:diffusion_num_running_reqs": gauge("Generations running", "Queue and batch: requests"),
  "sglang:diffusion_num_queue_reqs": gauge("Generations waiting", "Queue and batch: requests, down"),
  "sglang:diffusion_requests": counter("Generations finished", "Throughput: requests, up", {
    hint: "By status; those of the warm-up carry is_warmup.",
  }),
  "sglang:diffusion_request_latency_seconds": histogram("Generation latency", S, {
    hint: "From acceptance by the scheduler, without encoding and sending of the result.",
  }),
  "sglang:diffusion_queue_time_seconds": histogram("Generation queue time", S),
  "sglang:diffusion_generation_batch_size": histogram("Generation batch size", "Queue and batch: requests"),
  "sglang:diffusion_stage_host_latency_seconds": histogram("Generation stage, time on the host", S, {
    hint: "By stage. Work on the GPU may end in a later one.",
  }),
  "sglang:diffusion_lora_loaded_adapters": gauge("LoRA adapters loaded", LORA),
  "sglang:diffusion_lora_active_adapters": gauge("LoRA adapters active", LORA),
  "sglang:diffusion_lora_active_modules": gauge("Modules with a LoRA adapter", LORA),
  "sglang:diffusion_lora_module_active": gauge("LoRA adapter of a module", LORA),
};

const LAST_BATCH = { over: "recent" } as const;
const ONCE_A_GAUGE = "A gauge in older versions.";

/** Names and types as of SGLang's main branch of autumn 2026, counters without `_total`. */
export const sglang = defineServer({
  id: "sglang",
  name: "SGLang",
  prefixes: ["sglang:", "sglang_"],
  families: {
    "sglang:num_running_reqs": gauge("Requests running", "requests", { hint: "Requests in the current batch." }),
    "sglang:num_running_reqs_offline_batch": gauge("Offline requests running", "requests"),
    "sglang:num_queue_reqs": gauge("Requests waiting", "requests, down", {
      hint: "Requests in the waiting queue. Growing: the server is saturated.",
    }),
    "sglang:num_grammar_queue_reqs": gauge("Requests waiting for a grammar", "requests, down", {
      hint: "Requests whose grammar is being compiled.",
    }),
    "sglang:num_prefill_prealloc_queue_reqs": gauge("Prefill preallocation queue", "requests, down", {
      hint: "Requests of a prefill worker that wait for KV cache.",
    }),
    "sglang:num_prefill_bootstrap_queue_reqs": gauge("Prefill bootstrap queue", "requests, down", {
      hint: "Requests of a prefill worker that wait for a decode worker to connect.",
    }),
    "sglang:num_prefill_inflight_queue_reqs": gauge("Prefill transfer queue", "requests, down", {
      hint: "Requests whose KV is on its way to the decode worker.",
    }),
    "sglang:num_decode_prealloc_queue_reqs": gauge("Decode preallocation queue", "requests, down", {
      hint: "Requests of a decode worker that wait for KV cache.",
    }),
    "sglang:num_decode_transfer_queue_reqs": gauge("Decode transfer queue", "requests, down", {
      hint: "Requests of a decode worker whose KV has not arrived.",
    }),
    "sglang:num_transfer_failed_reqs": counter("KV transfers failed", "requests, down", {
      hint: "Requests whose KV did not reach the decode worker.",
    }),
    "sglang:num_bootstrap_failed_reqs": counter("Bootstraps failed", "requests, down", {
      hint: "Requests for which prefill and decode worker did not connect.",
    }),
    "sglang:num_prefill_retries": counter("Prefill retries", "down"),
    ...cacheFamilies,
    ...diffusionFamilies,
    "sglang:fwd_occupancy": gauge("Forward occupancy", "Queue and batch: percent, up", {
      hint: "Share of time in which the GPU runs a forward pass, in percent.",
    }),
    "sglang:utilization": gauge("Utilization", "ratio"),
    "sglang:cache_hit_rate": gauge("Prefix cache hit rate, last batch", "ratio, up", {
      computed: { ...LAST_BATCH, windowed: "sglang.prefix-hit-rate" },
      hint: "Of the last prefill batch; it says nothing of the batches between two scrapes.",
    }),
    "sglang:gen_throughput": gauge("Generation throughput", "tokens/s, up", {
      computed: LAST_BATCH,
      hint: "Over the last few decode batches, as the server logs it.",
    }),
    "sglang:spec_accept_length": gauge("Accepted draft length", "tokens, up", { computed: LAST_BATCH }),
    "sglang:spec_cap_length": gauge("Verify window, capped", "tokens", { computed: LAST_BATCH }),
    "sglang:spec_block_accept_length": gauge("Accepted draft length, uncapped", "tokens, up", { computed: LAST_BATCH }),
    "sglang:spec_num_steps": gauge("Draft steps, now"),
    "sglang:spec_num_draft_tokens": gauge("Draft tokens per step, now", "tokens"),
    "sglang:spec_verify_calls": counter("Verification calls"),
    "sglang:spec_accept_rate": gauge("Draft acceptance rate", "ratio, up", { computed: LAST_BATCH }),
    "sglang:queue_time_seconds": histogram("Queue time", "seconds, down", { hint: "Time in the waiting queue." }),
    "sglang:time_to_first_token_seconds": histogram("Time to first token", "seconds, down", {
      hint: "From arrival at the tokenizer to the first token, time in the queue included.",
    }),
    "sglang:inter_token_latency_seconds": histogram("Inter-token latency", "seconds, down"),
    "sglang:time_per_output_token_seconds": histogram("Time per output token", "seconds, down"),
    "sglang:e2e_request_latency_seconds": histogram("Request latency", "seconds, down"),
    "sglang:per_stage_req_latency_seconds": histogram("Stage latency", "seconds, down", {
      hint: "Each stage of a request by itself; quantiles over all stages mean little.",
    }),
    "sglang:prompt_tokens": counter("Prompt tokens", "tokens, up", { hint: "Counted when a request finishes." }),
    "sglang:generation_tokens": counter("Generation tokens", "tokens, up", {
      hint: "Counted when a request finishes: the rate comes in steps.",
    }),
    "sglang:realtime_tokens": counter("Tokens processed, by mode", "tokens, up", {
      hint: "prefill_compute, prefill_cache and decode, counted at every log interval.",
    }),
    "sglang:prefill_effective_tokens": counter("Prompt tokens, by where they came from", "KV cache: tokens", {
      hint: "input: computed; device_hit, host_hit and storage_hit: from a cache. A retracted request counts once.",
    }),
    "sglang:cached_tokens": counter("Prompt tokens cached", "KV cache: tokens, up"),
    "sglang:num_requests": counter("Requests finished", "requests, up"),
    "sglang:num_so_requests": counter("Structured output requests", "requests"),
    "sglang:num_aborted_requests": counter("Requests aborted", "requests, down"),
    "sglang:num_retracted_requests": counter("Requests retracted", "requests, down", {
      hint: "Taken out of the batch because the KV cache was full, as vLLM's preemptions.",
    }),
    "sglang:num_retracted_reqs": gauge("Requests retracted, now", "requests, down", {
      hint: "A gauge in some versions, a counter in others.",
    }),
    "sglang:num_retracted_input_tokens": counter("Prompt tokens retracted", "tokens, down"),
    "sglang:num_retracted_output_tokens": counter("Generated tokens retracted", "tokens, down"),
    "sglang:num_retractions": histogram("Retractions per request", "KV cache: down"),
    "sglang:num_paused_reqs": gauge("Requests paused", "requests"),
    "sglang:lora_pool_slots_used": gauge("LoRA slots used", "Queue and batch:"),
    "sglang:lora_pool_slots_total": gauge("LoRA slots", "Queue and batch:"),
    "sglang:lora_pool_utilization": gauge("LoRA pool usage", "ratio", {
      hint: "At 1 adapters are swapped in and out.",
    }),
    "sglang:grammar_compilation_time_seconds": histogram("Grammar compilation time", "seconds, down", {
      hint: "Structured output waits for it; repeated grammars come from a cache.",
    }),
    "sglang:num_grammar": counter("Grammar requests", "Queue and batch: requests"),
    "sglang:num_grammar_cache_hit": counter("Grammar cache hits", "Queue and batch: up"),
    "sglang:num_grammar_aborted": counter("Grammars aborted", "Queue and batch: down"),
    "sglang:num_grammar_timeout": counter("Grammars timed out", "Queue and batch: down"),
    "sglang:grammar_schema_count": histogram("Schemas per grammar", "Queue and batch:"),
    "sglang:grammar_ebnf_size": histogram("Grammar size", "Queue and batch:"),
    "sglang:grammar_tree_traversal_time_avg": histogram("Grammar traversal time, mean", "Latency: seconds, down"),
    "sglang:grammar_tree_traversal_time_max": histogram("Grammar traversal time, longest", "Latency: seconds, down"),
    "sglang:kv_transfer_speed_gb_s": histogram("KV transfer speed", "gb/s, up", { hint: ONCE_A_GAUGE }),
    "sglang:kv_transfer_latency_ms": histogram("KV transfer latency", "milliseconds, down", { hint: ONCE_A_GAUGE }),
    "sglang:kv_transfer_bootstrap_ms": histogram("KV transfer bootstrap time", "milliseconds, down"),
    "sglang:kv_transfer_alloc_ms": histogram("KV transfer allocation wait", "milliseconds, down"),
    "sglang:kv_transfer_total_mb": histogram("KV transfer size", "megabytes"),
    "sglang:forward_execution_seconds": counter("Forward pass time, by kind", "seconds", {
      hint: "Its rate is the share of time in which the GPU runs forward passes of that kind.",
    }),
    "sglang:dp_cooperation_forward_execution_seconds": counter("Forward pass time, by prefill ranks", "seconds"),
    "sglang:estimated_flops_per_gpu": counter("Estimated FLOPs per GPU", { unit: "FLOP", direction: "up" }),
    "sglang:estimated_read_bytes_per_gpu": counter("Estimated memory reads per GPU", "bytes"),
    "sglang:estimated_write_bytes_per_gpu": counter("Estimated memory writes per GPU", "bytes"),
    "sglang:gpu_execution_seconds": counter("GPU execution time", "seconds"),
    "sglang:dp_cooperation_realtime_tokens": counter("Tokens processed, by prefill ranks", "tokens"),
    "sglang:dp_cooperation_gpu_execution_seconds": counter("GPU execution time, by prefill ranks", "seconds"),
    "sglang:cuda_graph_passes": counter("Forward passes, by CUDA graph"),
    "sglang:is_cuda_graph": gauge("CUDA graph in use", "Queue and batch:"),
    "sglang:decode_sum_seq_lens": gauge("Tokens in decode", "Queue and batch: tokens"),
    "sglang:new_token_ratio": gauge("New token ratio", "ratio"),
    "sglang:max_running_requests_under_SLO": gauge("Most requests within the SLO", "requests"),
    "sglang:prefill_delayer_wait_forward_passes": histogram("Prefill delay, passes", "Queue and batch:"),
    "sglang:prefill_delayer_wait_seconds": histogram("Prefill delay", "seconds, down"),
    "sglang:prefill_delayer_outcomes": counter("Prefill delays, by outcome", "Queue and batch:"),
    "sglang:num_unique_running_routing_keys": gauge("Routing keys running", "Queue and batch:"),
    "sglang:routing_key_running_req_count": gauge("Routing keys by requests running", "Queue and batch:"),
    "sglang:routing_key_all_req_count": gauge("Routing keys by requests", "Queue and batch:"),
    "sglang:num_streaming_sessions": gauge("Streaming sessions", "Queue and batch:"),
    "sglang:streaming_session_held_tokens": gauge("Tokens held by sessions", "KV cache: tokens"),
    ...encoderFamilies,
    "sglang:context_len": info("Maximum context length", "tokens"),
    "sglang:weight_memory_usage_gb": info("Memory of the weights", "gibibytes"),
    "sglang:kv_cache_memory_usage_gb": info("Memory of the KV cache", "gibibytes"),
    "sglang:graph_memory_usage_gb": info("Memory of CUDA graphs, by phase", "gibibytes"),
    "sglang:startup_available_gpu_memory_gb": info("GPU memory free at start-up", "gibibytes"),
    "sglang:startup_time_seconds": info("Start-up time, by phase", "seconds"),
    "sglang:startup_cuda_graph_time_seconds": info("CUDA graph capture time, by phase", "seconds"),
    "sglang:weight_load_duration_seconds": gauge("Weight update time, last", "seconds, down"),
    "sglang:engine_startup_time": info("Engine start-up time", "seconds"),
    "sglang:engine_load_weights_time": info("Weight loading time", "seconds"),
    "sglang:cache_config_info": info("Cache configuration"),
    "sglang:prompt_tokens_histogram": histogram("Prompt length", "Queue and batch: tokens"),
    "sglang:uncached_prompt_tokens_histogram": histogram(
      "Prompt tokens computed per request",
      "Queue and batch: tokens",
    ),
    "sglang:get_loads_duration_seconds": histogram("Time to report the load", "seconds, down"),
    "sglang:generation_tokens_histogram": histogram("Output length", "Queue and batch: tokens"),
    "sglang:eplb_gpu_physical_count": histogram("Experts chosen, by GPU", "Throughput:"),
  },
  derived: [
    derived("sglang.prefix-hit-rate", "Prefix cache hit rate", "ratio, up", {
      derivation: rateRatio("sglang:cached_tokens", "sglang:prompt_tokens"),
      hint: "Cached by all prompt tokens of the requests that finished in the window.",
    }),
    derived("sglang.effective-hit-rate", "Prefix cache hit rate, of prefills", "ratio, up", {
      derivation: {
        kind: "rate-ratio",
        numerator: "sglang:prefill_effective_tokens",
        numeratorOf: { label: "mode", values: ["device_hit", "host_hit", "storage_hit"], keep: "these" },
        denominator: ["sglang:prefill_effective_tokens"],
      },
      hint: "Tokens from a cache by all prompt tokens that were prefilled in the window, retracted requests once.",
    }),
    derived("sglang.hicache-usage", "HiCache host usage", "ratio", {
      derivation: {
        kind: "gauge-ratio",
        numerator: "sglang:hicache_host_used_tokens",
        denominator: ["sglang:hicache_host_total_tokens"],
      },
      hint: "Tokens in host memory by the room for them.",
    }),
  ],
  tiles: [
    { id: "sglang.running", family: "sglang:num_running_reqs", statistic: "avg" },
    { id: "sglang.queue", family: "sglang:num_queue_reqs", statistic: "max", watch: SATURATED },
    { id: "sglang.token-usage", family: "sglang:token_usage", statistic: "max", watch: KV_LIMIT },
    { id: "sglang.swa-usage", family: "sglang:swa_token_usage", statistic: "max", watch: KV_LIMIT },
    { id: "sglang.mamba-usage", family: "sglang:mamba_usage", statistic: "max", watch: KV_LIMIT },
    { id: "sglang.hit-rate", family: "sglang:cache_hit_rate", statistic: "avg" },
    { id: "sglang.prefix-hit-rate", derived: "sglang.prefix-hit-rate" },
    { id: "sglang.effective-hit-rate", derived: "sglang.effective-hit-rate" },
    { id: "sglang.throughput", family: "sglang:gen_throughput", statistic: "avg" },
    { id: "sglang.queue-time", family: "sglang:queue_time_seconds", statistic: "p99_estimate" },
    { id: "sglang.ttft", family: "sglang:time_to_first_token_seconds", statistic: "p99_estimate" },
    {
      id: "sglang.stage-latency",
      family: "sglang:per_stage_req_latency_seconds",
      statistic: "p99_estimate",
      by: "stage",
    },
    { id: "sglang.kv-used", family: "sglang:kv_used_tokens", statistic: "avg" },
    { id: "sglang.kv-evictable", family: "sglang:kv_evictable_tokens", statistic: "avg" },
    { id: "sglang.kv-available", family: "sglang:kv_available_tokens", statistic: "avg" },
    { id: "sglang.fwd-occupancy", family: "sglang:fwd_occupancy", statistic: "avg" },
    { id: "sglang.prefill-bootstrap", family: "sglang:num_prefill_bootstrap_queue_reqs", statistic: "max" },
    { id: "sglang.prefill-prealloc", family: "sglang:num_prefill_prealloc_queue_reqs", statistic: "max" },
    { id: "sglang.prefill-transfer", family: "sglang:num_prefill_inflight_queue_reqs", statistic: "max" },
    { id: "sglang.decode-prealloc", family: "sglang:num_decode_prealloc_queue_reqs", statistic: "max" },
    { id: "sglang.decode-transfer", family: "sglang:num_decode_transfer_queue_reqs", statistic: "max" },
    {
      id: "sglang.transfer-failed",
      family: "sglang:num_transfer_failed_reqs",
      statistic: "total",
      watch: [{ kind: "above", threshold: 0, level: "warning", reason: "KV transfers between workers failed" }],
    },
    {
      id: "sglang.bootstrap-failed",
      family: "sglang:num_bootstrap_failed_reqs",
      statistic: "total",
      watch: [{ kind: "above", threshold: 0, level: "warning", reason: "prefill and decode workers did not connect" }],
    },
    { id: "sglang.hicache-usage", derived: "sglang.hicache-usage" },
    { id: "sglang.lora-pool", family: "sglang:lora_pool_utilization", statistic: "max" },
    { id: "sglang.grammar-time", family: "sglang:grammar_compilation_time_seconds", statistic: "p99_estimate" },
  ],
  renamed: { "sglang:kv_cache_usage_perc": "sglang:token_usage" },
  groups: [
    { group: "Model configuration", pattern: /max_total_num_tokens|engine_startup_time|engine_load_weights_time/ },
    { group: "Latency", pattern: /_duration_seconds$|delayer_wait_seconds/ },
    { group: "KV cache", pattern: /token_usage|kv_|num_used_tokens|mamba_usage|retract|hicache/ },
    {
      group: "Queue and batch",
      pattern: /cuda_graph|utilization|new_token_ratio|running|_queue_reqs|paused|(transfer|bootstrap)_failed|retries/,
    },
  ],
  enable:
    "Start SGLang with --enable-metrics; its metrics are then at /metrics of the server's port (30000 unless set).",
  modelLabels: ["model_name"],
});

import { counter, defineServer, derived, gauge, histogram, info, KV_LIMIT, rateRatio, SATURATED } from "../define.js";
import { offloadFamilies, transferFamilies } from "./vllm-kv.js";

/** Names and types as of vLLM 0.26 and its main branch of autumn 2026, counters without `_total`. */
export const vllm = defineServer({
  id: "vllm",
  name: "vLLM",
  // Under Ray Serve the same families carry Ray's prefix.
  prefixes: ["vllm:", "vllm_", "ray_vllm_"],
  families: {
    "vllm:num_requests_running": gauge("Requests running", "requests", {
      hint: "Requests in the current batch: the active batch size.",
    }),
    "vllm:num_requests_waiting": gauge("Requests waiting", "requests, down", {
      hint: "Requests in the queue. Above 0 and growing: the server is saturated.",
    }),
    "vllm:num_requests_waiting_by_reason": gauge("Requests waiting, by reason", "requests, down", {
      hint: "capacity: no room in the batch or KV cache; deferred: waiting for something else, such as a KV transfer.",
    }),
    "vllm:num_requests_kv_fetch_by_stage": gauge("Requests fetching KV, by stage", "KV cache: requests, down", {
      hint: "waiting_to_start, in_progress, completed_waiting. A stage that never empties is a stuck load.",
    }),
    "vllm:num_requests_swapped": gauge("Requests swapped out", "requests, down"),
    "vllm:kv_cache_usage_perc": gauge("KV cache usage", "ratio", {
      hint: "Share of KV cache blocks in use, 0 to 1. Above 0.9 the cache limits the batch.",
    }),
    "vllm:cpu_cache_usage_perc": gauge("CPU KV cache usage", "KV cache: ratio"),
    "vllm:num_preemptions": counter("Preemptions", "down", {
      hint: "Requests that were taken out of the batch because the KV cache was full. They are computed again.",
    }),
    "vllm:request_num_preemptions": histogram("Preemptions per request", "KV cache: preemptions, down", {
      hint: "How often each finished request was preempted. A few requests with many are starved.",
    }),
    "vllm:time_to_first_token_seconds": histogram("Time to first token", "seconds, down", {
      hint: "From arrival at the engine to the first token, time in the queue included.",
    }),
    "vllm:inter_token_latency_seconds": histogram("Inter-token latency", "seconds, down", {
      hint: "Gaps between tokens of one request. With speculative decoding a gap may hold several tokens.",
    }),
    "vllm:request_time_per_output_token_seconds": histogram("Time per output token", "seconds, down", {
      hint: "Decode time of a request by its tokens: one mean for each finished request.",
    }),
    "vllm:e2e_request_latency_seconds": histogram("Request latency", "seconds, down", {
      hint: "From arrival to the last token.",
    }),
    "vllm:request_queue_time_seconds": histogram("Queue time", "seconds, down", {
      hint: "Time in the waiting queue before the first token was computed.",
    }),
    "vllm:request_prefill_time_seconds": histogram("Prefill time", "seconds, down"),
    "vllm:request_decode_time_seconds": histogram("Decode time", "seconds, down"),
    "vllm:request_inference_time_seconds": histogram("Inference time", "seconds, down", {
      hint: "Prefill and decode together, without the queue.",
    }),
    "vllm:time_per_prefill_token_request_seconds": histogram("Prefill time per token", "seconds, down"),
    "vllm:generation_tokens": counter("Generation tokens", "tokens, up", {
      hint: "Tokens generated: decode throughput.",
    }),
    "vllm:prompt_tokens": counter("Prompt tokens", "tokens, up", {
      hint: "Prompt tokens processed, tokens from the cache included: prefill throughput.",
    }),
    "vllm:prompt_tokens_by_source": counter("Prompt tokens, by source", "tokens", {
      hint: "local_compute: computed; local_cache_hit: from the prefix cache; external_kv_transfer: from elsewhere.",
    }),
    "vllm:prompt_tokens_cached": counter("Prompt tokens cached", "tokens, up"),
    "vllm:prompt_tokens_recomputed": counter("Prompt tokens recomputed", "tokens, down", {
      hint: "Prompt tokens found in the cache and computed all the same, such as the last one of a full hit.",
    }),
    "vllm:prompt_tokens_cached_by_source": counter("Prompt tokens cached, by source", "KV cache: tokens, up", {
      hint: "Prompt tokens that were not computed again, by where their KV came from: device, host, disk, p2p, external_unspecified.",
    }),
    "vllm:request_success": counter("Requests finished", "requests, up", {
      hint: "By finished_reason: stop and length are complete answers, abort and error are not.",
    }),
    "vllm:admission_rejections": counter("Requests rejected, by reason", "Queue and batch: requests, down", {
      hint: "Refused with HTTP 503 because the queue was full: by its requests (max_num_queued_reqs) or their tokens.",
    }),
    "vllm:corrupted_requests": counter("Corrupted requests", "Throughput: requests, down", {
      hint: "Requests whose logits contained NaN. Any is a fault of the hardware, the kernels or the weights.",
    }),
    "vllm:prefix_cache_hits": counter("Prefix cache hits", "tokens, up"),
    "vllm:prefix_cache_queries": counter("Prefix cache lookups", "tokens"),
    "vllm:external_prefix_cache_hits": counter("External prefix cache hits", "tokens, up"),
    "vllm:external_prefix_cache_queries": counter("External prefix cache lookups", "tokens"),
    "vllm:mm_cache_hits": counter("Multimodal cache hits", "items, up"),
    "vllm:mm_cache_queries": counter("Multimodal cache lookups", "items"),
    "vllm:kv_block_lifetime_seconds": histogram("KV block lifetime", "KV cache: seconds, up", {
      hint: "From a block's allocation to its eviction. Short lifetimes mean that the cache thrashes.",
    }),
    "vllm:kv_block_idle_before_evict_seconds": histogram("KV block idle time before eviction", "KV cache: seconds", {
      hint: "From a block's last use to its eviction. Near 0: blocks are evicted that are still in use by others.",
    }),
    "vllm:kv_block_reuse_gap_seconds": histogram("KV block reuse gap", "KV cache: seconds", {
      hint: "Between two uses of a block. Gaps near the lifetime mean that a larger cache would hit more.",
    }),
    ...offloadFamilies,
    ...transferFamilies,
    "vllm:spec_decode_num_drafts": counter("Drafts"),
    "vllm:spec_decode_num_draft_tokens": counter("Draft tokens", "tokens"),
    "vllm:spec_decode_num_accepted_tokens": counter("Draft tokens accepted", "tokens, up"),
    "vllm:spec_decode_num_accepted_tokens_per_pos": counter("Draft tokens accepted, by position", "tokens, up", {
      hint: "Acceptance falls with the position: where it nears 0, draft fewer tokens.",
    }),
    "vllm:diffusion_num_denoising_steps": counter("Denoising steps", "Throughput: steps"),
    "vllm:diffusion_num_canvas_positions": counter("Canvas positions evaluated", "Throughput:"),
    "vllm:diffusion_num_committed_tokens": counter("Tokens committed", "Throughput: tokens, up", {
      hint: "Tokens that a diffusion model has settled on. By denoising steps: tokens of each step.",
    }),
    "vllm:tool_call_parser_invocations": counter("Tool calls parsed", "Throughput:", {
      hint: "By outcome. A streamed answer counts once for each of its chunks.",
    }),
    "vllm:websocket_connections": counter("WebSocket connections", "HTTP server:"),
    "vllm:websocket_connections_active": gauge("WebSocket connections open", "HTTP server:"),
    "vllm:websocket_connection_duration_seconds": histogram("WebSocket connection time", "HTTP server: seconds"),
    "vllm:estimated_flops_per_gpu": counter("Estimated FLOPs per GPU", { unit: "FLOP", direction: "up" }),
    "vllm:estimated_read_bytes_per_gpu": counter("Estimated memory reads per GPU", "bytes"),
    "vllm:estimated_write_bytes_per_gpu": counter("Estimated memory writes per GPU", "bytes"),
    "vllm:iteration_tokens_total": histogram("Tokens per iteration", "tokens", {
      hint: "Prompt and generated tokens of one engine step. A histogram in spite of its suffix.",
    }),
    "vllm:request_prompt_tokens": histogram("Prompt length", "Queue and batch: tokens"),
    "vllm:request_generation_tokens": histogram("Output length", "Queue and batch: tokens"),
    "vllm:request_max_num_generation_tokens": histogram("Longest output asked for", "tokens"),
    "vllm:request_prefill_kv_computed_tokens": histogram("Prompt tokens computed per request", "tokens", {
      hint: "Without those from the cache.",
    }),
    "vllm:request_params_max_tokens": histogram("Request parameter max_tokens", "tokens"),
    "vllm:request_params_n": histogram("Request parameter n"),
    "vllm:engine_healthy": gauge("Engine healthy", "Process and system: up", {
      hint: "1, or 0 for an engine that failed, with --enable-fault-tolerance.",
    }),
    "vllm:eplb_avg_tokens_per_rank": gauge("Expert load, mean of the ranks", "Throughput: tokens"),
    "vllm:eplb_max_tokens_per_rank": gauge("Expert load, busiest rank", "Throughput: tokens", {
      hint: "The busiest rank holds the others up. Divided by the mean of the ranks: how uneven the expert load is.",
    }),
    "vllm:eplb_balancedness_ratio": gauge("Expert load, balance", "Throughput: ratio, up", {
      hint: "Mean divided by the busiest rank: 1 is even.",
    }),
    "vllm:eplb_rebalancing": gauge("Experts being moved", "Throughput:"),
    "vllm:eplb_rebalance_events": counter("Expert rebalancings", "Throughput:"),
    "vllm:engine_sleep_state": gauge("Engine sleep state"),
    "vllm:lora_requests_info": gauge("LoRA adapters", "timestamp", {
      hint: "The adapters are in the labels; the value is the time of the last change.",
    }),
    "vllm:cache_config_info": info("Cache configuration"),
  },
  derived: [
    derived("vllm.prefix-hit-rate", "Prefix cache hit rate", "ratio, up", {
      derivation: rateRatio("vllm:prefix_cache_hits", "vllm:prefix_cache_queries"),
      hint: "Prompt tokens found in the prefix cache by tokens looked up.",
    }),
    derived("vllm.external-hit-rate", "External cache hit rate", "ratio, up", {
      derivation: rateRatio("vllm:external_prefix_cache_hits", "vllm:external_prefix_cache_queries"),
      hint: "Of the tokens that the prefix cache on the GPU did not have.",
    }),
    derived("vllm.acceptance", "Draft acceptance rate", "ratio, up", {
      derivation: rateRatio("vllm:spec_decode_num_accepted_tokens", "vllm:spec_decode_num_draft_tokens"),
    }),
    derived("vllm.acceptance-length", "Accepted tokens per draft", "up", {
      derivation: rateRatio("vllm:spec_decode_num_accepted_tokens", "vllm:spec_decode_num_drafts"),
      hint: "Of each draft; a step yields one more token than were accepted.",
    }),
    derived("vllm.offload-load-speed", "KV offload load speed", "bytes/s, up", {
      derivation: rateRatio("vllm:kv_offload_load_bytes", "vllm:kv_offload_load_time"),
      hint: "Bytes by the time spent loading them. A load must be faster than the prefill that it saves.",
    }),
  ],
  tiles: [
    { id: "vllm.running", family: "vllm:num_requests_running", statistic: "avg" },
    { id: "vllm.waiting", family: "vllm:num_requests_waiting", statistic: "max", watch: SATURATED },
    { id: "vllm.kv-usage", family: "vllm:kv_cache_usage_perc", statistic: "max", watch: KV_LIMIT },
    {
      id: "vllm.preemptions",
      family: "vllm:num_preemptions",
      statistic: "total",
      watch: [
        {
          kind: "above",
          threshold: 0,
          level: "warning",
          reason: "requests were preempted: the KV cache is under pressure",
        },
      ],
    },
    { id: "vllm.ttft", family: "vllm:time_to_first_token_seconds", statistic: "p99_estimate" },
    { id: "vllm.itl", family: "vllm:inter_token_latency_seconds", statistic: "p99_estimate" },
    { id: "vllm.e2e", family: "vllm:e2e_request_latency_seconds", statistic: "p99_estimate" },
    { id: "vllm.decode", family: "vllm:generation_tokens", statistic: "rate" },
    { id: "vllm.prefill", family: "vllm:prompt_tokens", statistic: "rate" },
    { id: "vllm.success", family: "vllm:request_success", statistic: "rate", by: "finished_reason" },
    { id: "vllm.prefix-hit-rate", derived: "vllm.prefix-hit-rate" },
    { id: "vllm.cached-by-source", family: "vllm:prompt_tokens_cached_by_source", statistic: "rate", by: "source" },
    { id: "vllm.kv-fetch", family: "vllm:num_requests_kv_fetch_by_stage", statistic: "max", by: "stage" },
    { id: "vllm.request-preemptions", family: "vllm:request_num_preemptions", statistic: "avg" },
    { id: "vllm.kv-block-lifetime", family: "vllm:kv_block_lifetime_seconds", statistic: "avg" },
    { id: "vllm.kv-block-idle", family: "vllm:kv_block_idle_before_evict_seconds", statistic: "avg" },
    { id: "vllm.kv-block-reuse", family: "vllm:kv_block_reuse_gap_seconds", statistic: "avg" },
    {
      id: "vllm.corrupted",
      family: "vllm:corrupted_requests",
      statistic: "total",
      watch: [{ kind: "above", threshold: 0, level: "critical", reason: "NaN in logits: answers are corrupted" }],
    },
    { id: "vllm.offload-loads", family: "vllm:kv_offload_load_bytes", statistic: "rate" },
    { id: "vllm.offload-stores", family: "vllm:kv_offload_store_bytes", statistic: "rate" },
    { id: "vllm.ep-dispatch", family: "vllm:ep_all2all_dispatch_latency_seconds", statistic: "p99_estimate" },
    { id: "vllm.ep-combine", family: "vllm:ep_all2all_combine_latency_seconds", statistic: "p99_estimate" },
  ],
  renamed: {
    "vllm:gpu_cache_usage_perc": "vllm:kv_cache_usage_perc",
    // Per token and so the inter-token latency; `request_time_per_output_token_seconds`, later, is the mean of each
    // request.
    "vllm:time_per_output_token_seconds": "vllm:inter_token_latency_seconds",
    "vllm:gpu_prefix_cache_hits": "vllm:prefix_cache_hits",
    "vllm:gpu_prefix_cache_queries": "vllm:prefix_cache_queries",
  },
  groups: [
    { group: "KV cache", pattern: /kv_offload|nixl_|mm_cache|prefill_kv_computed/ },
    { group: "Throughput", pattern: /estimated_.*_per_gpu/ },
    {
      group: "Queue and batch",
      pattern: /request_params_|iteration_tokens|max_num_generation_tokens|engine_sleep_state|lora_requests/,
    },
  ],
  enable:
    "vLLM serves its metrics at /metrics of the API port unless it was started with --disable-log-stats; start it without that option.",
  labelFacts: {
    "vllm:cache_config_info": {
      num_gpu_blocks: "KV cache blocks",
      block_size: "KV cache block size",
      cache_dtype: "KV cache type",
      gpu_memory_utilization: "GPU memory utilization",
      enable_prefix_caching: "Prefix caching",
      sliding_window: "Sliding window",
      cpu_kvcache_space_bytes: "CPU KV cache bytes",
    },
  },
  modelLabels: ["model_name"],
});

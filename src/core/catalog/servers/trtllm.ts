import { counter, defineServer, derived, gauge, histogram, info, KV_LIMIT, rateRatio, SATURATED } from "../define.js";

/** `trtllm:` from the server itself, `trtllm_` through Dynamo and from newer servers. */
export const trtllm = defineServer({
  id: "trtllm",
  name: "TensorRT-LLM",
  prefixes: ["trtllm:", "trtllm_"],
  families: {
    "trtllm:e2e_request_latency_seconds": histogram("Request latency", "seconds, down"),
    "trtllm:time_to_first_token_seconds": histogram("Time to first token", "seconds, down", {
      hint: "From arrival to the first token.",
    }),
    "trtllm:time_per_output_token_seconds": histogram("Time per output token", "seconds, down", {
      hint: "One mean for each finished request, not the gaps between its tokens.",
    }),
    "trtllm:inter_token_latency_seconds": histogram("Inter-token latency", "seconds, down", {
      hint: "Of Dynamo's simulated engine.",
    }),
    "trtllm:request_queue_time_seconds": histogram("Queue time", "seconds, down"),
    "trtllm:request_prefill_time_seconds": histogram("Prefill time", "seconds, down"),
    "trtllm:request_decode_time_seconds": histogram("Decode time", "seconds, down"),
    "trtllm:request_inference_time_seconds": histogram("Inference time", "seconds, down"),
    "trtllm:iteration_latency_seconds": gauge("Iteration latency", "seconds, down"),
    "trtllm:iteration_duration_seconds": histogram("Duration of iterations", "seconds, down", {
      hint: "Every iteration that was read from the iteration statistics.",
    }),
    "trtllm:iterations": counter("Iterations", "Throughput: up"),
    "trtllm:iterations_skipped": counter("Iterations not read", "Throughput:", {
      hint: "Numbers missing between the iterations that were read: taken by another reader, dropped from the server's queue, or not recorded.",
    }),
    "trtllm:new_active_requests_queue_latency_seconds": gauge(
      "Queue time of new requests, last iteration",
      "seconds, down",
    ),
    "trtllm:num_new_active_requests": counter("Requests started", "Throughput: requests"),
    "trtllm:request_success": counter("Requests finished", "requests, up"),
    "trtllm:request_error": counter("Requests failed", "Throughput: requests, down"),
    "trtllm:num_aborted_requests": counter("Requests aborted", "Throughput: requests, down", {
      hint: "Cancelled by the client or by Dynamo.",
    }),
    "trtllm:request_type_image": counter("Requests with images", "Throughput: requests"),
    "trtllm:request_type_structured_output": counter("Structured output requests", "Throughput: requests"),
    "trtllm:num_requests_completed": counter("Requests completed", "requests, up"),
    "trtllm:num_requests_running": gauge("Requests running", "requests"),
    "trtllm:num_requests_waiting": gauge("Requests waiting", "requests, down"),
    "trtllm:num_preemptions": counter("Preemptions", "down", { hint: "Of Dynamo's simulated engine." }),
    "trtllm:prefix_cache_hits": counter("Prefix cache hits", "tokens, up"),
    "trtllm:prefix_cache_queries": counter("Prefix cache lookups", "tokens"),
    "trtllm:num_context_requests": gauge("Requests in prefill", "Queue and batch: requests"),
    "trtllm:num_generation_requests": gauge("Requests in decode", "Queue and batch: requests"),
    "trtllm:num_paused_requests": gauge("Requests paused", "Queue and batch: requests"),
    "trtllm:num_scheduled_requests": gauge("Requests scheduled", "Queue and batch: requests"),
    "trtllm:scheduled_batch_size": gauge("Batch size", "Queue and batch: requests", {
      hint: "Prefill and decode requests of the last step, by rank.",
    }),
    "trtllm:max_num_active_requests": gauge("Most requests at once", "Queue and batch: requests"),
    "trtllm:total_context_tokens": gauge("Prefill tokens in the batch", "Queue and batch: tokens"),
    "trtllm:avg_decoded_tokens_per_iter": gauge("Tokens decoded per iteration", "Queue and batch: tokens", {
      computed: { over: "recent" },
    }),
    "trtllm:prompt_tokens": counter("Prompt tokens", "tokens, up"),
    "trtllm:generation_tokens": counter("Generation tokens", "tokens, up"),
    "trtllm:prompt_cached_tokens": counter("Prompt tokens cached", "tokens, up"),
    "trtllm:prompt_cache_hit_tokens": counter("Prompt cache hits", "tokens, up"),
    "trtllm:prompt_cached_tokens_per_request": histogram("Prompt tokens cached per request", "tokens"),
    "trtllm:kv_cache_hit_rate": gauge("KV cache hit rate, since start", "ratio, up", {
      computed: { over: "lifetime", windowed: "trtllm.kv-hit-rate" },
      hint: "Blocks reused by blocks asked for since the server started.",
    }),
    "trtllm:kv_cache_iter_reuse_rate": gauge("KV cache reuse, last iteration", "ratio, up", {
      computed: { over: "recent", windowed: "trtllm.kv-hit-rate" },
    }),
    "trtllm:kv_cache_utilization": gauge("KV cache usage", "ratio", { hint: "Share of blocks in use, 0 to 1." }),
    "trtllm:kv_cache_host_utilization": gauge("Host KV cache usage", "ratio"),
    "trtllm:kv_cache_reused_blocks": counter("KV cache blocks reused", "blocks, up"),
    "trtllm:kv_cache_missed_blocks": counter("KV cache blocks missed", "blocks, down"),
    "trtllm:kv_cache_alloc_total_blocks": counter("Blocks allocated", "blocks"),
    "trtllm:kv_cache_alloc_new_blocks": counter("New blocks allocated", "blocks"),
    "trtllm:kv_cache_iter_reused_blocks": counter("Blocks reused", "blocks, up"),
    "trtllm:kv_cache_iter_full_reused_blocks": counter("Blocks reused, full", "blocks, up"),
    "trtllm:kv_cache_iter_partial_reused_blocks": counter("Blocks reused, partial", "blocks"),
    "trtllm:kv_cache_iter_missed_blocks": counter("Blocks missed", "blocks, down"),
    "trtllm:kv_cache_gen_alloc_blocks": counter("Blocks allocated in decode", "blocks"),
    "trtllm:kv_cache_onboard_bytes": counter("KV loaded from host", "bytes"),
    "trtllm:kv_cache_offload_bytes": counter("KV offloaded to host", "bytes"),
    "trtllm:kv_cache_disk_prefetch_blocks": counter("Blocks prefetched from disk", "blocks"),
    "trtllm:kv_cache_intra_device_copy_bytes": counter("KV copied on the GPU", "bytes"),
    "trtllm:kv_cache_free_blocks": gauge("KV cache blocks free", "blocks, up"),
    "trtllm:kv_cache_used_blocks": gauge("KV cache blocks used", "blocks"),
    "trtllm:kv_cache_max_blocks": info("KV cache blocks", "blocks"),
    "trtllm:kv_cache_tokens_per_block": info("KV cache block size", "tokens"),
    "trtllm:kv_transfer_success": counter("KV transfers", "KV cache: up", {
      hint: "Transfers between prefill and decode workers that succeeded.",
    }),
    "trtllm:kv_transfer_latency_seconds": histogram("KV transfer latency", "seconds, down", {
      hint: "One observation for each request.",
    }),
    "trtllm:kv_transfer_bytes": histogram("KV transfer size", "KV cache: bytes", {
      hint: "One observation for each request; it grows with the prompt.",
    }),
    "trtllm:kv_transfer_speed_gb_s": histogram("KV transfer speed", "KV cache: gb/s, up", {
      hint: "One observation for each request. Far below the link's speed: transfers are small or wait.",
    }),
    "trtllm:kv_event_buffer_capacity": gauge("KV event buffer", "KV cache: events"),
    "trtllm:kv_event_drain_batch_size": histogram("KV events per drain", "KV cache: events", {
      hint: "Near the buffer's size: events are about to be lost, and routing by cache with them.",
    }),
    "trtllm:kv_event_id_gap_events": counter("KV events lost", "KV cache: events, down", {
      hint: "Missing numbers in the engine's events: the router's view of the cache is wrong.",
    }),
    "trtllm:spec_decode_num_draft_tokens": counter("Draft tokens", "tokens"),
    "trtllm:spec_decode_num_accepted_tokens": counter("Draft tokens accepted", "tokens, up"),
    "trtllm:spec_decode_drafted_tokens": counter("Draft tokens, finished requests", "tokens"),
    "trtllm:spec_decode_accepted_tokens": counter("Draft tokens accepted, finished requests", "tokens"),
    "trtllm:spec_decode_acceptance_length": gauge("Accepted draft length", "tokens, up", {
      computed: { over: "recent", windowed: "trtllm.acceptance" },
    }),
    "trtllm:spec_decode_draft_overhead": gauge("Draft overhead", "ratio, down"),
    "trtllm:prefill_batch_occupancy": gauge("Prefill batch occupancy", "Queue and batch: ratio"),
    "trtllm:prefill_batch_tokens": gauge("Prefill batch tokens", "Queue and batch: tokens"),
    "trtllm:prefill_perplexity": histogram("Prefill perplexity", "Other:"),
    "trtllm:generation_perplexity": histogram("Generation perplexity", "Other:"),
    "trtllm:gpu_memory_usage_bytes": gauge("GPU memory used", "bytes"),
    "trtllm:cpu_memory_usage_bytes": gauge("CPU memory used", "Process and system: bytes"),
    "trtllm:pinned_memory_usage_bytes": gauge("Pinned memory used", "Process and system: bytes"),
    "trtllm:max_batch_size_static": info("Maximum batch size", "requests"),
    "trtllm:max_batch_size_runtime": gauge("Batch size limit, now", "Queue and batch: requests"),
    "trtllm:max_num_tokens_runtime": gauge("Batch token limit, now", "Queue and batch: tokens"),
    "trtllm:model_config_info": info("Model configuration"),
    "trtllm:parallel_config_info": info("Parallelism"),
    "trtllm:speculative_config_info": info("Speculative decoding configuration"),
    "trtllm:kv_cache_config_info": info("KV cache configuration"),
  },
  derived: [
    derived("trtllm.kv-hit-rate", "KV cache hit rate", "ratio, up", {
      derivation: rateRatio(
        "trtllm:kv_cache_reused_blocks",
        "trtllm:kv_cache_reused_blocks",
        "trtllm:kv_cache_missed_blocks",
      ),
      hint: "Blocks reused by blocks asked for, over the window.",
    }),
    derived("trtllm.prefix-hit-rate", "Prefix cache hit rate", "ratio, up", {
      derivation: rateRatio("trtllm:prefix_cache_hits", "trtllm:prefix_cache_queries"),
    }),
    derived("trtllm.acceptance", "Draft acceptance rate", "ratio, up", {
      derivation: rateRatio("trtllm:spec_decode_num_accepted_tokens", "trtllm:spec_decode_num_draft_tokens"),
    }),
  ],
  tiles: [
    { id: "trtllm.e2e", family: "trtllm:e2e_request_latency_seconds", statistic: "p99_estimate" },
    { id: "trtllm.ttft", family: "trtllm:time_to_first_token_seconds", statistic: "p99_estimate" },
    { id: "trtllm.tpot", family: "trtllm:time_per_output_token_seconds", statistic: "p99_estimate" },
    { id: "trtllm.queue-time", family: "trtllm:request_queue_time_seconds", statistic: "p99_estimate" },
    { id: "trtllm.success", family: "trtllm:request_success", statistic: "rate", by: "finished_reason" },
    { id: "trtllm.running", family: "trtllm:num_requests_running", statistic: "avg" },
    { id: "trtllm.waiting", family: "trtllm:num_requests_waiting", statistic: "max", watch: SATURATED },
    { id: "trtllm.kv-usage", family: "trtllm:kv_cache_utilization", statistic: "max", watch: KV_LIMIT },
    { id: "trtllm.kv-hit-rate", derived: "trtllm.kv-hit-rate" },
    { id: "trtllm.kv-transfer-success", family: "trtllm:kv_transfer_success", statistic: "rate" },
    { id: "trtllm.kv-transfer-latency", family: "trtllm:kv_transfer_latency_seconds", statistic: "p99_estimate" },
    { id: "trtllm.kv-transfer-bytes", family: "trtllm:kv_transfer_bytes", statistic: "avg" },
    { id: "trtllm.kv-transfer-speed", family: "trtllm:kv_transfer_speed_gb_s", statistic: "avg" },
    { id: "trtllm.aborted", family: "trtllm:num_aborted_requests", statistic: "total" },
  ],
  // Dynamo's simulated engine has vLLM's names.
  renamed: {
    "trtllm:kv_cache_usage_perc": "trtllm:kv_cache_utilization",
    "trtllm:gpu_cache_usage_perc": "trtllm:kv_cache_utilization",
  },
  groups: [
    { group: "Model configuration", pattern: /max_batch_size_static|kv_cache_max_blocks|kv_cache_tokens_per_block/ },
    { group: "GPU", pattern: /gpu_memory_usage/ },
  ],
  enable:
    "Set return_perf_metrics: true in the YAML file that --config (or --extra_llm_api_options) names; TensorRT-LLM then serves the metrics at " +
    "/prometheus/metrics (/metrics itself stays JSON). Under Dynamo: start the worker with --publish-metrics (in older versions " +
    "--publish-events-and-metrics) and the PyTorch backend, and use its system port (8081).",
  staticFamilies: [
    { kind: "value", family: "trtllm:kv_cache_max_blocks", fact: "KV cache blocks" },
    { kind: "value", family: "trtllm:kv_cache_tokens_per_block", fact: "KV cache block size" },
    { kind: "value", family: "trtllm:max_batch_size_static", fact: "Maximum batch size" },
  ],
  modelLabels: ["model_name"],
});

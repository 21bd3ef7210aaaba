import { counter, fact, gauge, histogram, defineServer, derived, rateRatio, SATURATED } from "../define.js";

const LORA = "Queue and batch:";

/** Parts of Dynamo's frontend that not every deployment uses: migration, media, embeddings, caches and adapters. */
const frontendParts = {
  dynamo_frontend_model_migration_duration_seconds: histogram("Migration time", "Latency: seconds, down", {
    hint: "Of requests that moved to another worker because theirs was lost.",
  }),
  dynamo_frontend_model_cancellation: counter("Requests cancelled", "Throughput: requests"),
  dynamo_frontend_model_rejection: counter("Requests rejected", "Throughput: requests, down", {
    hint: "Refused because every worker was busy.",
  }),
  dynamo_frontend_kv_transfer_estimated_latency_seconds: histogram("KV transfer, estimated", "Latency: seconds, down"),
  dynamo_frontend_shared_cache_hit_rate: histogram("Shared cache hit rate", "KV cache: ratio, up"),
  dynamo_frontend_shared_cache_beyond_blocks: histogram("Blocks that only the shared cache had", "KV cache: blocks"),
  dynamo_frontend_non_max_overlap_selections: counter("Workers chosen with less overlap", "KV cache:"),
  dynamo_frontend_overlap_blocks_lost: histogram("Overlap given up", "KV cache: blocks, down"),
  dynamo_frontend_tokenizer_cache_hits: counter("Tokenizer cache hits", "Throughput: up"),
  dynamo_frontend_tokenizer_cache_misses: counter("Tokenizer cache misses", "Throughput:"),
  dynamo_frontend_tokenizer_cache_cached_tokens: counter("Tokens from the tokenizer cache", "Throughput: tokens, up"),
  dynamo_frontend_tokenizer_cache_uncached_tokens: counter("Tokens tokenized anew", "Throughput: tokens"),
  dynamo_frontend_embedding_latency_seconds: histogram("Embedding latency", "seconds, down"),
  dynamo_frontend_images_per_request: histogram("Images per request", "Queue and batch: images"),
  dynamo_frontend_videos_per_request: histogram("Videos per request", "Queue and batch: videos"),
  dynamo_frontend_audio_per_request: histogram("Audio parts per request", "Queue and batch:"),
  dynamo_frontend_image_tokens_per_request: histogram("Image tokens per request", "Queue and batch: tokens"),
  dynamo_frontend_lora_replica_factor: gauge("LoRA replicas", LORA),
  dynamo_frontend_lora_is_active: gauge("LoRA adapter active", LORA),
  dynamo_frontend_lora_estimated_load: gauge("LoRA load, estimated", LORA),
  dynamo_frontend_lora_raw_arrival_count: gauge("LoRA arrivals", LORA),
  dynamo_frontend_lora_active_requests: gauge("LoRA requests in flight", "Queue and batch: requests"),
  dynamo_frontend_lora_overflow_count: gauge("LoRA replicas without a place", "Queue and batch: down"),
  // Gauges in spite of their suffix: of the last round of placement.
  dynamo_frontend_lora_churn_loads_total: gauge("LoRA loads, last placement", LORA),
  dynamo_frontend_lora_churn_unloads_total: gauge("LoRA unloads, last placement", LORA),
};

export const dynamoFrontend = defineServer({
  id: "dynamo-frontend",
  name: "Dynamo frontend",
  // Under NIM the same families carry its prefix.
  prefixes: ["dynamo_frontend_", "nv_llm_http_service_"],
  families: {
    dynamo_frontend_inflight_requests: gauge("Requests in flight", "requests", {
      hint: "Received and not answered yet, running and waiting.",
    }),
    dynamo_frontend_active_requests: gauge("Requests active", "requests", {
      hint: "Being worked on by the frontend or a worker.",
    }),
    dynamo_frontend_queued_requests: gauge("Requests queued", "requests, down", {
      hint: "Received and without a first token yet.",
    }),
    dynamo_frontend_disconnected_clients: gauge("Clients disconnected", "Queue and batch:"),
    dynamo_frontend_request_duration_seconds: histogram("Request latency", "seconds, down"),
    dynamo_frontend_time_to_first_token_seconds: histogram("Time to first token", "seconds, down", {
      hint: "From the frontend's own receipt, network and routing included.",
    }),
    dynamo_frontend_inter_token_latency_seconds: histogram("Inter-token latency", "seconds, down"),
    dynamo_frontend_stage_duration_seconds: histogram("Stage duration", "seconds, down", {
      hint: "preprocess, route, transport_roundtrip and postprocess, each by itself.",
    }),
    dynamo_frontend_tokenizer_latency_ms: histogram("Tokenizer latency", "milliseconds, down", {
      hint: "Tokenizing and detokenizing, by operation.",
    }),
    dynamo_frontend_tokenize_seconds: histogram("Tokenization time", "Latency: seconds, down"),
    dynamo_frontend_template_seconds: histogram("Template time", "Latency: seconds, down"),
    dynamo_frontend_detokenize_per_token_us: histogram("Detokenization per token", "Latency: microseconds, down"),
    dynamo_frontend_detokenize_total_us: counter("Detokenization time", "Latency: microseconds"),
    dynamo_frontend_detokenize_token_count: counter("Tokens detokenized", "Throughput: tokens"),
    dynamo_frontend_event_loop_delay_seconds: histogram("Event loop delay", "Process and system: seconds, down"),
    dynamo_frontend_event_loop_stall: counter("Event loop stalls", "Process and system: down", {
      hint: "Times the event loop was late by more than 5 ms: the frontend itself is the limit.",
    }),
    dynamo_frontend_requests: counter("Requests finished", "requests, up"),
    dynamo_frontend_requests_started: counter("Requests begun", "Throughput: requests"),
    dynamo_frontend_stage_requests: gauge("Requests, by stage", "Queue and batch: requests"),
    dynamo_frontend_output_tokens: counter("Generation tokens", "tokens, up"),
    dynamo_frontend_input_sequence_tokens: histogram("Prompt length", "tokens"),
    dynamo_frontend_output_sequence_tokens: histogram("Output length", "tokens"),
    dynamo_frontend_cached_tokens: histogram("Prompt tokens cached per request", "tokens"),
    dynamo_frontend_kv_hit_rate: histogram("Predicted KV hit rate", "KV cache: ratio, up", {
      hint: "As the router predicts it when it chooses a worker.",
    }),
    dynamo_frontend_worker_active_decode_blocks: gauge("Decode blocks of workers", "KV cache: blocks", {
      hint: "KV cache blocks that each worker decodes with, as the frontend sees it.",
    }),
    dynamo_frontend_worker_active_prefill_tokens: gauge("Prefill tokens of workers", "Queue and batch: tokens"),
    dynamo_frontend_worker_last_time_to_first_token_seconds: gauge(
      "Time to first token, last request of a worker",
      "seconds, down",
    ),
    dynamo_frontend_worker_last_input_sequence_tokens: gauge("Prompt length, last request of a worker", "tokens"),
    dynamo_frontend_worker_last_inter_token_latency_seconds: gauge(
      "Inter-token latency, last request of a worker",
      "seconds, down",
    ),
    dynamo_frontend_router_queue_pending_requests: gauge("Router queue", "requests, down", {
      hint: "Requests that wait for the router to find a worker with room.",
    }),
    dynamo_frontend_router_queue_pending_isl_tokens: gauge(
      "Router queue, prompt tokens",
      "Queue and batch: tokens, down",
    ),
    dynamo_frontend_router_queue_pending_cached_tokens: gauge("Router queue, cached tokens", "Queue and batch: tokens"),
    dynamo_frontend_router_queue_backpressure: counter(
      "Requests refused by the router queue",
      "Queue and batch: requests, down",
      { hint: "Its limit of requests, of prompt tokens or of cached tokens was reached." },
    ),
    dynamo_frontend_router_admission_received: counter("Requests at router admission", "Throughput: requests", {
      hint: "By worker type; retries count again.",
    }),
    dynamo_frontend_router_admission_rejected: counter(
      "Requests rejected at router admission",
      "Throughput: requests, down",
      { hint: "Their deadline had passed, or would have been missed." },
    ),
    dynamo_frontend_worker_waiting_requests: gauge("Requests waiting at workers", "Queue and batch: requests, down"),
    dynamo_frontend_failures: counter("Requests failed", "Throughput: requests, down", {
      hint: "By class and reason.",
    }),
    dynamo_frontend_model_migration_max_seq_len_exceeded: counter(
      "Requests too long to migrate",
      "Throughput: requests, down",
      { hint: "Longer than --migration-max-seq-len: lost with their worker." },
    ),
    dynamo_frontend_model_ready: gauge("Model ready", "up"),
    dynamo_frontend_model_migration: counter("Requests migrated", "Throughput: requests, down", {
      hint: "Moved to another worker because theirs was lost.",
    }),
    ...frontendParts,
    dynamo_frontend_model_context_length: fact("Context length", "tokens"),
    dynamo_frontend_model_kv_cache_block_size: fact("KV cache block size", "tokens"),
    dynamo_frontend_model_max_num_seqs: fact("Maximum sequences"),
    dynamo_frontend_model_max_num_batched_tokens: fact("Maximum batched tokens", "tokens"),
    dynamo_frontend_model_total_kv_blocks: fact("KV cache blocks", "blocks"),
    dynamo_frontend_model_workers: fact("Workers"),
    dynamo_frontend_model_migration_limit: fact("Migration limit"),
  },
  derived: [
    derived("dynamo-frontend.detokenization", "Detokenization per token", "microseconds, down", {
      derivation: rateRatio("dynamo_frontend_detokenize_total_us", "dynamo_frontend_detokenize_token_count"),
    }),
    derived("dynamo-frontend.tokenizer-cache", "Tokenizer cache hit rate", "ratio, up", {
      derivation: rateRatio(
        "dynamo_frontend_tokenizer_cache_hits",
        "dynamo_frontend_tokenizer_cache_hits",
        "dynamo_frontend_tokenizer_cache_misses",
      ),
    }),
  ],
  tiles: [
    { id: "dynamo-frontend.inflight", family: "dynamo_frontend_inflight_requests", statistic: "avg" },
    { id: "dynamo-frontend.active", family: "dynamo_frontend_active_requests", statistic: "avg" },
    { id: "dynamo-frontend.queued", family: "dynamo_frontend_queued_requests", statistic: "avg" },
    {
      id: "dynamo-frontend.router-queue",
      family: "dynamo_frontend_router_queue_pending_requests",
      statistic: "max",
      watch: SATURATED,
    },
    { id: "dynamo-frontend.e2e", family: "dynamo_frontend_request_duration_seconds", statistic: "p99_estimate" },
    { id: "dynamo-frontend.ttft", family: "dynamo_frontend_time_to_first_token_seconds", statistic: "p99_estimate" },
    { id: "dynamo-frontend.itl", family: "dynamo_frontend_inter_token_latency_seconds", statistic: "p99_estimate" },
    { id: "dynamo-frontend.requests", family: "dynamo_frontend_requests", statistic: "rate", by: "status" },
    { id: "dynamo-frontend.output-tokens", family: "dynamo_frontend_output_tokens", statistic: "rate" },
    { id: "dynamo-frontend.isl", family: "dynamo_frontend_input_sequence_tokens", statistic: "avg" },
    { id: "dynamo-frontend.osl", family: "dynamo_frontend_output_sequence_tokens", statistic: "avg" },
    {
      id: "dynamo-frontend.stages",
      family: "dynamo_frontend_stage_duration_seconds",
      statistic: "p99_estimate",
      by: "stage",
    },
    { id: "dynamo-frontend.stalls", family: "dynamo_frontend_event_loop_stall", statistic: "rate" },
    { id: "dynamo-frontend.tokenizer", family: "dynamo_frontend_tokenizer_latency_ms", statistic: "p99_estimate" },
    { id: "dynamo-frontend.decode-blocks", family: "dynamo_frontend_worker_active_decode_blocks", statistic: "avg" },
    { id: "dynamo-frontend.migrations", family: "dynamo_frontend_model_migration", statistic: "total" },
  ],
  groups: [
    {
      group: "Model configuration",
      pattern:
        /dynamo_frontend_model_(?!(migration(_duration_seconds|_max_seq_len_exceeded)?|cancellation|rejection)$)/,
    },
    { group: "Queue and batch", pattern: /disconnected_clients/ },
  ],
  enable: "The Dynamo frontend serves its metrics at /metrics of its HTTP port (8000 unless set).",
  modelLabels: ["model"],
});

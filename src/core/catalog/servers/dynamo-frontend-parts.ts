import { counter, gauge, histogram } from "../define.js";

const LORA = { group: "Queue and batch" } as const;

/** Parts of Dynamo's frontend that not every deployment uses: migration, media, embeddings, caches and adapters. */
export const frontendParts = {
  dynamo_frontend_model_migration_duration_seconds: histogram("Migration time", {
    unit: "seconds",
    group: "Latency",
    direction: "down",
    hint: "Of requests that moved to another worker because theirs was lost.",
  }),
  dynamo_frontend_model_cancellation: counter("Requests cancelled", { unit: "requests", group: "Throughput" }),
  dynamo_frontend_model_rejection: counter("Requests rejected", {
    unit: "requests",
    group: "Throughput",
    direction: "down",
    hint: "Refused because every worker was busy.",
  }),
  dynamo_frontend_kv_transfer_estimated_latency_seconds: histogram("KV transfer, estimated", {
    unit: "seconds",
    group: "Latency",
    direction: "down",
  }),
  dynamo_frontend_shared_cache_hit_rate: histogram("Shared cache hit rate", {
    unit: "ratio",
    group: "KV cache",
    direction: "up",
  }),
  dynamo_frontend_shared_cache_beyond_blocks: histogram("Blocks that only the shared cache had", {
    unit: "blocks",
    group: "KV cache",
  }),
  dynamo_frontend_non_max_overlap_selections: counter("Workers chosen with less overlap", { group: "KV cache" }),
  dynamo_frontend_overlap_blocks_lost: histogram("Overlap given up", {
    unit: "blocks",
    group: "KV cache",
    direction: "down",
  }),
  dynamo_frontend_tokenizer_cache_hits: counter("Tokenizer cache hits", { group: "Throughput", direction: "up" }),
  dynamo_frontend_tokenizer_cache_misses: counter("Tokenizer cache misses", { group: "Throughput" }),
  dynamo_frontend_tokenizer_cache_cached_tokens: counter("Tokens from the tokenizer cache", {
    unit: "tokens",
    group: "Throughput",
    direction: "up",
  }),
  dynamo_frontend_tokenizer_cache_uncached_tokens: counter("Tokens tokenized anew", {
    unit: "tokens",
    group: "Throughput",
  }),
  dynamo_frontend_embedding_latency_seconds: histogram("Embedding latency", { unit: "seconds", direction: "down" }),
  dynamo_frontend_images_per_request: histogram("Images per request", { unit: "images", group: "Queue and batch" }),
  dynamo_frontend_videos_per_request: histogram("Videos per request", { unit: "videos", group: "Queue and batch" }),
  dynamo_frontend_audio_per_request: histogram("Audio parts per request", { group: "Queue and batch" }),
  dynamo_frontend_image_tokens_per_request: histogram("Image tokens per request", {
    unit: "tokens",
    group: "Queue and batch",
  }),
  dynamo_frontend_lora_replica_factor: gauge("LoRA replicas", LORA),
  dynamo_frontend_lora_is_active: gauge("LoRA adapter active", LORA),
  dynamo_frontend_lora_estimated_load: gauge("LoRA load, estimated", LORA),
  dynamo_frontend_lora_raw_arrival_count: gauge("LoRA arrivals", LORA),
  dynamo_frontend_lora_active_requests: gauge("LoRA requests in flight", { ...LORA, unit: "requests" }),
  dynamo_frontend_lora_overflow_count: gauge("LoRA replicas without a place", { ...LORA, direction: "down" }),
  // Gauges in spite of their suffix: of the last round of placement.
  dynamo_frontend_lora_churn_loads_total: gauge("LoRA loads, last placement", LORA),
  dynamo_frontend_lora_churn_unloads_total: gauge("LoRA unloads, last placement", LORA),
};

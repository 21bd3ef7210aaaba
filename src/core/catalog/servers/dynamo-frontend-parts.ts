import { counter, gauge, histogram } from "../define.js";

const LORA = "Queue and batch:";

/** Parts of Dynamo's frontend that not every deployment uses: migration, media, embeddings, caches and adapters. */
export const frontendParts = {
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

import { counter, gauge, histogram } from "../define.js";

const LATENCY = "Latency: seconds, down";
const CACHE = "KV cache:";

/** SGLang's server of the vision or audio encoder (`--encoder-only`). */
export const encoderFamilies = {
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

import { gauge } from "../define.js";

const CACHE = "KV cache:";
const THREADS = "Process and system:";

/** LMCache's own bookkeeping: what is under way, its samples of chunks, its background threads. All are gauges. */
export const internalFamilies = {
  "lmcache:pin_monitor_pinned_objects_count": gauge("Memory objects pinned, as watched", CACHE),
  "lmcache:storage_events_ongoing_count": gauge("Storage tasks under way", CACHE),
  "lmcache:storage_events_done_count": gauge("Storage tasks done and not collected", CACHE),
  "lmcache:storage_events_not_found_count": gauge("Storage tasks that found nothing", CACHE),
  "lmcache:connector_load_specs_count": gauge("Loads planned", "KV cache: requests"),
  "lmcache:connector_request_trackers_count": gauge("Requests tracked", "KV cache: requests"),
  "lmcache:connector_requests_priority_count": gauge("Requests with a priority", "KV cache: requests"),
  "lmcache:connector_kv_caches_count": gauge("KV caches of the connector", CACHE),
  "lmcache:connector_layerwise_retrievers_count": gauge("Retrieves by layer under way", CACHE),
  "lmcache:connector_invalid_block_ids_count": gauge("Blocks that failed to load", "KV cache: blocks, down"),
  "lmcache:scheduler_unfinished_requests_count": gauge("Requests unfinished", "Queue and batch: requests"),
  "lmcache:chunk_statistics_enabled": gauge("Chunk statistics on", CACHE),
  "lmcache:chunk_statistics_total_requests": gauge("Requests seen by chunk statistics", "KV cache: requests"),
  "lmcache:chunk_statistics_total_chunks": gauge("Chunks seen", "KV cache: chunks"),
  "lmcache:chunk_statistics_unique_chunks": gauge("Chunks seen, different ones", "KV cache: chunks"),
  "lmcache:chunk_statistics_reuse_rate": gauge("Chunk reuse, since start", "KV cache: ratio, up", {
    computed: { over: "lifetime" },
    hint: "Share of chunks that had been seen before: what a cache without limit would hit.",
  }),
  "lmcache:chunk_statistics_bloom_filter_size_mb": gauge("Chunk statistics: filter size", "KV cache: megabytes"),
  "lmcache:chunk_statistics_bloom_filter_fill_rate": gauge("Chunk statistics: filter filled", "KV cache: ratio"),
  "lmcache:chunk_statistics_file_count": gauge("Chunk statistics: files", CACHE),
  "lmcache:chunk_statistics_current_file_size": gauge("Chunk statistics: file size", "KV cache: bytes"),
  "lmcache:periodic_threads_total_count": gauge("Background threads", THREADS),
  "lmcache:periodic_threads_running_count": gauge("Background threads alive", THREADS),
  "lmcache:periodic_threads_active_count": gauge("Background threads at work", THREADS),
  "lmcache:periodic_threads_critical_total": gauge("Background threads, critical", THREADS),
  "lmcache:periodic_threads_critical_running": gauge("Background threads alive, critical", THREADS),
  "lmcache:periodic_threads_critical_active": gauge("Background threads at work, critical", THREADS),
  "lmcache:periodic_threads_high_total": gauge("Background threads, high", THREADS),
  "lmcache:periodic_threads_high_running": gauge("Background threads alive, high", THREADS),
  "lmcache:periodic_threads_high_active": gauge("Background threads at work, high", THREADS),
  "lmcache:periodic_threads_medium_total": gauge("Background threads, medium", THREADS),
  "lmcache:periodic_threads_medium_running": gauge("Background threads alive, medium", THREADS),
  "lmcache:periodic_threads_medium_active": gauge("Background threads at work, medium", THREADS),
  "lmcache:periodic_threads_low_total": gauge("Background threads, low", THREADS),
  "lmcache:periodic_threads_low_running": gauge("Background threads alive, low", THREADS),
  "lmcache:periodic_threads_low_active": gauge("Background threads at work, low", THREADS),
};

import { counter, gauge, histogram } from "../define.js";

const CHUNKS = "KV cache: chunks";
const BLOCKS = "KV cache: blocks";
const DELAY = "KV cache: seconds, down";

/** vLLM's KV offloading to the CPU and to storage behind it. The families of totals by direction are the older ones. */
export const offloadFamilies = {
  "vllm:kv_offload_load_bytes": counter("KV offload loads", "bytes", {
    hint: "KV read back from offload storage to the GPU.",
  }),
  "vllm:kv_offload_store_bytes": counter("KV offload stores", "bytes", {
    hint: "KV written from the GPU to offload storage. Stores without loads cost bandwidth and save nothing.",
  }),
  "vllm:kv_offload_load_time": counter("KV offload load time", "KV cache: seconds, down", {
    hint: "Bytes loaded by it is the speed of loads.",
  }),
  "vllm:kv_offload_store_time": counter("KV offload store time", "KV cache: seconds, down", {
    hint: "Bytes stored by it is the speed of stores.",
  }),
  "vllm:kv_offload_load_size": histogram("KV offload load size", "bytes", { hint: "Of each load." }),
  "vllm:kv_offload_store_size": histogram("KV offload store size", "bytes", { hint: "Of each store." }),
  "vllm:kv_offload_stores_skipped": counter("KV offload stores skipped", "stores", {
    hint: "Stores left out because their blocks had not been looked up often enough (store_threshold).",
  }),
  "vllm:kv_offload_total_bytes": counter("KV offload bytes", "bytes"),
  "vllm:kv_offload_total_time": counter("KV offload time", "KV cache: seconds"),
  "vllm:kv_offload_size": histogram("KV offload size", "bytes"),
  "vllm:kv_offload_allocation_failure": counter("KV offload allocations failed", "KV cache: down", {
    hint: "Blocks that were not stored because the offload storage had no room for them.",
  }),
  "vllm:kv_offload_lookup_sync_delay_seconds": histogram("KV offload lookup delay", DELAY, {
    hint: "Time for which the scheduler waited for lookups in the offload storage.",
  }),
  "vllm:kv_offload_lookup_async_delay_seconds": histogram("KV offload lookup delay, asynchronous", DELAY, {
    hint: "From a request's first lookup that had to wait to the one that was answered.",
  }),
  "vllm:kv_offload_cpu_allocation_size": histogram("Offload CPU blocks per store", "blocks", {
    hint: "Blocks that each store asks the CPU tier for.",
  }),
  "vllm:kv_offload_cpu_cache_usage_perc": gauge("Offload CPU cache usage", "ratio", {
    hint: "In newer versions the share that transfers hold: kv_offload_cpu_cache_occupancy_perc is how full it is.",
  }),
  "vllm:kv_offload_cpu_cache_read_usage_perc": gauge("Offload CPU cache usage, reads", "ratio"),
  "vllm:kv_offload_cpu_cache_write_usage_perc": gauge("Offload CPU cache usage, writes", "ratio"),
  "vllm:kv_offload_cpu_cache_occupancy_perc": gauge("Offload CPU cache occupancy", "ratio", {
    hint: "How full the CPU tier is, 0 to 1. Once it is full, older blocks are evicted and hits fall.",
  }),
  "vllm:kv_offload_cpu_cache_occupied_bytes": gauge("Offload CPU cache occupied", "bytes"),
  "vllm:kv_offload_cpu_cache_capacity_bytes": gauge("Offload CPU cache capacity", "bytes"),
  "vllm:kv_offload_tiering_read_bytes": counter("Offload tier reads", "bytes", {
    hint: "KV brought up from a slower tier to the CPU, by tier.",
  }),
  "vllm:kv_offload_tiering_read_time": counter("Offload tier read time", DELAY),
  "vllm:kv_offload_tiering_write_bytes": counter("Offload tier writes", "bytes", {
    hint: "KV passed down from the CPU to a slower tier, by tier.",
  }),
  "vllm:kv_offload_tiering_write_time": counter("Offload tier write time", DELAY),
  "vllm:kv_offload_tiering_block_queries": counter("Offload tier lookups, in blocks", BLOCKS),
  "vllm:kv_offload_tiering_block_hits": counter("Offload tier hits, in blocks", "KV cache: blocks, up"),
  "vllm:kv_offload_tiering_chunk_queries": counter("Offload tier lookups", CHUNKS),
  "vllm:kv_offload_tiering_chunk_hits": counter("Offload tier hits", "KV cache: chunks, up"),
  "vllm:kv_offload_tiering_lookup_sync_delay_seconds": histogram("Offload tier lookup delay", DELAY),
  "vllm:kv_offload_tiering_lookup_async_delay_seconds": histogram("Offload tier lookup delay, asynchronous", DELAY),
  "vllm:kv_offload_tiering_promotion_job_failures": counter("Offload promotions failed", "KV cache: jobs, down", {
    hint: "KV blocks that could not be brought up from a slower tier.",
  }),
  "vllm:kv_offload_tiering_promotion_allocation_failures": counter(
    "Offload promotions without room",
    "KV cache: down",
    { hint: "The CPU tier had no room for KV from a slower one." },
  ),
  "vllm:kv_offload_tiering_cascade_job_failures": counter("Offload cascades failed", "KV cache: jobs, down", {
    hint: "KV blocks that could not be passed down to a slower tier.",
  }),
  "vllm:kv_offload_tiering_active_promotion_jobs": gauge("Offload promotions under way", "jobs"),
  "vllm:kv_offload_tiering_active_cascade_jobs": gauge("Offload cascades under way", "jobs"),
  "vllm:kv_offload_tiering_primary_read_usage_perc": gauge("Offload CPU cache held by cascades", "ratio", {
    hint: "Share of the CPU tier that is being read for a slower tier, 0 to 1.",
  }),
  "vllm:kv_offload_tiering_primary_write_usage_perc": gauge("Offload CPU cache held by promotions", "ratio", {
    hint: "Share of the CPU tier that is being written from a slower tier, 0 to 1.",
  }),
};

const STORE = "KV cache:";

/** KV and tokens on their way between vLLM's workers, and to stores beside them. */
export const transferFamilies = {
  "vllm:nixl_xfer_time_seconds": histogram("NIXL transfer time", "seconds, down", {
    hint: "KV transfers between prefill and decode workers.",
  }),
  "vllm:nixl_post_time_seconds": histogram("NIXL post time", "seconds, down"),
  "vllm:nixl_bytes_transferred": histogram("NIXL bytes per transfer", "bytes"),
  "vllm:nixl_num_descriptors": histogram("NIXL descriptors per transfer"),
  "vllm:nixl_num_failed_transfers": counter("NIXL transfers failed", "down"),
  "vllm:nixl_num_failed_notifications": counter("NIXL notifications failed", "down"),
  "vllm:nixl_num_kv_expired_reqs": counter("NIXL KV expired", "requests, down"),
  "vllm:ep_all2all_dispatch_latency_seconds": histogram("Expert-parallel dispatch latency", "seconds, down", {
    hint: "All-to-all that sends tokens to the ranks of their experts.",
  }),
  "vllm:ep_all2all_combine_latency_seconds": histogram("Expert-parallel combine latency", "seconds, down", {
    hint: "All-to-all that brings the experts' results back.",
  }),
  "vllm:ep_all2all_dispatch_tokens": counter("Expert-parallel tokens dispatched", "Throughput: tokens"),
  "vllm:ep_all2all_combine_tokens": counter("Expert-parallel tokens combined", "Throughput: tokens"),
  "vllm:ep_all2all_active_ranks": gauge("Expert-parallel ranks", "Model configuration:"),
  "vllm:ep_all2all_buffer_rdma_bytes": gauge("Expert-parallel RDMA buffer", "GPU: bytes"),
  "vllm:ep_all2all_buffer_nvl_bytes": gauge("Expert-parallel NVLink buffer", "GPU: bytes"),
  "vllm:mooncake_store_operation": counter("Mooncake store operations", STORE, {
    hint: "By operation and status: ok, error.",
  }),
  "vllm:mooncake_store_operation_time_seconds": histogram("Mooncake store operation time", "KV cache: seconds, down"),
  "vllm:mooncake_store_operation_bytes": counter("Mooncake store bytes", "KV cache: bytes"),
  "vllm:mooncake_store_operation_keys": counter("Mooncake store keys", "KV cache: keys"),
  "vllm:mooncake_store_operation_failed_keys": counter("Mooncake store keys failed", "KV cache: keys, down"),
  "vllm:hf3fs_save_duration_seconds": histogram("HF3FS save time", "KV cache: seconds, down"),
  "vllm:hf3fs_load_duration_seconds": histogram("HF3FS load time", "KV cache: seconds, down"),
  "vllm:hf3fs_num_failed_save": counter("HF3FS saves failed", "KV cache: down"),
  "vllm:hf3fs_num_failed_load": counter("HF3FS loads failed", "KV cache: down"),
};

import { counter, gauge, histogram } from "../define.js";

const STORE = { group: "KV cache" } as const;

/** KV and tokens on their way between vLLM's workers, and to stores beside them. */
export const transferFamilies = {
  "vllm:nixl_xfer_time_seconds": histogram("NIXL transfer time", {
    unit: "seconds",
    direction: "down",
    hint: "KV transfers between prefill and decode workers.",
  }),
  "vllm:nixl_post_time_seconds": histogram("NIXL post time", { unit: "seconds", direction: "down" }),
  "vllm:nixl_bytes_transferred": histogram("NIXL bytes per transfer", { unit: "bytes" }),
  "vllm:nixl_num_descriptors": histogram("NIXL descriptors per transfer"),
  "vllm:nixl_num_failed_transfers": counter("NIXL transfers failed", { direction: "down" }),
  "vllm:nixl_num_failed_notifications": counter("NIXL notifications failed", { direction: "down" }),
  "vllm:nixl_num_kv_expired_reqs": counter("NIXL KV expired", { unit: "requests", direction: "down" }),
  "vllm:ep_all2all_dispatch_latency_seconds": histogram("Expert-parallel dispatch latency", {
    unit: "seconds",
    direction: "down",
    hint: "All-to-all that sends tokens to the ranks of their experts.",
  }),
  "vllm:ep_all2all_combine_latency_seconds": histogram("Expert-parallel combine latency", {
    unit: "seconds",
    direction: "down",
    hint: "All-to-all that brings the experts' results back.",
  }),
  "vllm:ep_all2all_dispatch_tokens": counter("Expert-parallel tokens dispatched", {
    unit: "tokens",
    group: "Throughput",
  }),
  "vllm:ep_all2all_combine_tokens": counter("Expert-parallel tokens combined", { unit: "tokens", group: "Throughput" }),
  "vllm:ep_all2all_active_ranks": gauge("Expert-parallel ranks", { group: "Model configuration" }),
  "vllm:ep_all2all_buffer_rdma_bytes": gauge("Expert-parallel RDMA buffer", { unit: "bytes", group: "GPU" }),
  "vllm:ep_all2all_buffer_nvl_bytes": gauge("Expert-parallel NVLink buffer", { unit: "bytes", group: "GPU" }),
  "vllm:mooncake_store_operation": counter("Mooncake store operations", {
    ...STORE,
    hint: "By operation and status: ok, error.",
  }),
  "vllm:mooncake_store_operation_time_seconds": histogram("Mooncake store operation time", {
    ...STORE,
    unit: "seconds",
    direction: "down",
  }),
  "vllm:mooncake_store_operation_bytes": counter("Mooncake store bytes", { ...STORE, unit: "bytes" }),
  "vllm:mooncake_store_operation_keys": counter("Mooncake store keys", { ...STORE, unit: "keys" }),
  "vllm:mooncake_store_operation_failed_keys": counter("Mooncake store keys failed", {
    ...STORE,
    unit: "keys",
    direction: "down",
  }),
  "vllm:hf3fs_save_duration_seconds": histogram("HF3FS save time", { ...STORE, unit: "seconds", direction: "down" }),
  "vllm:hf3fs_load_duration_seconds": histogram("HF3FS load time", { ...STORE, unit: "seconds", direction: "down" }),
  "vllm:hf3fs_num_failed_save": counter("HF3FS saves failed", { ...STORE, direction: "down" }),
  "vllm:hf3fs_num_failed_load": counter("HF3FS loads failed", { ...STORE, direction: "down" }),
};

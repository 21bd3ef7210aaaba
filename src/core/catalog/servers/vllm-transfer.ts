import { counter, gauge, histogram } from "../define.js";

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

import { counter, gauge, histogram, info } from "../define.js";

const POOL = { group: "KV cache" } as const;

/** SGLang's memory pools on the GPU, and its hierarchical cache in host memory and storage. */
export const cacheFamilies = {
  "sglang:token_usage": gauge("KV cache usage", {
    unit: "ratio",
    group: "KV cache",
    hint: "Share of KV cache tokens in use, 0 to 1. It leaves out tokens that could be evicted: compare the tokens used.",
  }),
  "sglang:full_token_usage": gauge("KV cache usage, full attention layers", { unit: "ratio" }),
  "sglang:swa_token_usage": gauge("KV cache usage, sliding window layers", {
    unit: "ratio",
    hint: "Of hybrid models. The fullest pool limits the batch; it may be this one.",
  }),
  "sglang:mamba_usage": gauge("Mamba state usage", {
    unit: "ratio",
    hint: "Of hybrid models. The fullest pool limits the batch; it may be this one.",
  }),
  "sglang:swa_available_tokens": gauge("Sliding window tokens free", { ...POOL, unit: "tokens", direction: "up" }),
  "sglang:swa_evictable_tokens": gauge("Sliding window tokens evictable", { ...POOL, unit: "tokens" }),
  "sglang:swa_used_tokens": gauge("Sliding window tokens used", { ...POOL, unit: "tokens" }),
  "sglang:mamba_available_tokens": gauge("Mamba states free", { ...POOL, unit: "states", direction: "up" }),
  "sglang:mamba_evictable_tokens": gauge("Mamba states evictable", { ...POOL, unit: "states" }),
  "sglang:mamba_used_tokens": gauge("Mamba states used", { ...POOL, unit: "states" }),
  "sglang:pending_prealloc_token_usage": gauge("KV cache usage, preallocation pending", { unit: "ratio" }),
  "sglang:num_used_tokens": gauge("KV cache tokens used", { unit: "tokens" }),
  "sglang:kv_used_tokens": gauge("KV cache tokens used", { unit: "tokens", hint: "Held by running requests." }),
  "sglang:kv_evictable_tokens": gauge("KV cache tokens evictable", {
    unit: "tokens",
    hint: "Held for reuse; given up when room is needed.",
  }),
  "sglang:kv_available_tokens": gauge("KV cache tokens free", {
    unit: "tokens",
    direction: "up",
    hint: "Held by nobody. Tokens that can be evicted are free, too, once they are needed.",
  }),
  "sglang:max_total_num_tokens": info("KV cache tokens", { unit: "tokens" }),
  "sglang:max_total_num_tokens_swa": info("Sliding window tokens", { unit: "tokens" }),
  "sglang:page_size": info("KV cache page size", { unit: "tokens" }),
  "sglang:num_pages": info("KV cache pages", { unit: "pages" }),
  "sglang:hicache_host_used_tokens": gauge("HiCache host tokens used", {
    unit: "tokens",
    group: "KV cache",
    hint: "Of the hierarchical cache in host memory.",
  }),
  "sglang:hicache_host_total_tokens": gauge("HiCache host tokens", {
    unit: "tokens",
    group: "KV cache",
    hint: "Room of the hierarchical cache in host memory.",
  }),
  "sglang:hicache_dropped_tokens": counter("HiCache tokens dropped", {
    unit: "tokens",
    group: "KV cache",
    direction: "down",
  }),
  "sglang:hicache_backup_duration_seconds": histogram("HiCache backup time", {
    unit: "seconds",
    direction: "down",
    hint: "From GPU to host memory, for each write operation.",
  }),
  "sglang:hicache_backup_bytes": counter("HiCache bytes backed up", { unit: "bytes" }),
  "sglang:hicache_backup_tokens": counter("HiCache tokens backed up to the host", { unit: "tokens" }),
  "sglang:hicache_backup_dropped_tokens": counter("HiCache backups dropped", { unit: "tokens", direction: "down" }),
  "sglang:hicache_prefetch_outcomes": counter("HiCache prefetches, by outcome"),
  "sglang:hicache_prefetch_aux_alloc_failed_tokens": counter("HiCache prefetches without room", {
    unit: "tokens",
    direction: "down",
  }),
  "sglang:load_back_bytes": counter("HiCache bytes loaded back", { unit: "bytes", group: "KV cache" }),
  "sglang:evicted_tokens": counter("KV cache tokens evicted", { unit: "tokens", group: "KV cache" }),
  "sglang:load_back_tokens": counter("HiCache tokens loaded back", { unit: "tokens", group: "KV cache" }),
  "sglang:prefetched_tokens": counter("HiCache tokens prefetched", { unit: "tokens", group: "KV cache" }),
  "sglang:backuped_tokens": counter("HiCache tokens backed up", { unit: "tokens", group: "KV cache" }),
  "sglang:eviction_duration_seconds": histogram("Eviction time", { unit: "seconds", direction: "down" }),
  "sglang:load_back_duration_seconds": histogram("HiCache load time", { unit: "seconds", direction: "down" }),
  "sglang:prefetch_pgs": histogram("HiCache pages prefetched", { unit: "pages", group: "KV cache" }),
  "sglang:backup_pgs": histogram("HiCache pages backed up", { unit: "pages", group: "KV cache" }),
  "sglang:prefetch_bandwidth": histogram("HiCache prefetch bandwidth", { unit: "gb/s", group: "KV cache" }),
  "sglang:backup_bandwidth": histogram("HiCache backup bandwidth", { unit: "gb/s", group: "KV cache" }),
};

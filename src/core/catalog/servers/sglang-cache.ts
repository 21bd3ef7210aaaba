import { counter, fact, gauge, histogram, info } from "../define.js";

/** SGLang's memory pools on the GPU, and its hierarchical cache in host memory and storage. */
export const cacheFamilies = {
  "sglang:token_usage": gauge("KV cache usage", "KV cache: ratio", {
    hint: "Share of KV cache tokens in use, 0 to 1. It leaves out tokens that could be evicted: compare the tokens used.",
  }),
  "sglang:full_token_usage": gauge("KV cache usage, full attention layers", "ratio"),
  "sglang:swa_token_usage": gauge("KV cache usage, sliding window layers", "ratio", {
    hint: "Of hybrid models. The fullest pool limits the batch; it may be this one.",
  }),
  "sglang:mamba_usage": gauge("Mamba state usage", "ratio", {
    hint: "Of hybrid models. The fullest pool limits the batch; it may be this one.",
  }),
  "sglang:swa_available_tokens": gauge("Sliding window tokens free", "KV cache: tokens, up"),
  "sglang:swa_evictable_tokens": gauge("Sliding window tokens evictable", "KV cache: tokens"),
  "sglang:swa_used_tokens": gauge("Sliding window tokens used", "KV cache: tokens"),
  "sglang:mamba_available_tokens": gauge("Mamba states free", "KV cache: states, up"),
  "sglang:mamba_evictable_tokens": gauge("Mamba states evictable", "KV cache: states"),
  "sglang:mamba_used_tokens": gauge("Mamba states used", "KV cache: states"),
  "sglang:pending_prealloc_token_usage": gauge("KV cache usage, preallocation pending", "ratio"),
  "sglang:num_used_tokens": gauge("KV cache tokens used", "tokens"),
  "sglang:kv_used_tokens": gauge("KV cache tokens used", "tokens", { hint: "Held by running requests." }),
  "sglang:kv_evictable_tokens": gauge("KV cache tokens evictable", "tokens", {
    hint: "Held for reuse; given up when room is needed.",
  }),
  "sglang:kv_available_tokens": gauge("KV cache tokens free", "tokens, up", {
    hint: "Held by nobody. Tokens that can be evicted are free, too, once they are needed.",
  }),
  "sglang:max_total_num_tokens": fact("KV cache tokens", "tokens"),
  "sglang:max_total_num_tokens_swa": info("Sliding window tokens", "tokens"),
  "sglang:page_size": info("KV cache page size", "tokens"),
  "sglang:num_pages": info("KV cache pages", "pages"),
  "sglang:hicache_host_used_tokens": gauge("HiCache host tokens used", "KV cache: tokens", {
    hint: "Of the hierarchical cache in host memory.",
  }),
  "sglang:hicache_host_total_tokens": gauge("HiCache host tokens", "KV cache: tokens", {
    hint: "Room of the hierarchical cache in host memory.",
  }),
  "sglang:hicache_dropped_tokens": counter("HiCache tokens dropped", "KV cache: tokens, down"),
  "sglang:hicache_backup_duration_seconds": histogram("HiCache backup time", "seconds, down", {
    hint: "From GPU to host memory, for each write operation.",
  }),
  "sglang:hicache_backup_bytes": counter("HiCache bytes backed up", "bytes"),
  "sglang:hicache_backup_tokens": counter("HiCache tokens backed up to the host", "tokens"),
  "sglang:hicache_backup_dropped_tokens": counter("HiCache backups dropped", "tokens, down"),
  "sglang:hicache_prefetch_outcomes": counter("HiCache prefetches, by outcome"),
  "sglang:hicache_prefetch_aux_alloc_failed_tokens": counter("HiCache prefetches without room", "tokens, down"),
  "sglang:load_back_bytes": counter("HiCache bytes loaded back", "KV cache: bytes"),
  "sglang:evicted_tokens": counter("KV cache tokens evicted", "KV cache: tokens"),
  "sglang:load_back_tokens": counter("HiCache tokens loaded back", "KV cache: tokens"),
  "sglang:prefetched_tokens": counter("HiCache tokens prefetched", "KV cache: tokens"),
  "sglang:backuped_tokens": counter("HiCache tokens backed up", "KV cache: tokens"),
  "sglang:eviction_duration_seconds": histogram("Eviction time", "seconds, down"),
  "sglang:load_back_duration_seconds": histogram("HiCache load time", "seconds, down"),
  "sglang:prefetch_pgs": histogram("HiCache pages prefetched", "KV cache: pages"),
  "sglang:backup_pgs": histogram("HiCache pages backed up", "KV cache: pages"),
  "sglang:prefetch_bandwidth": histogram("HiCache prefetch bandwidth", "KV cache: gb/s"),
  "sglang:backup_bandwidth": histogram("HiCache backup bandwidth", "KV cache: gb/s"),
};

import type { Observed } from "../observed.js";

/** Counters of tokens (or blocks) found in the prefix cache, each with those looked up. */
const PAIRS = [
  ["vllm:prefix_cache_hits", "vllm:prefix_cache_queries"],
  ["sglang:cached_tokens", "sglang:prompt_tokens"],
  ["trtllm:kv_cache_reused_blocks", "trtllm:kv_cache_alloc_blocks"],
] as const;

/** What an endpoint's prefix cache found of what was looked up; undefined where nothing was, or nothing tells. */
export function prefixHits(run: Observed, endpointUrl: string) {
  for (const [hitName, queryName] of PAIRS) {
    const hits = run.counter(endpointUrl, [hitName]);
    const queries = run.counter(endpointUrl, [queryName]);
    if (hits !== undefined && queries !== undefined && queries.total > 0)
      return { hits, queries, rate: hits.total / queries.total };
  }
  return undefined;
}

import { figure, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

/** Counters of tokens found in the prefix cache, each with those looked up. */
const PAIRS = [
  ["vllm:prefix_cache_hits", "vllm:prefix_cache_queries"],
  ["sglang:cached_tokens", "sglang:prompt_tokens"],
  ["trtllm:kv_cache_reused_blocks", "trtllm:kv_cache_alloc_blocks"],
] as const;

const ENOUGH_TOKENS = 10_000;

/** Prompts hardly ever begin with something that is in the cache. */
export const lowPrefixHits: Rule = {
  id: "low-prefix-hits",
  title: "The prefix cache has few hits",
  advice:
    "Where prompts share a beginning, check that it comes first and is the same to the byte, that prefix caching is on, and that the router sends the same prefixes to the same server. With unrelated prompts this is expected.",
  check: (run, { prefixHitRate: threshold }) =>
    run.endpoints().flatMap((endpointUrl) =>
      PAIRS.flatMap(([hitName, queryName]) => {
        const hits = run.counter(endpointUrl, [hitName]);
        const queries = run.counter(endpointUrl, [queryName]);
        if (hits === undefined || queries === undefined || queries.total < ENOUGH_TOKENS) return [];
        const rate = hits.total / queries.total;
        if (rate >= threshold) return [];
        return [
          {
            weight: ramp(rate, 0, threshold, 0.4, 0.3),
            confidence: "low" as const,
            text: `${nameOf(endpointUrl)}: ${percent(rate)} of ${figure(queries.total)} prompt tokens were in the prefix cache.`,
            evidence: [
              run.evidence(hits, { statistic: "hits by lookups", value: rate, threshold, unit: "ratio" }),
              run.evidence(queries, { statistic: "total", value: queries.total }),
            ],
            endpointUrls: [endpointUrl],
          },
        ];
      }),
    ),
};

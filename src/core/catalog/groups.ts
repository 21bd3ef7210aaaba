import { canonicalName } from "./aliases.js";
import type { FamilyGroup, GroupRule } from "./definition.js";
import { entryOfCanonical, serverOf } from "./recognise.js";

/** For families that no rule of their server claims. */
const RULES: readonly GroupRule[] = [
  { group: "HTTP server", pattern: /^http_|^promhttp_/ },
  { group: "Process and system", pattern: /^(process|python|memory|cpu|network|nodejs|node|go)_/ },
  { group: "Model configuration", pattern: /_info$/ },
  { group: "Speculative decoding", pattern: /spec_decode|spec_accept|speculat/ },
  { group: "Latency", pattern: /latency|duration|time_to_first|time_per_|_time_seconds|_time_ms/ },
  { group: "KV cache", pattern: /kv_|cache_|_cached|kvstats|preempt/ },
  { group: "Throughput", pattern: /completed|success|throughput/ },
  {
    group: "Queue and batch",
    pattern: /num_requests_|running|waiting|queue|inflight|pending|batch|iteration|active_requests/,
  },
  { group: "Throughput", pattern: /tokens|requests|_bytes|errors?$/ },
  { group: "GPU", pattern: /gpu/i },
];

/** Where tree and tables put a family. */
export function groupOf(name: string): FamilyGroup {
  const canonical = canonicalName(name);
  const own = entryOfCanonical(canonical)?.group;
  if (own !== undefined) return own;
  const rules = [...(serverOf(canonical)?.groups ?? []), ...RULES];
  return rules.find(({ pattern }) => pattern.test(canonical))?.group ?? "Other";
}

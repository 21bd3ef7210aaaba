import { labelValue } from "../../model/index.js";
import { optionOf } from "../advice.js";
import { ramp } from "../numbers.js";
import type { Observed } from "../observed.js";
import { endpointRule, type EndpointHit, type Place } from "../rule.js";
import { figure, percent } from "../words.js";
import { backlogOf, loadOf } from "./load.js";
import { prefillInterference } from "./prefill-interference.js";
import { ENOUGH_LOOKUPS, prefixHits, type PrefixHits } from "./prefix-hits.js";

/** Share of the threshold from where on some hits come: below it prompts share no beginning, as random ones do. */
const SOME = 0.1;

/**
 * Prompts share a beginning, and hardly any of it is in the cache; or the cache is off where prompts are the limit. No
 * hit at all means prompts without a shared beginning, such as those of load generators.
 */
export const lowPrefixHits = endpointRule({
  title: "The prefix cache has few hits",
  advice: (server) =>
    "Check that the shared prefix comes first and is byte-identical, and that the router sends the same " +
    `prefixes to the same server. A cache that is too small forgets them${optionOf(server, "kvMemory")}.`,
  look: (run, endpointUrl) => {
    const found = prefixHits(run, endpointUrl);
    const off = isOff(run, endpointUrl);
    return found === undefined && !off ? undefined : { found, off };
  },
  judge: ({ found, off }, place) => [
    ...(found === undefined ? [] : fewHits(found, place)),
    ...(off ? cacheOff(place) : []),
  ],
});

function fewHits({ hits, lookups, rate }: PrefixHits, { run, limits }: Place): readonly EndpointHit[] {
  const { prefixHitRate: threshold } = limits;
  if (lookups < ENOUGH_LOOKUPS || rate < SOME * threshold || rate >= threshold) return [];
  const what = hits.family.includes("block") ? "KV blocks" : "prompt tokens";
  return [
    {
      weight: ramp(rate, 0, threshold, 0.4, 0.3),
      confidence: "low",
      text: `${percent(rate)} of ${figure(lookups)} ${what} were found in the prefix cache.`,
      evidence: [run.evidence(hits, "hits per lookup", rate, { threshold, unit: "ratio" })],
    },
  ];
}

/** Prompts are the limit where they keep others waiting, or slow down the tokens of others. */
function cacheOff({ run, endpointUrl, limits }: Place): readonly EndpointHit[] {
  const load = loadOf(run, endpointUrl);
  const waits = load.waitingShare >= limits.waitingShare && backlogOf(load, limits.kvUsage)?.limit === "prefill";
  const slows = prefillInterference.check(run, limits).some(({ endpointUrls }) => endpointUrls.includes(endpointUrl));
  const signal = run.counter(endpointUrl, "prompt-tokens");
  if ((!waits && !slows) || signal === undefined) return [];
  return [
    {
      weight: 0.4,
      confidence: "medium",
      text: `${waits ? "requests waited for prefill" : "prefill slowed tokens down"}, and the prefix cache was off.`,
      evidence: [run.evidence(signal, "rate", signal.rate, { unit: "tokens/s" })],
      advice: `Turn it on${optionOf(run.serverAt(endpointUrl), "prefixCaching")}: a prefix that prompts share is then computed once.`,
    },
  ];
}

function isOff(run: Observed, endpointUrl: string): boolean {
  return run
    .find((name) => name === "vllm:cache_config_info", endpointUrl)
    .some(({ series }) =>
      series.some(({ labels }) => /^false$/i.test(labelValue(labels, "enable_prefix_caching") ?? "")),
    );
}

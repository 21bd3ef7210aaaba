import { labelValue } from "../../model/index.js";
import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { ramp } from "../numbers.js";
import type { Observed } from "../observed.js";
import { hitsAt, type EndpointHit, type Rule } from "../rule.js";
import type { Thresholds } from "../thresholds.js";
import { figure, percent } from "../words.js";
import { backlogOf, loadOf } from "./load.js";
import { prefillInterference } from "./prefill-interference.js";
import { ENOUGH_LOOKUPS, prefixHits } from "./prefix-hits.js";

/** Share of the threshold from where on some hits come: below it prompts share no beginning, as random ones do. */
const SOME = 0.1;

/**
 * Prompts share a beginning, and hardly any of it is in the cache; or the cache is off where prompts are the limit. No
 * hit at all means prompts without a shared beginning, such as those of load generators.
 */
export const lowPrefixHits: Rule = {
  id: "low-prefix-hits",
  title: "The prefix cache has few hits",
  advice: adviceFor(undefined),
  tells: (run) => run.endpoints().some((url) => prefixHits(run, url) !== undefined || isOff(run, url)),
  check: (run, limits) =>
    hitsAt(run.endpoints(), (url) => [...fewHits(run, url, limits), ...cacheOff(run, url, limits)]),
};

function fewHits(run: Observed, endpointUrl: string, { prefixHitRate: threshold }: Thresholds): readonly EndpointHit[] {
  const found = prefixHits(run, endpointUrl);
  if (found === undefined || found.lookups < ENOUGH_LOOKUPS) return [];
  const { hits, lookups, rate } = found;
  if (rate < SOME * threshold || rate >= threshold) return [];
  const what = hits.family.includes("block") ? "KV blocks" : "prompt tokens";
  return [
    {
      weight: ramp(rate, 0, threshold, 0.4, 0.3),
      confidence: "low",
      text: `${percent(rate)} of ${figure(lookups)} ${what} were found in the prefix cache.`,
      evidence: [run.evidence(hits, "hits per lookup", rate, { threshold, unit: "ratio" })],
      advice: adviceFor(run.serverAt(endpointUrl)),
    },
  ];
}

/** Prompts are the limit where they keep others waiting, or slow down the tokens of others. */
function cacheOff(run: Observed, endpointUrl: string, limits: Thresholds): readonly EndpointHit[] {
  if (!isOff(run, endpointUrl)) return [];
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

function adviceFor(server: ServerId | undefined): string {
  return (
    "Check that the shared prefix comes first and is byte-identical, and that the router sends the same " +
    `prefixes to the same server. A cache that is too small forgets them${optionOf(server, "kvMemory")}.`
  );
}

import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { ramp } from "../numbers.js";
import { nameOf } from "../observed.js";
import type { Rule } from "../rule.js";
import { figure, percent } from "../words.js";
import { prefixHits } from "./prefix-hits.js";

/** Tokens or blocks looked up, below which the rate says little. */
const ENOUGH = 10_000;

/** Prompts hardly ever begin with something that is in the cache. */
export const lowPrefixHits: Rule = {
  id: "low-prefix-hits",
  title: "The prefix cache has few hits",
  advice: adviceFor(undefined),
  tells: (run) => run.endpoints().some((endpointUrl) => prefixHits(run, endpointUrl) !== undefined),
  check: (run, { prefixHitRate: threshold }) =>
    run.endpoints().flatMap((endpointUrl) => {
      const found = prefixHits(run, endpointUrl);
      if (found === undefined || found.queries.total < ENOUGH || found.rate >= threshold) return [];
      const { hits, queries, rate } = found;
      const what = hits.family.includes("block") ? "KV blocks" : "prompt tokens";
      return [
        {
          weight: ramp(rate, 0, threshold, 0.4, 0.3),
          confidence: "low" as const,
          text: `${nameOf(endpointUrl)}: ${percent(rate)} of ${figure(queries.total)} ${what} were found in the prefix cache.`,
          evidence: [
            run.evidence(hits, { statistic: "hits per lookup", value: rate, threshold, unit: "ratio" }),
            run.evidence(queries, { statistic: "total", value: queries.total }),
          ],
          endpointUrls: [endpointUrl],
          advice: adviceFor(run.serverAt(endpointUrl)),
        },
      ];
    }),
};

function adviceFor(server: ServerId | undefined): string {
  return (
    "Where prompts share a beginning, check that it comes first and is the same to the byte, that prefix caching is on" +
    `${optionOf(server, "prefixCaching")}, and that the router sends the same prefixes to the same server. With unrelated ` +
    "prompts this is expected."
  );
}

import { figure, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { share } from "../numbers.js";
import type { Rule } from "../rule.js";

const FETCHES = ["vllm:num_requests_kv_fetch_by_stage"];
const NEVER_EMPTY = 0.95;

/** Whether a family counts requests that wait for KV blocks from elsewhere, by its canonical name. */
export function isKvFetch(family: string): boolean {
  return FETCHES.includes(family);
}

/** Requests wait for KV blocks from elsewhere, and that queue never empties. */
export const stuckKvLoads: Rule = {
  id: "stuck-kv-loads",
  title: "KV loads are stuck",
  advice: "Look at the KV connector and its store: a load that never ends holds its request and its blocks.",
  tells: (run) => run.endpoints().some((endpointUrl) => run.gauge(endpointUrl, FETCHES) !== undefined),
  check: (run) =>
    run.endpoints().flatMap((endpointUrl) => {
      const fetching = run.gauge(endpointUrl, FETCHES);
      if (fetching === undefined || fetching.means.length < 10) return [];
      const present = share(fetching.means, (value) => value >= 1);
      if (present < NEVER_EMPTY) return [];
      return [
        {
          weight: 0.6,
          confidence: "medium" as const,
          text: `${nameOf(endpointUrl)}: requests wait for KV blocks in ${percent(present)} of the slices, up to ${figure(fetching.max)} at once.`,
          evidence: [
            run.evidence(fetching, {
              statistic: "share of the time",
              value: present,
              threshold: NEVER_EMPTY,
              unit: "ratio",
            }),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

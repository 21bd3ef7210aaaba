import { NS_PER_SECOND } from "../../model/index.js";
import { figure, percent } from "../words.js";
import type { Observed } from "../observed.js";
import { share } from "../numbers.js";
import { endpointRule } from "../rule.js";

const FETCHES = ["vllm:num_requests_kv_fetch_by_stage"];
const NEVER_EMPTY = 0.95;
/** Requests that wait by those that can, from where on some do not get on. */
const BEYOND = 1.5;

/**
 * Requests wait for KV blocks from elsewhere, that queue never empties, and it is longer than requests that get on
 * explain: a load is part of the time to first token, so by Little's law (waiting = rate × time) no more than the rate
 * of first tokens times that time can be loading at once.
 */
export const stuckKvLoads = endpointRule({
  title: "KV loads are stuck",
  advice: "Look at the KV connector and its store: a load that never ends holds its request and its blocks.",
  uses: (family) => FETCHES.includes(family),
  look: (run, endpointUrl) => run.gauge(endpointUrl, FETCHES),
  judge: (fetching, { run, endpointUrl }) => {
    const present = share(fetching.means, (value) => value >= 1);
    if (fetching.means.length < 10 || present < NEVER_EMPTY) return undefined;
    const most = mostLoading(run, endpointUrl);
    if (most !== undefined && fetching.avg <= BEYOND * most) return undefined;
    return {
      weight: 0.6,
      confidence: "medium",
      text:
        `requests waited for KV blocks in ${percent(present)} of the timeslices, ` +
        `${figure(fetching.avg)} on average and up to ${figure(fetching.max)} at once` +
        `${most === undefined ? "" : `; those that got on explain at most ${figure(most)}`}.`,
      evidence: [
        run.evidence(fetching, "share of the time", present, { threshold: NEVER_EMPTY, unit: "ratio" }),
        ...(most === undefined ? [] : [run.evidence(fetching, "avg", fetching.avg, { threshold: BEYOND * most })]),
      ],
    };
  },
});

/** As many of those that got a first token can have been loading at once; undefined where nothing tells. */
function mostLoading(run: Observed, endpointUrl: string): number | undefined {
  const ttft = run.histogram(endpointUrl, "ttft");
  return ttft === undefined ? undefined : (ttft.sum * NS_PER_SECOND) / Number(run.run.endNs - run.run.startNs);
}

import { NS_PER_SECOND } from "../../model/index.js";
import { optionOf } from "../engine-options.js";
import { ramp, share } from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { counted, figure, percent } from "../words.js";
import { loadOf } from "./load.js";

const SHORTEST_SHARE = 0.05;
/** Taken where only the greatest value is known. */
const UNKNOWN_SHARE = 0.3;

/** The KV cache is nearly full: it, not the batch size, decides how many requests run. */
export const kvPressure = endpointRule({
  title: "The KV cache is the limit",
  advice: (server) =>
    `Give the cache more memory${optionOf(server, "kvMemory")}, quantise it${optionOf(server, "kvType")}, spread the ` +
    "weights over more GPUs, shorten prompts or outputs, or lower the concurrency.",
  look: (run, endpointUrl) => loadOf(run, endpointUrl).kvUsage,
  judge: (kvUsage, { run, endpointUrl, limits: { kvUsage: threshold } }) => {
    if (kvUsage.max < threshold) return undefined;
    const { waitingShare } = loadOf(run, endpointUrl);
    const above = kvUsage.maxima.filter(({ value }) => value >= threshold);
    // Statistics without slices say how far it went, not for how long.
    const timed = kvUsage.maxima.length > 0;
    const duration = timed ? share(kvUsage.maxima, (value) => value >= threshold) : UNKNOWN_SHARE;
    if (duration < SHORTEST_SHARE) return undefined;
    const reached = `KV cache usage reached ${figure(kvUsage.max, "ratio")}`;
    return {
      weight: ramp(duration, SHORTEST_SHARE, 0.6, 0.6, 0.9) + (waitingShare > 0.1 ? 0.06 : 0),
      confidence: waitingShare > 0 || (timed && duration > 0.3) ? "high" : "medium",
      text: timed
        ? `${reached}, and ${percent(threshold)} or more in ${percent(duration)} of the timeslices.`
        : `${reached}. Without timeslices it is not known for how long.`,
      evidence: [run.evidence(kvUsage, "max", kvUsage.max, { threshold, unit: "ratio" }, above)],
    };
  },
});

/** Requests are taken out of the batch and computed again later. */
export const preemption = endpointRule({
  title: "Requests are preempted",
  advice: (server) =>
    `Each preemption computes a request again. Lower the concurrency or the size of the batch${optionOf(server, "batch")}, ` +
    `or give the KV cache more memory${optionOf(server, "kvMemory")}.` +
    (server === "sglang" ? " SGLang admits fewer requests at once with a higher --schedule-conservativeness." : ""),
  look: (run, endpointUrl) => run.counter(endpointUrl, "preempted"),
  judge: (preempted, { run, endpointUrl, limits: { preemptionShare: threshold } }) => {
    const finished = run.counter(endpointUrl, "finished")?.total ?? 0;
    const perRequest = finished > 0 ? preempted.total / finished : NaN;
    if (perRequest < threshold || preempted.total < 3) return undefined;
    const when = preempted.rates.filter(({ value }) => value > 0);
    return {
      weight: Number.isNaN(perRequest) ? 0.6 : ramp(perRequest, threshold, 0.2, 0.55, 0.9),
      confidence: "high",
      text:
        `${counted(preempted.total, "preemption")}` +
        `${Number.isNaN(perRequest) ? "" : `, ${figure(100 * perRequest)} per 100 finished requests`}.`,
      evidence: [
        Number.isNaN(perRequest)
          ? run.evidence(preempted, "total", preempted.total, { threshold: 0, unit: "" }, when)
          : run.evidence(preempted, "per finished request", perRequest, { threshold, unit: "" }, when),
      ],
    };
  },
});

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

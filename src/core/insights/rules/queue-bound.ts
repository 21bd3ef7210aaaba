import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { isPhase, timeToFirstToken } from "../attribution.js";
import { figure, percent } from "../words.js";
import { median } from "../../math/index.js";
import { ramp, valuesOf } from "../numbers.js";
import { endpointRule } from "../rule.js";
import { backlogOf, isLeftByStart, loadOf, type QueueCause } from "./load.js";
import { ADVICE_START, prefillAdvice } from "./saturated.js";

/** Shorter waits do not matter, whatever their share. */
const SHORTEST_SECONDS = 0.02;

/**
 * Most of the time to first token is spent in the queue, on average over the run. Waiting for KV blocks, which vLLM
 * counts as queueing, is not (`timeToFirstToken`).
 */
export const queueBound = endpointRule({
  title: "Time to first token is mostly queueing",
  advice: adviceFor(undefined, undefined),
  uses: isPhase,
  look: (run, endpointUrl) => {
    const { queueTime, ttft } = loadOf(run, endpointUrl);
    return queueTime === undefined || ttft === undefined ? undefined : { queueTime, ttft };
  },
  judge: ({ queueTime, ttft }, { run, endpointUrl, limits: { queueShare: threshold, kvUsage: kvLimit } }) => {
    const [parts] = timeToFirstToken(run, endpointUrl);
    const queued = parts?.parts.find(({ part }) => part === "queue");
    if (queued === undefined) return undefined;
    const { share, seconds } = queued;
    if (seconds < SHORTEST_SECONDS || share < threshold) return undefined;
    const load = loadOf(run, endpointUrl);
    const usual = median(valuesOf(queueTime.means));
    // A mean may be that of a few moments, in which all requests waited: what those are about comes first.
    const isUsual = !(usual < threshold * median(valuesOf(ttft.means)));
    const isOfStart = isLeftByStart(load);
    return {
      weight: isUsual && !isOfStart ? ramp(share, threshold, 0.95, 0.5, 0.8) : ramp(share, threshold, 0.95, 0.3, 0.4),
      confidence: isUsual && Math.min(queueTime.count, ttft.count) >= 100 ? "high" : "medium",
      text:
        `${percent(Math.min(1, share))} of TTFT is queueing ` +
        `(${figure(seconds, queueTime.unit)} of ${figure(ttft.avg, ttft.unit)} on average)` +
        (isOfStart
          ? ", left by the start of the run."
          : isUsual
            ? "."
            : `, but only at times: in half of the timeslices it was at most ${figure(usual, queueTime.unit)}.`),
      evidence: [
        run.evidence(ttft, "share that is queueing", share, { threshold, unit: "ratio" }),
        run.evidence(queueTime, "avg", queueTime.avg),
      ],
      advice: isOfStart ? ADVICE_START : adviceFor(backlogOf(load, kvLimit)?.limit, run.serverAt(endpointUrl)),
    };
  },
});

/** What shortens a queue depends on what is waited for. */
function adviceFor(limit: QueueCause | undefined, server: ServerId | undefined): string {
  switch (limit) {
    case "kv-cache":
      return (
        `Requests wait for room in the KV cache: give it more memory${optionOf(server, "kvMemory")}, or reduce the load ` +
        "or the lengths. A faster prefill would change little."
      );
    case "batch":
      return (
        `Requests wait for a place in the batch: less load, more replicas, or more requests at once` +
        `${optionOf(server, "batch")}. A faster prefill would change little.`
      );
    case "prefill":
      return `Prompts wait for the prompts before them. ${prefillAdvice(server)}`;
    case undefined:
      return (
        "Look at what requests wait for: a place in the batch, room in the KV cache, or the prompts before them. Less " +
        "load or more replicas shorten the queue in each case."
      );
  }
}

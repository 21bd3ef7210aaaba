import { counted, figure } from "../words.js";
import type { Observed } from "../observed.js";
import { ramp } from "../signals.js";
import { endpointRule } from "../rule.js";
import { loadOf, noneWaiting } from "./load.js";
import { shortPool } from "./pools.js";
import type { Thresholds } from "../thresholds.js";

/** Few requests run and none waits: the server could do more, but is not asked to. */
export const clientBound = endpointRule({
  title: "The load generator is the limit",
  advice:
    "Raise the concurrency or the request rate. Check that the client is not short of processor time, connections or file descriptors. Throughput of this run says nothing about what the server can do.",
  look: (run, endpointUrl) => loadOf(run, endpointUrl).running,
  judge: (running, { run, endpointUrl, limits }) => {
    const { fewRunning, kvUsage: kvLimit, queueShare } = limits;
    const load = loadOf(run, endpointUrl);
    const { waiting, kvUsage, queueTime, ttft, waitingShare } = load;
    if (running.avg >= fewRunning || hasBusyPeer(run, endpointUrl, limits)) return undefined;
    if (waitingShare > 0.05 || (waiting !== undefined && waiting.avg > 0.2)) return undefined;
    if (kvUsage !== undefined && kvUsage.max > kvLimit / 2) return undefined;
    if (queueTime !== undefined && ttft !== undefined && queueTime.avg > (queueShare / 2) * ttft.avg) return undefined;
    // Behind a pool that is too small the others get little to do.
    if ((shortPool.check(run, limits) ?? []).length > 0) return undefined;
    return {
      weight: ramp(running.avg, 0, fewRunning, 0.7, 0.45),
      confidence: waiting === undefined && queueTime === undefined ? "low" : kvUsage === undefined ? "medium" : "high",
      text:
        (running.max === 0
          ? `no request ran`
          : `only ${counted(running.avg, "request")} ran on average and ${noneWaiting(load)} waited`) +
        `${kvUsage === undefined ? "" : `; the KV cache was at most ${figure(kvUsage.max, "ratio")} full`}.`,
      evidence: [
        run.evidence(running, "avg", running.avg, { threshold: fewRunning }),
        ...(waiting === undefined ? [] : [run.evidence(waiting, "avg", waiting.avg)]),
      ],
    };
  },
});

/**
 * An idle replica beside a busy one is the router's doing, not the client's; and where prefill and decode are apart,
 * requests that wait for one of them are all that the others would get.
 */
function hasBusyPeer(run: Observed, endpointUrl: string, limits: Thresholds): boolean {
  const peers = run.peers().find(({ urls }) => urls.includes(endpointUrl))?.urls ?? [];
  const others = run.isDisaggregated() ? run.servingEndpoints() : peers;
  return (
    peers.some((url) => (loadOf(run, url).running?.avg ?? 0) >= limits.fewRunning) ||
    others.some((url) => loadOf(run, url).waitingShare >= limits.waitingShare)
  );
}

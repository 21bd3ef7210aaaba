import type { ServerId } from "../../catalog/index.js";
import { optionOf } from "../advice.js";
import { percent, figure } from "../words.js";
import { mean } from "../../math/index.js";
import { ramp, valuesOf } from "../numbers.js";
import type { Observed } from "../observed.js";
import { endpointRule, type EndpointHit } from "../rule.js";
import type { GaugeSignal } from "../signals.js";
import type { Thresholds } from "../thresholds.js";
import { busyQueue, timesOf } from "./by-time.js";
import {
  backlogOf,
  growth,
  QUEUE_GROWTH,
  isLeftByStart,
  isQueueByReason,
  loadOf,
  type Backlog,
  type EndpointLoad,
} from "./load.js";

/** A KV cache that is never fuller than this has room for more requests. */
const ROOM = 0.5;

/**
 * Requests wait for a good part of the run while as many run as ever do, or a queue grows that never empties: more
 * arrive than the server can take. Where nothing tells how many run, the length of the queue shows it (`busyQueue`). A
 * full KV cache has a finding of its own.
 */
export const saturated = endpointRule({
  title: "The server is saturated",
  advice: adviceFor(undefined),
  uses: isQueueByReason,
  look: (run, endpointUrl) => {
    const load = loadOf(run, endpointUrl);
    const { running, waiting, queueTime } = load;
    return (running === undefined ? timesOf(run, load) : (waiting ?? queueTime)) === undefined ? undefined : load;
  },
  judge: (load, { run, limits }) =>
    load.running === undefined ? byTime(run, load, limits) : byGauges(run, load, load.running, limits),
});

/** Of a server that tells how many run. */
function byGauges(
  run: Observed,
  load: EndpointLoad,
  running: GaugeSignal,
  { waitingShare: threshold, kvUsage: kvLimit }: Thresholds,
): EndpointHit | undefined {
  const { waiting, queueTime, waitingPoints, waitingShare, endpointUrl, waitingHoldsPrefill } = load;
  const backlog = waitingShare >= threshold ? backlogOf(load, kvLimit) : undefined;
  const source = waiting ?? queueTime;
  if (source === undefined || backlog === undefined) return undefined;
  const { most, busy, full, depth, grows, limit } = backlog;
  const outrun = limit === "prefill" && grows;
  if (!outrun && (most < 2 || full < 0.5)) return undefined;
  const isOfStart = isLeftByStart(load);
  return {
    weight: isOfStart ? 0.4 : weightOf(waitingShare, threshold, depth, grows),
    confidence:
      !isOfStart && waiting !== undefined && !waitingHoldsPrefill && (outrun || full > 0.8) ? "high" : "medium",
    text: `requests waited for ${percent(waitingShare)} of the time ${outrun ? prefillText(load) : batchText(load, backlog)}${isOfStart ? LEFT_BY_START : ""}.`,
    evidence: [
      run.evidence(
        source,
        "share of the time with requests waiting",
        waitingShare,
        { threshold, unit: "ratio" },
        waitingPoints,
      ),
      run.evidence(running, "max", most, {}, busy),
    ],
    advice: isOfStart
      ? ADVICE_START
      : outrun
        ? prefillAdvice(run.serverAt(endpointUrl))
        : adviceFor(run.serverAt(endpointUrl), load),
  };
}

/** Of a server that tells only how long requests waited and took. */
function byTime(run: Observed, load: EndpointLoad, { waitingShare: threshold }: Thresholds): EndpointHit | undefined {
  const found = busyQueue(run, load, threshold);
  if (found === undefined) return undefined;
  const { queue, waiting, points, share, served, rates } = found;
  const { endpointUrl } = load;
  const grows = growth(waiting) > QUEUE_GROWTH;
  const length = mean(valuesOf(points));
  return {
    weight: weightOf(share, threshold, length / served, grows),
    confidence: "medium",
    text:
      `requests waited for ${percent(share)} of the time; by their time in the queue, about ` +
      `${figure(Math.round(length))} waited at once while about ${figure(Math.round(served))} were served, at ` +
      `${figure(mean(valuesOf(rates)), "requests/s")}${grows ? ", and the queue grew" : ""}.`,
    evidence: [
      run.evidence(queue, "share of the time with requests waiting", share, { threshold, unit: "ratio" }, points),
    ],
    advice: adviceFor(run.serverAt(endpointUrl), load),
  };
}

function weightOf(share: number, threshold: number, depth: number, grows: boolean): number {
  return ramp(share, threshold, 1, 0.6, 0.85) + ramp(depth, 0.1, 1, 0, 0.05) + (grows ? 0.05 : 0);
}

const LEFT_BY_START = "; the queue came from the start of the run and emptied from then on";
/** What helps where the queue was left by the start (`isLeftByStart`). */
export const ADVICE_START =
  "Move the end of the warm-up to where the queue is empty (drag the handle in the view, or give --warmup): the server takes more than arrives, once it is warm.";

function queueText({ waiting, queueTime, waitingHoldsPrefill }: EndpointLoad): string {
  if (waiting !== undefined)
    return `up to ${figure(waiting.max)} waited${waitingHoldsPrefill ? " for their first token" : ""}`;
  return queueTime === undefined ? "" : `they spent ${figure(queueTime.avg, queueTime.unit)} in the queue on average`;
}

function batchText(load: EndpointLoad, { most, grows }: Backlog): string {
  return `while about ${figure(most)} ran, the most in this run; ${queueText(load)}${grows ? ", and the queue grew" : ""}`;
}

function prefillText(load: EndpointLoad): string {
  return (
    `and the queue grew, ${queueText(load)}; neither the KV cache nor the batch was full meanwhile, ` +
    "so prompts arrived faster than they were computed"
  );
}

function adviceFor(server: ServerId | undefined, load?: EndpointLoad): string {
  const { kvUsage } = load ?? {};
  const more =
    kvUsage !== undefined && kvUsage.max < ROOM
      ? `Offer less load, add replicas, or let more requests run at once${optionOf(server, "batch")}: the KV cache is at ` +
        `most ${percent(kvUsage.max)} full. Each token then takes longer. `
      : `Offer less load, add replicas, or raise what limits the batch: the number of requests${optionOf(server, "batch")}, ` +
        `the memory of the KV cache${optionOf(server, "kvMemory")} or the tokens of a step${optionOf(server, "stepTokens")}. `;
  return `${more}Latencies of a saturated run grow with its length: compare runs at a load below this point.`;
}

/** What helps where prompts wait for the prompts before them. */
export function prefillAdvice(server: ServerId | undefined): string {
  return (
    `Offer less load, add replicas or servers for prefill alone, or compute less of each prompt: shorter ones, or shared ` +
    `beginnings in the prefix cache${optionOf(server, "prefixCaching")}. More tokens in a step` +
    `${optionOf(server, "stepTokens")} bring first tokens earlier and make the others less even.`
  );
}

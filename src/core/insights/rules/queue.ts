import type { ServerId } from "../../catalog/index.js";
import { mean, median } from "../../math/index.js";
import { optionOf } from "../engine-options.js";
import { isPhase, timeToFirstToken, kvTransfer } from "../attribution.js";
import {
  byStart,
  ramp,
  valuesOf,
  part,
  share,
  counterSignal,
  type GaugeSignal,
  type CounterSignal,
  type HistogramSignal,
  type SignalPoint,
  type SignalBase,
} from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule, type EndpointHit } from "../rule.js";
import type { Thresholds } from "../thresholds.js";
import { figure, percent } from "../words.js";
import {
  QUEUE_GROWTH,
  backlogOf,
  growth,
  isLeftByStart,
  isQueueByReason,
  loadOf,
  type Backlog,
  type EndpointLoad,
  type QueueCause,
} from "./load.js";
import { formatLabels, NS_PER_SECOND } from "../../model/index.js";

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
    load.running === undefined ? byTimes(run, load, limits) : byGauges(run, load, load.running, limits),
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
function byTimes(run: Observed, load: EndpointLoad, { waitingShare: threshold }: Thresholds): EndpointHit | undefined {
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
const ADVICE_START =
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

/** Shorter waits do not matter, whatever their share. */
const SHORTEST_SECONDS = 0.02;

/**
 * Most of the time to first token is spent in the queue, on average over the run. Waiting for KV blocks, which vLLM
 * counts as queueing, is not (`timeToFirstToken`).
 */
export const queueBound = endpointRule({
  title: "Time to first token is mostly queueing",
  advice: queueAdvice(undefined, undefined),
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
      advice: isOfStart ? ADVICE_START : queueAdvice(backlogOf(load, kvLimit)?.limit, run.serverAt(endpointUrl)),
    };
  },
});

/** What shortens a queue depends on what is waited for. */
function queueAdvice(limit: QueueCause | undefined, server: ServerId | undefined): string {
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

/**
 * How many requests wait and are served, by Little's law: as many are in a place as leave it a second, times the
 * seconds that they spent there. Of servers that tell of a request only when it has ended.
 */
interface ByTime {
  /** What the time in the queue was read from. */
  readonly queue: SignalBase;
  readonly waiting: readonly SignalPoint[];
  /** On average over the run. */
  readonly served: number;
  /** Ends of requests a second. */
  readonly rates: readonly SignalPoint[];
  /** From how many on requests wait because the server is busy. */
  readonly least: number;
}

/** A queue that shows that the server has no time to spare. */
interface BusyQueue extends ByTime {
  /** When that many wait. */
  readonly points: readonly SignalPoint[];
  /** Of the time. */
  readonly share: number;
}

/** What an endpoint tells of the times of its requests, in seconds. */
interface Times {
  readonly endpointUrl: string;
  readonly queueTime: HistogramSignal | undefined;
  readonly latency: HistogramSignal | undefined;
}

/**
 * The most that wait on average at a server that is idle for a tenth of the time: ρ² / (1 − ρ) of one that serves a
 * request at a time, whose times vary as much as those between arrivals do; fewer where it serves several.
 */
const MAX_WITH_IDLE_TIME = 0.9 ** 2 / (1 - 0.9);

/** Ends of requests that a mean of their times needs. */
const MIN_ENDED = 10;
/** Parts of the run that means are taken over: requests end, and servers tell of it, in spurts. */
const SHORTEST_STRETCH = 1 / 12;
const LONGEST_STRETCH = 1 / 6;

/**
 * A queue longer than that of a server with time to spare, for at least this share of the run and to its end. What has
 * emptied by then, as after a burst or a cold start, was no more than the server could take.
 */
function busyQueue(run: Observed, times: Times, threshold: number): BusyQueue | undefined {
  const known = timesOf(run, times);
  if (known === undefined) return undefined;
  const { waiting, least } = known;
  const waits = (value: number) => value >= least;
  const found = share(waiting, waits);
  return found >= threshold && waits(mean(valuesOf(part(waiting, 1 - LONGEST_STRETCH, 1))))
    ? { ...known, points: waiting.filter(({ value }) => waits(value)), share: found }
    : undefined;
}

/** Undefined where the server does not tell how long requests wait and how long they take. */
function timesOf(run: Observed, { endpointUrl, queueTime, latency }: Times): ByTime | undefined {
  if (queueTime === undefined || latency === undefined) return tritonByTime(run, endpointUrl);
  // KV blocks from another server are waited for in the queue, too.
  const own = Math.max(0, 1 - (kvTransfer(run, endpointUrl)?.avg ?? 0) / queueTime.avg);
  return byTime(queueTime, {
    queue: timeOf(queueTime).map((point) => ({ ...point, value: own * point.value })),
    whole: timeOf(latency),
    rates: latency.rates,
    least: 0,
  });
}

/** Seconds of all requests together, a second. */
function timeOf({ means, rates }: HistogramSignal): readonly SignalPoint[] {
  const seconds = byStart(means);
  return rates.map((point) => ({ ...point, value: point.value * (seconds.get(point.startNs) ?? 0) }));
}

function byTime(
  queue: SignalBase,
  of: {
    readonly queue: readonly SignalPoint[];
    readonly whole: readonly SignalPoint[];
    readonly rates: readonly SignalPoint[];
    readonly least: number;
  },
): ByTime {
  const ended = of.rates.map(({ startNs, endNs, value }) => (value * Number(endNs - startNs)) / NS_PER_SECOND);
  const shortest = Math.ceil(SHORTEST_STRETCH * ended.length);
  const longest = Math.ceil(LONGEST_STRETCH * ended.length);
  const waiting = smoothed(of.queue, Math.min(longest, Math.max(shortest, MIN_ENDED / mean(ended))));
  const queued = mean(valuesOf(of.queue));
  return {
    queue,
    waiting,
    served: Math.max(0, mean(valuesOf(of.whole)) - queued),
    rates: of.rates,
    least: Math.max(MAX_WITH_IDLE_TIME, of.least),
  };
}

/** Each point as the mean of about so many around it. */
function smoothed(points: readonly SignalPoint[], about: number): readonly SignalPoint[] {
  const n = Math.round(about);
  return points.map((point, i) => {
    const from = Math.max(0, Math.min(points.length - n, i - Math.floor(n / 2)));
    return { ...point, value: mean(valuesOf(points.slice(from, from + n))) };
  });
}

const TRITON = {
  queue: "nv_inference_queue_duration_us",
  whole: "nv_inference_request_duration_us",
  ended: "nv_inference_request_success",
};

/**
 * Of the model whose requests wait longest: an ensemble counts the times of its models once more. What is served at
 * once may be a batch, and as many wait for its end: only what is more than another batch waits for room.
 */
function tritonByTime(run: Observed, endpointUrl: string): ByTime | undefined {
  const queues = counters(run, endpointUrl, TRITON.queue);
  const wholes = counters(run, endpointUrl, TRITON.whole);
  const ends = counters(run, endpointUrl, TRITON.ended);
  let longest: ByTime | undefined;
  for (const [labels, queue] of queues) {
    const [whole, ended] = [wholes.get(labels), ends.get(labels)];
    if (whole === undefined || ended === undefined || ended.total === 0) continue;
    const seconds = ({ rates }: typeof queue) => rates.map((point) => ({ ...point, value: point.value / 1e6 }));
    const least = Math.max(0, whole.rate - queue.rate) / 1e6;
    const times = byTime(queue, { queue: seconds(queue), whole: seconds(whole), rates: ended.rates, least });
    if (longest === undefined || mean(valuesOf(times.waiting)) > mean(valuesOf(longest.waiting))) longest = times;
  }
  return longest;
}

/** A counter of an endpoint, series by series. */
function counters(run: Observed, endpointUrl: string, name: string) {
  const [family] = run.find((canonical) => canonical === name, endpointUrl);
  if (family?.type !== "counter") return new Map<string, CounterSignal>();
  return new Map(
    family.series.flatMap((one) => {
      const signal = counterSignal({ ...family, series: [one] }, endpointUrl);
      return signal === undefined ? [] : [[formatLabels(one.labels), signal] as const];
    }),
  );
}

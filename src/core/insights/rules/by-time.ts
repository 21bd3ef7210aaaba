import { formatLabels, NS_PER_SECOND } from "../../model/index.js";
import { mean } from "../../math/index.js";
import { kvTransfer } from "../attribution.js";
import { part, share, valuesOf } from "../numbers.js";
import type { Observed } from "../observed.js";
import {
  counterSignal,
  type CounterSignal,
  type HistogramSignal,
  type SignalPoint,
  type SignalBase,
} from "../signals.js";

/**
 * How many requests wait and are served, by Little's law: as many are in a place as leave it a second, times the
 * seconds that they spent there. Of servers that tell of a request only when it has ended.
 */
export interface ByTime {
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
export interface BusyQueue extends ByTime {
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
export function busyQueue(run: Observed, times: Times, threshold: number): BusyQueue | undefined {
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
export function timesOf(run: Observed, { endpointUrl, queueTime, latency }: Times): ByTime | undefined {
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
  const seconds = new Map(means.map(({ startNs, value }) => [startNs, value]));
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

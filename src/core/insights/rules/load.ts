import { OUTPUT_LENGTHS, PROMPT_LENGTHS } from "../../catalog/index.js";
import type { EpochNs } from "../../model/index.js";
import { mean } from "../../math/index.js";
import {
  byStart,
  part,
  share,
  trend,
  valuesOf,
  type CounterSignal,
  type GaugeSignal,
  type HistogramSignal,
  type SignalPoint,
} from "../signals.js";
import type { Observed } from "../observed.js";
import { startOfRun } from "./warm-up-short.js";

/** What tells how loaded one serving endpoint is. */
export interface EndpointLoad {
  readonly endpointUrl: string;
  /** In the batch; of a server that counts all requests in flight, those that have their first token. */
  readonly running: GaugeSignal | undefined;
  /**
   * In the queue; of such a server those without a first token, whose prompt may be under way. Not those that wait for
   * something else than room, such as KV blocks from another server.
   */
  readonly waiting: GaugeSignal | undefined;
  /** Whether `waiting` holds requests whose prompt is computed: some of them are no queue. */
  readonly waitingHoldsPrefill: boolean;
  readonly kvUsage: GaugeSignal | undefined;
  readonly queueTime: HistogramSignal | undefined;
  readonly ttft: HistogramSignal | undefined;
  readonly latency: HistogramSignal | undefined;
  readonly finished: CounterSignal | undefined;
  /** Share of slices in which requests waited; NaN when nothing tells. */
  readonly waitingShare: number;
  /** Slices in which requests waited. */
  readonly waitingPoints: readonly SignalPoint[];
  /** When the start of the run is over that differs from the rest; undefined where none does. */
  readonly settledNs: EpochNs | undefined;
}

/** Of requests without a first token, fewer are no queue: prompts take their time. */
const MIN_WITHOUT_TOKEN = 2;
/** Their share of the requests in the batch from where on they wait. */
const SHARE_WITHOUT_TOKEN = 0.25;

const BY_REASON = ["vllm:num_requests_waiting_by_reason"];

/** Whether a family tells what requests wait for, by its canonical name. */
export function isQueueByReason(family: string): boolean {
  return BY_REASON.includes(family);
}

/** Whether a family is of lengths, by its canonical name. */
export function isLength(family: string): boolean {
  return PROMPT_LENGTHS.includes(family) || OUTPUT_LENGTHS.includes(family);
}

/** Lengths of the prompts of an endpoint's requests, in tokens. */
export function promptLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, PROMPT_LENGTHS);
}

/** Lengths of what an endpoint generated for its requests, in tokens. */
export function outputLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, OUTPUT_LENGTHS);
}

/** Every endpoint that reports running requests or latencies. */
export function loads(run: Observed): readonly EndpointLoad[] {
  return run.servingEndpoints().map((endpointUrl) => loadOf(run, endpointUrl));
}

/** Rules ask for the same again and again. */
const KNOWN = new WeakMap<Observed, Map<string, EndpointLoad>>();

/** The load of one endpoint, measured once per run. */
export function loadOf(run: Observed, endpointUrl: string): EndpointLoad {
  const known = KNOWN.get(run) ?? new Map<string, EndpointLoad>();
  KNOWN.set(run, known);
  const load = known.get(endpointUrl) ?? measure(run, endpointUrl);
  known.set(endpointUrl, load);
  return load;
}

function measure(run: Observed, endpointUrl: string): EndpointLoad {
  const inFlight = run.gauge(endpointUrl, "running");
  const queue = queueOf(run, endpointUrl);
  const all = inFlight?.use?.member.holds === "waiting" ? inFlight : undefined;
  const waiting = run.gauge(endpointUrl, "waiting");
  const unanswered = waiting?.use?.member.holds === "prefill" ? waiting : undefined;
  const waitingHoldsPrefill = all !== undefined && unanswered !== undefined;
  const running = waitingHoldsPrefill ? without(all, unanswered) : inFlight;
  const queueTime = run.histogram(endpointUrl, "queue-time");
  const latency = run.histogram(endpointUrl, "e2e-latency");
  const waits = waitsBy({ running, waiting: queue, latency, waitingHoldsPrefill });
  const source = queue?.means ?? queueTime?.means ?? [];
  return {
    endpointUrl,
    running,
    waiting: queue,
    waitingHoldsPrefill,
    kvUsage: run.gauge(endpointUrl, "kv-usage"),
    queueTime,
    ttft: run.histogram(endpointUrl, "ttft"),
    latency,
    finished: run.counter(endpointUrl, "finished"),
    waitingShare: source.length === 0 ? NaN : share(source, waits),
    waitingPoints: source.filter(({ value }) => waits(value)),
    settledNs: startOfRun(run, endpointUrl)?.settledNs,
  };
}

/** Requests that wait for room: what is deferred for another reason does not show that the server is full. */
function queueOf(run: Observed, endpointUrl: string): GaugeSignal | undefined {
  const all = run.gauge(endpointUrl, "waiting");
  const deferred = run.gaugeWhere(endpointUrl, BY_REASON, ["reason", "deferred"]);
  if (deferred === undefined || deferred.max === 0) return all;
  return run.gaugeWhere(endpointUrl, BY_REASON, ["reason", "capacity"]) ?? all;
}

/** How many waited, in words, where hardly any did. Those that wait for less than a slice are in no mean of it. */
export function noneWaiting({ waiting }: EndpointLoad): string {
  return (waiting?.max ?? 0) > 0 ? "almost none" : "none";
}

/** From how many waiting, or how long a wait, a slice counts as one in which requests waited. */
function waitsBy({
  running,
  waiting,
  latency,
  waitingHoldsPrefill,
}: Pick<EndpointLoad, "running" | "waiting" | "latency" | "waitingHoldsPrefill">): (value: number) => boolean {
  if (waitingHoldsPrefill) {
    const most = Math.max(MIN_WITHOUT_TOKEN, SHARE_WITHOUT_TOKEN * (running?.avg ?? 0));
    return (value) => value >= most;
  }
  if (waiting !== undefined) return (value) => value >= 0.5;
  // Without a gauge of the queue its length follows from the time spent in it: a wait that matters is a tenth of what
  // a request takes.
  const noticeable = latency === undefined ? 0.1 : latency.avg / 10;
  return (value) => value > noticeable;
}

/** One gauge less another, slice by slice. */
function without(all: GaugeSignal, part: GaugeSignal): GaugeSignal {
  const means = byStart(part.means);
  const difference = all.means.map((point) => ({
    ...point,
    value: Math.max(0, point.value - (means.get(point.startNs) ?? 0)),
  }));
  return {
    ...all,
    avg: Math.max(0, all.avg - part.avg),
    max: Math.max(0, ...valuesOf(difference)),
    means: difference,
    // Extremes of the two do not come at one time: the means are what is known of the difference.
    maxima: difference,
  };
}

/** What grows has its last third so far above the middle one: of an even rise it is 1.67 times as high. */
const STILL_RISING = 1.2;

/**
 * Mean of the last third by the mean of the first, of what rose up to the end: at most 1 where the middle was about as
 * high, as in a burst that is over, and where the end falls back to the level before, as between bursts.
 */
export function growth(points: readonly SignalPoint[]): number {
  const [first, middle, last] = [0, 1, 2].map((third) => mean(valuesOf(part(points, third / 3, (third + 1) / 3))));
  if (first === undefined || middle === undefined || last === undefined || !(last > 0)) return 1;
  const ratio = first > 0 ? last / first : Infinity;
  const lowest = Math.min(...valuesOf(part(points, 5 / 6, 1)));
  return last > STILL_RISING * middle && lowest > (first + middle) / 2 ? ratio : Math.min(1, ratio);
}

/** Kendall's tau of a queue that empties. */
const EMPTIES = -0.5;

/**
 * Whether the queue was left by a start that differs from the rest, such as of a cold server, and has been emptying
 * since: the server takes more than arrives.
 */
export function isLeftByStart({ waiting, settledNs }: EndpointLoad): boolean {
  if (waiting === undefined || settledNs === undefined) return false;
  const since = waiting.means.filter(({ startNs }) => startNs >= settledNs);
  const [first, last] = [mean(valuesOf(part(since, 0, 1 / 3))), mean(valuesOf(part(since, 2 / 3, 1)))];
  return trend(valuesOf(since)) < EMPTIES && last < first / 2;
}

/** Running requests within this share of their highest count are at the ceiling. */
const AT_CEILING = 0.9;
/**
 * A batch whose requests end together, as those of one length do, is empty for a moment and then full again: it is full
 * where its maximum is at the ceiling and its mean above this share of it.
 */
const MEAN_OF_FULL = 2 / 3;

/** A queue much shorter than the batch drains within one round of it. */
const SHORTEST_QUEUE = 0.05;
/** A queue that grows by as much from the first third to the last grows throughout. */
export const QUEUE_GROWTH = 1.5;
/** Share of the slices in which requests wait, from where on the queue never empties. */
const NEVER_EMPTY = 0.9;

/** What requests wait for: room in the KV cache, a place in the batch, or the prompts before them. */
export type QueueCause = "kv-cache" | "batch" | "prefill";

/** The time in which requests waited, and what it shows. */
export interface Backlog {
  /** The most that run at once. */
  readonly most: number;
  /** Requests running in the slices in which others waited. */
  readonly busy: readonly SignalPoint[];
  /** Share of these in which about as many ran as ever do. */
  readonly full: number;
  /** Requests waiting in these by the most that run; 1 where only their time is known. */
  readonly depth: number;
  readonly grows: boolean;
  /** Undefined where nothing tells. */
  readonly limit: QueueCause | undefined;
}

/**
 * Undefined for a server that does not tell how many run, and where the queue is too short to be one.
 * @param kvLimit share of the KV cache from where on it is full
 */
export function backlogOf(load: EndpointLoad, kvLimit: number): Backlog | undefined {
  const { running, waiting, queueTime, kvUsage, waitingPoints, waitingShare } = load;
  const source = waiting ?? queueTime;
  if (running === undefined || source === undefined || waitingPoints.length === 0) return undefined;
  const most = Math.max(...valuesOf(running.maxima), 0);
  const during = new Set(waitingPoints.map(({ startNs }) => startNs));
  const meanwhile = (points: readonly SignalPoint[]) => points.filter(({ startNs }) => during.has(startNs));
  const busy = meanwhile(running.means);
  const depth = waiting === undefined ? 1 : mean(valuesOf(waitingPoints)) / most;
  const grows = growth(source.means) > QUEUE_GROWTH;
  if (!(depth >= SHORTEST_QUEUE) && !grows) return undefined;
  const peaks = byStart(running.maxima);
  const isFull = ({ startNs, value }: SignalPoint) =>
    (peaks.get(startNs) ?? value) >= AT_CEILING * most && value >= MEAN_OF_FULL * most;
  const full = busy.filter(isFull).length / busy.length;
  const isCacheFull = kvUsage !== undefined && share(meanwhile(kvUsage.maxima), (value) => value >= kvLimit) >= 0.5;
  // What has room in both, and a queue all the same, has no time left for the prompts.
  const hasRoom = kvUsage !== undefined && kvUsage.means.length > 0 && waitingShare >= NEVER_EMPTY;
  const limit = isCacheFull ? "kv-cache" : most >= 2 && full >= 0.5 ? "batch" : hasRoom ? "prefill" : undefined;
  return { most, busy, full, depth, grows, limit };
}

import { figure, percent } from "./words.js";
import { nameOf, type Observed } from "./observed.js";
import { backlogOf, loadOf, type Limit, type Load } from "./rules/load.js";
import type { Point } from "./signals.js";
import type { Thresholds } from "./types.js";

/** How far an endpoint is from the first of its limits. */
export interface Capacity {
  readonly endpointUrl: string;
  readonly limit: Limit;
  /** Requests a second, now and where the limit is met. */
  readonly rate: number;
  readonly rateAtLimit: number;
  /** 90 % interval of `rateAtLimit`. */
  readonly interval: Interval;
  /** The limit lies beyond what the run can tell: `rateAtLimit` is met before it. */
  readonly isAtLeast: boolean;
  readonly running: number;
  readonly runningAtLimit: number;
  /** How many times today's load the limit is: far beyond, it is a guess. */
  readonly extrapolation: number;
  readonly confidence: "high" | "medium" | "low";
  /** One sentence. */
  readonly text: string;
}

type Interval = readonly [low: number, high: number];

const MIN_SLICES = 10;
/** Up to this a small error of the relation does not matter. */
const NEAR = 1.5;
/** Beyond this the relation between load and latency is unknown. */
const FAR = 3;
/** A rate that more requests raise by less than this is no headroom. */
const MIN_GAIN = 1.01;
/** Beyond this no rate is given at all. */
const FARTHEST = 10;
const REPLICATES = 400;
/**
 * What the relation may be off by for each e-fold of the load, because time in the server is no straight line: with it
 * the interval holds the limit of simulated servers in nine of ten cases.
 */
const MODEL_ERROR = 0.08;

/** What is known of one time slice. */
interface Slice {
  readonly running: number;
  readonly rate: number;
  readonly kv: number;
  /** Mean time of a token, or of a request where no token is timed; NaN without observations. */
  readonly gap: number;
}

/**
 * At which rate of requests an endpoint meets its first limit, by Little's law (running = rate × time in the server):
 * the KV cache that a running request takes gives how many can run, and the time in the server is taken to grow with
 * them as the time of a token did in the run. Where requests wait at a ceiling of running ones, the limit is met
 * already. Intervals come from resampling blocks of slices. Undefined where nothing tells.
 */
export function capacityOf(run: Observed, endpointUrl: string, limits: Thresholds): Capacity | undefined {
  const load = loadOf(run, endpointUrl);
  const slices = slicesOf(run, load);
  if (slices.size < MIN_SLICES) return undefined;
  return atLimit(load, slices, limits) ?? ahead(endpointUrl, [...slices.values()], limits);
}

/** Requests wait, and it is known for what: what it serves then is its limit. */
function atLimit(load: Load, slices: ReadonlyMap<bigint, Slice>, limits: Thresholds): Capacity | undefined {
  const { endpointUrl, waitingShare, settledNs = 0n } = load;
  const backlog = waitingShare >= limits.waitingShare ? backlogOf(load, limits.kvUsage) : undefined;
  if (backlog?.limit === undefined) return undefined;
  // A start that differs, such as a cold one, shows less than the limit.
  const settled = backlog.busy.filter(({ startNs }) => startNs >= settledNs);
  const busy = settled.flatMap(({ startNs }) => slices.get(startNs) ?? []);
  const { rate, running } = means(sumOf(busy));
  if (!(running > 0) || !(rate > 0)) return undefined;
  return {
    endpointUrl,
    limit: backlog.limit,
    rate,
    rateAtLimit: rate,
    interval: intervalOf(busy, (sum) => means(sum).rate),
    isAtLeast: false,
    running,
    runningAtLimit: running,
    extrapolation: 1,
    confidence: "high",
    text: `${nameOf(endpointUrl)} is at its limit: ${figure(rate, "requests/s")} with ${figure(running)} running, while others wait.`,
  };
}

function ahead(endpointUrl: string, slices: readonly Slice[], { kvUsage }: Thresholds): Capacity | undefined {
  const all = sumOf(slices);
  const now = means(all);
  if (!(now.running > 0) || !(now.rate > 0) || !(now.kv > 0.01)) return undefined;
  const isAtLeast = kvUsage / now.kv > FARTHEST;
  const extrapolation = isAtLeast ? FAR : kvUsage / now.kv;
  const usage = extrapolation * now.kv;
  const rateAtLimit = rateAt(all, usage);
  // Time in the server that grows as fast as what runs has nothing to give, yet no request waits: no line fits.
  if (!Number.isFinite(rateAtLimit) || (extrapolation > 1 && rateAtLimit <= now.rate * MIN_GAIN)) return undefined;
  const off = 1 + MODEL_ERROR * Math.abs(Math.log(extrapolation));
  const [low, high] = intervalOf(slices, (sum) => rateAt(sum, usage));
  const interval: Interval = [low / off, high * off];
  // Where even the present rate lies within, the run does not tell how latency grows with what runs.
  if (extrapolation > NEAR && interval[0] <= now.rate) return undefined;
  const runningAtLimit = now.running * extrapolation;
  const between = `${figure(rateAtLimit, "requests/s")} (${figure(interval[0], "requests/s")} to ${figure(interval[1], "requests/s")})`;
  const far = extrapolation > FAR ? ` That is ${figure(Math.round(extrapolation))} times what runs now: a guess.` : "";
  return {
    endpointUrl,
    limit: "kv-cache",
    rate: now.rate,
    rateAtLimit,
    interval,
    isAtLeast,
    running: now.running,
    runningAtLimit,
    extrapolation,
    confidence: extrapolation <= NEAR ? "high" : extrapolation <= FAR ? "medium" : "low",
    text:
      `${nameOf(endpointUrl)} serves ${figure(now.rate, "requests/s")} at ${percent(now.kv)} of its KV cache; ` +
      (isAtLeast
        ? `${FAR} times as many running, at about ${between}, would take ${percent(usage)}. This run does not show where the limit lies beyond that.`
        : `${percent(kvUsage)} would be met at about ${between}, with ${figure(Math.round(runningAtLimit))} running.${far}`),
  };
}

/** Sums over slices: all that a rate is computed from, so that resampling them only adds. */
interface Sum {
  slices: number;
  running: number;
  rate: number;
  kv: number;
  /** Over the slices in which tokens were timed. */
  timed: number;
  timedRunning: number;
  gap: number;
  runningSquared: number;
  runningGap: number;
}

function emptySum(): Sum {
  return {
    slices: 0,
    running: 0,
    rate: 0,
    kv: 0,
    timed: 0,
    timedRunning: 0,
    gap: 0,
    runningSquared: 0,
    runningGap: 0,
  };
}

function add(sum: Sum, { running, rate, kv, gap }: Slice): void {
  sum.slices++;
  sum.running += running;
  sum.rate += rate;
  sum.kv += kv;
  if (Number.isNaN(gap) || running <= 0) return;
  sum.timed++;
  sum.timedRunning += running;
  sum.gap += gap;
  sum.runningSquared += running * running;
  sum.runningGap += running * gap;
}

function sumOf(slices: readonly Slice[]): Sum {
  const sum = emptySum();
  for (const slice of slices) add(sum, slice);
  return sum;
}

function means({ slices, running, rate, kv }: Sum) {
  return { running: running / slices, rate: rate / slices, kv: kv / slices };
}

/** Rate at which the KV cache is as full as this. NaN where nothing runs. */
function rateAt(sum: Sum, kvUsage: number): number {
  const now = means(sum);
  const runningAtLimit = (now.running * kvUsage) / now.kv;
  // Time in the server grows with running requests as the time of a token does: a line through the slices, that never
  // falls. A steeper one would mean that throughput falls with load.
  const { timed, timedRunning, gap, runningSquared, runningGap } = sum;
  const spread = runningSquared - (timedRunning * timedRunning) / timed;
  const together = runningGap - (timedRunning * gap) / timed;
  const slope = spread > 0 && gap > 0 ? (together / spread) * (timed / gap) : 0;
  const growth = 1 + Math.min(Math.max(0, slope), 1 / now.running) * (runningAtLimit - now.running);
  return (runningAtLimit * now.rate) / (now.running * growth);
}

/** Percentiles 5 and 95 over resampled blocks of slices (Künsch 1989); the same at each asking. */
function intervalOf(slices: readonly Slice[], statistic: (sum: Sum) => number): Interval {
  const length = Math.max(2, Math.round(Math.cbrt(slices.length)));
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const values = Array.from({ length: REPLICATES }, () => {
    const sum = emptySum();
    while (sum.slices < slices.length) {
      const start = Math.floor(random() * slices.length);
      for (let i = 0; i < length && sum.slices < slices.length; i++) {
        const slice = slices[(start + i) % slices.length];
        if (slice !== undefined) add(sum, slice);
      }
    }
    return statistic(sum);
  })
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (q: number) => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN;
  return [at(0.05), at(0.95)];
}

/** By start. */
function slicesOf(run: Observed, { endpointUrl, running, kvUsage, finished }: Load): ReadonlyMap<bigint, Slice> {
  const kv = byStart(kvUsage?.means);
  // Requests that finished, else by the latencies observed of them.
  const rates = byStart(finished?.rates ?? run.histogram(endpointUrl, "e2e-latency")?.rates);
  const timed = run.histogram(endpointUrl, "inter-token-latency") ?? run.histogram(endpointUrl, "e2e-latency");
  const gaps = byStart(timed?.means);
  return new Map(
    (running?.means ?? []).flatMap(({ startNs, value }): [bigint, Slice][] => {
      const rate = rates.get(startNs);
      if (rate === undefined) return [];
      return [[startNs, { running: value, rate, kv: kv.get(startNs) ?? 0, gap: gaps.get(startNs) ?? NaN }]];
    }),
  );
}

function byStart(points: readonly Point[] | undefined): ReadonlyMap<bigint, number> {
  return new Map((points ?? []).map(({ startNs, value }) => [startNs, value]));
}

import { mean } from "../model/index.js";
import { figure, percent } from "./words.js";
import { nameOf, type Observed } from "./observed.js";
import type { Point } from "./signals.js";
import type { Thresholds } from "./types.js";

/** How far an endpoint is from the first of its limits. */
export interface Capacity {
  readonly endpointUrl: string;
  readonly limit: "kv-cache" | "batch";
  /** Requests a second, now and where the limit is met. */
  readonly rate: number;
  readonly rateAtLimit: number;
  /** 90 % interval of `rateAtLimit`. */
  readonly interval: readonly [low: number, high: number];
  readonly running: number;
  readonly runningAtLimit: number;
  /** How many times today's load the limit is: far beyond, it is a guess. */
  readonly extrapolation: number;
  readonly confidence: "high" | "medium" | "low";
  /** One sentence. */
  readonly text: string;
}

const FEWEST_SLICES = 10;
/** Beyond this the relation between load and latency is unknown. */
const FAR = 3;
const REPLICATES = 400;

interface Slice {
  readonly running: number;
  readonly rate: number;
  readonly kv: number;
  readonly waiting: number;
  /** Mean time of a token, or of a request where no token is timed; NaN without observations. */
  readonly gap: number;
}

/**
 * At which rate of requests each endpoint meets its first limit, by Little's law (running = rate × time in the server):
 * the KV cache that a running request takes gives how many can run, and the time in the server is taken to grow with
 * them as the time of a token did in the run. Where requests wait at a ceiling of running ones, the limit is met
 * already. Intervals come from resampling blocks of slices.
 */
export function capacitiesOf(run: Observed, { kvUsage, waitingShare }: Thresholds): readonly Capacity[] {
  return run.servingEndpoints().flatMap((endpointUrl): Capacity[] => {
    const slices = slicesOf(run, endpointUrl);
    if (slices.length < FEWEST_SLICES) return [];
    const waiting = slices.filter((slice) => slice.waiting >= 1).length / slices.length;
    const now = means(slices);
    if (!(now.running > 0) || !(now.rate > 0)) return [];
    const base = { endpointUrl, rate: now.rate, running: now.running };
    if (waiting > waitingShare) {
      const interval = intervalOf(slices, (own) => means(own).rate);
      const limit = now.kv >= kvUsage ? ("kv-cache" as const) : ("batch" as const);
      const rate = figure(now.rate, "requests/s");
      return [
        {
          ...base,
          limit,
          rateAtLimit: now.rate,
          interval,
          runningAtLimit: now.running,
          extrapolation: 1,
          confidence: "high",
          text: `${nameOf(endpointUrl)} is at its limit: ${rate} with ${figure(now.running)} running, while others wait.`,
        },
      ];
    }
    if (!(now.kv > 0.01)) return [];
    const rateAtLimit = rateAt(slices, kvUsage);
    if (!Number.isFinite(rateAtLimit) || rateAtLimit <= 0) return [];
    const interval = intervalOf(slices, (own) => rateAt(own, kvUsage));
    const runningAtLimit = (now.running * kvUsage) / now.kv;
    const extrapolation = runningAtLimit / now.running;
    const confidence = extrapolation <= 1.5 ? "high" : extrapolation <= FAR ? "medium" : "low";
    const far = extrapolation > FAR ? ` That is ${figure(Math.round(extrapolation))} times today's load: a guess.` : "";
    return [
      {
        ...base,
        limit: "kv-cache",
        rateAtLimit,
        interval,
        runningAtLimit,
        extrapolation,
        confidence,
        text:
          `${nameOf(endpointUrl)} serves ${figure(now.rate, "requests/s")} at ${percent(now.kv)} of its KV cache; ` +
          `${percent(kvUsage)} would be met at about ${figure(rateAtLimit, "requests/s")} ` +
          `(${figure(interval[0], "requests/s")} to ${figure(interval[1], "requests/s")}), with ${figure(Math.round(runningAtLimit))} running.${far}`,
      },
    ];
  });
}

/** Rate at which the KV cache is as full as this. NaN where nothing runs. */
function rateAt(slices: readonly Slice[], kvUsage: number): number {
  const now = means(slices);
  const runningAtLimit = (now.running * kvUsage) / now.kv;
  // Time in the server grows with running requests as the time of a token does: a line through the slices, that never
  // falls. A steeper one would mean that throughput falls with load.
  const known = slices.filter(({ gap, running }) => Number.isFinite(gap) && running > 0);
  const meanRunning = mean(known.map(({ running }) => running));
  const meanGap = mean(known.map(({ gap }) => gap));
  const spread = known.reduce((sum, { running }) => sum + (running - meanRunning) ** 2, 0);
  const together = known.reduce((sum, { running, gap }) => sum + (running - meanRunning) * (gap - meanGap), 0);
  const slope = spread > 0 && meanGap > 0 ? together / spread / meanGap : 0;
  const growth = 1 + Math.min(Math.max(0, slope), 1 / now.running) * (runningAtLimit - now.running);
  return (runningAtLimit * now.rate) / (now.running * growth);
}

function means(slices: readonly Slice[]) {
  const mean = (key: keyof Slice) => slices.reduce((sum, slice) => sum + slice[key], 0) / slices.length;
  return { running: mean("running"), rate: mean("rate"), kv: mean("kv") };
}

/** Percentiles 5 and 95 over resampled blocks of slices (Künsch 1989); the same at each asking. */
function intervalOf(
  slices: readonly Slice[],
  statistic: (slices: readonly Slice[]) => number,
): readonly [number, number] {
  const length = Math.max(2, Math.round(Math.cbrt(slices.length)));
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const values = Array.from({ length: REPLICATES }, () => {
    const own: Slice[] = [];
    while (own.length < slices.length) {
      const start = Math.floor(random() * slices.length);
      for (let i = 0; i < length && own.length < slices.length; i++) {
        const slice = slices[(start + i) % slices.length];
        if (slice !== undefined) own.push(slice);
      }
    }
    return statistic(own);
  })
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (q: number) => values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN;
  return [at(0.05), at(0.95)];
}

function slicesOf(run: Observed, endpointUrl: string): readonly Slice[] {
  const running = run.gauge(endpointUrl, "running")?.means ?? [];
  const kv = byStart(run.gauge(endpointUrl, "kv-usage")?.means);
  const waiting = byStart(run.gauge(endpointUrl, "waiting")?.means);
  const finished = run.counter(endpointUrl, "finished")?.rates ?? finishedBy(run, endpointUrl);
  const rates = byStart(finished);
  const timed = run.histogram(endpointUrl, "inter-token-latency") ?? run.histogram(endpointUrl, "e2e-latency");
  const gaps = byStart(timed?.means);
  return running.flatMap(({ startNs, value }): Slice[] => {
    const rate = rates.get(startNs);
    return rate === undefined
      ? []
      : [
          {
            running: value,
            rate,
            kv: kv.get(startNs) ?? 0,
            waiting: waiting.get(startNs) ?? 0,
            gap: gaps.get(startNs) ?? NaN,
          },
        ];
  });
}

/** Requests that finished, by the latencies observed of them. */
function finishedBy(run: Observed, endpointUrl: string): readonly Point[] | undefined {
  return run.histogram(endpointUrl, "e2e-latency")?.rates;
}

function byStart(points: readonly Point[] | undefined): ReadonlyMap<bigint, number> {
  return new Map((points ?? []).map(({ startNs, value }) => [startNs, value]));
}

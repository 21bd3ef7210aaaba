import { mean } from "../math/index.js";
import { byStart, valuesOf, type SignalPoint } from "./signals.js";
import { nameOf, type Observed } from "./observed.js";
import { backlogOf, loadOf, noneWaiting, type QueueCause, type EndpointLoad } from "./rules/load.js";
import type { Thresholds } from "./thresholds.js";
import { figure, percent } from "./words.js";

/** What an endpoint served, and whether that is its limit. */
export interface Capacity {
  readonly endpointUrl: string;
  /** What requests wait for; undefined where the limit is not in the run. */
  readonly limit: QueueCause | undefined;
  /** Requests a second; at the limit those of the time in which others waited. */
  readonly rate: number;
  readonly running: number;
  /** Requests at once to try next, where the limit is not in the run. */
  readonly nextRunning: number | undefined;
  /** One sentence or two. */
  readonly text: string;
}

const MIN_SLICES = 10;
/** The next load to try: a server bends where twice as many running bring less than twice the rate. */
const NEXT = 2;

/**
 * Where requests wait at a ceiling of running ones, the limit is met, and what is served then is it. Elsewhere the
 * limit is not in the run: a server bends where its processor or its memory is the limit, and one level of load cannot
 * show where. Then it says what was seen, and which load to try next: twice as much, or what fills the KV cache.
 * Undefined where nothing tells.
 */
export function capacityOf(run: Observed, endpointUrl: string, limits: Thresholds): Capacity | undefined {
  const load = loadOf(run, endpointUrl);
  const served = load.finished ?? load.latency;
  const rates = byStart(served?.rates ?? []);
  const slices = (load.running?.means ?? []).filter(({ startNs }) => rates.has(startNs));
  if (slices.length < MIN_SLICES) return undefined;
  // Where nothing tells whether requests waited it is NaN.
  if (!(load.waitingShare >= limits.waitingShare)) {
    const [rate = 0, running = 0] = [served?.rate, load.running?.avg];
    if (!(running > 0) || !(rate > 0)) return undefined;
    return { endpointUrl, limit: undefined, rate, running, ...next(load, running, throughput(rate, running), limits) };
  }
  const seen = atLimit(load, slices, limits);
  if (seen === undefined) return undefined;
  const running = mean(valuesOf(seen.slices));
  const rate = mean(seen.slices.map(({ startNs }) => rates.get(startNs) ?? 0));
  if (!(running > 0) || !(rate > 0)) return undefined;
  const text = `${nameOf(endpointUrl)} was at its limit: ${throughput(rate, running)}, while others waited.`;
  return { endpointUrl, limit: seen.limit, rate, running, nextRunning: undefined, text };
}

function throughput(rate: number, running: number): string {
  return `${figure(rate, "requests/s")} with ${figure(running)} running`;
}

/** The slices in which requests waited, and for what; undefined where that is not known. */
function atLimit(load: EndpointLoad, slices: readonly SignalPoint[], limits: Thresholds) {
  const backlog = backlogOf(load, limits.kvUsage);
  if (backlog?.limit === undefined) return undefined;
  // A start that differs, such as a cold one, shows less than the limit.
  const { settledNs = 0n } = load;
  const busy = new Set(backlog.busy.flatMap(({ startNs }) => (startNs >= settledNs ? [startNs] : [])));
  return { limit: backlog.limit, slices: slices.filter(({ startNs }) => busy.has(startNs)) };
}

/** A full KV cache ends it before twice as many run. */
function next(load: EndpointLoad, running: number, served: string, limits: Thresholds) {
  const used = load.kvUsage?.avg ?? NaN;
  const fills = limits.kvUsage / used;
  const nextRunning = Math.max(2, Math.round(running * (fills < NEXT ? Math.max(1, fills) : NEXT)));
  const cache = Number.isNaN(used) ? "" : ` at ${percent(used)} of its KV cache`;
  const waiting = load.waitingShare === 0 ? ` and ${noneWaiting(load)} waiting` : "";
  const filled = fills < NEXT ? `, which fills ${percent(limits.kvUsage)} of the KV cache` : "";
  return {
    nextRunning,
    text: `${nameOf(load.endpointUrl)} served ${served}${cache}${waiting}. Its limit is not in this run: try ${nextRunning} requests at once${filled}.`,
  };
}

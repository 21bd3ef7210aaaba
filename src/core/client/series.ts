import {
  durationNs,
  epochNs,
  makeLabels,
  NS_PER_SECOND,
  type EpochNs,
  type Family,
  type Labels,
  type SampleBatch,
  type TimeRange,
} from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { Store } from "../store/index.js";
import { clientFamily, clientUrl, CLIENT, figuresOf, spanOf, sweepLine } from "./metrics.js";
import type { ClientRequest, ClientResult } from "./types.js";

/** Points of the concurrency that a chart gets. */
const MIN_POINTS = 240;
const MAX_POINTS = 4000;
const NOTHING: SampleBatch = { defs: [], ids: new Int32Array(0), values: new Float64Array(0), length: 0 };

interface Observed {
  readonly family: Family;
  readonly labels: Labels;
  readonly points: { readonly time: EpochNs; readonly value: number }[];
}

/**
 * Adds what a client measured to a run's samples, as the series of one endpoint: each request's time to first token
 * where that token came, its other figures where it ended, counters of requests and tokens, and the requests in flight.
 * A gauge's statistics over these samples are those over the requests, exact. Of a client whose requests are not at
 * hand the statistics that it wrote are series of their own, distinguished by the label `statistic`.
 * @param frame where those are placed: slices from its start on, statistics of the whole at its end
 * @returns whether there was anything to add
 */
export function addClientSeries(store: Store, results: readonly ClientResult[], frame: TimeRange): boolean {
  let added = false;
  for (const tool of new Set(results.map((result) => result.tool))) {
    const own = results.filter((result) => result.tool === tool);
    const series = new Map<string, Observed>();
    for (const result of own) addRequestFigures(series, result.requests);
    addCounters(
      series,
      own.flatMap(({ requests }) => requests),
    );
    for (const { requests } of own) addConcurrency(series, requests);
    for (const result of own.filter(({ requests }) => requests.length === 0)) addStored(series, result, frame);
    added = fill(store, clientUrl(tool), [...series.values()]) || added;
  }
  return added;
}

function addPoint(
  series: Map<string, Observed>,
  name: string,
  time: EpochNs,
  value: number,
  labels: Labels = [],
): void {
  const key = `${name} ${JSON.stringify(labels)}`;
  getOrInsert(series, key, () => ({ family: clientFamily(name), labels, points: [] })).points.push({ time, value });
}

function later(time: EpochNs, seconds: number): EpochNs {
  return epochNs(time + BigInt(Math.round(seconds * NS_PER_SECOND)));
}

function addRequestFigures(series: Map<string, Observed>, requests: readonly ClientRequest[]): void {
  for (const request of requests) {
    const { start, end, timeToFirstToken } = request;
    for (const [family, value] of figuresOf(request))
      addPoint(
        series,
        family,
        family === CLIENT.timeToFirstToken && timeToFirstToken !== undefined ? later(start, timeToFirstToken) : end,
        value,
      );
  }
}

/** Each from 0 at the first start on, so that rises tell all requests. */
function addCounters(series: Map<string, Observed>, requests: readonly ClientRequest[]): void {
  const span = spanOf(requests);
  if (span === undefined) return;
  const totals = new Map<string, number>();
  const add = (name: string, time: EpochNs, by: number | undefined) => {
    if (by === undefined) return;
    if (!totals.has(name)) addPoint(series, name, span.start, 0);
    const total = (totals.get(name) ?? 0) + by;
    totals.set(name, total);
    addPoint(series, name, time, total);
  };
  for (const request of [...requests].sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0))) {
    const { end, outcome, latency, timeToFirstToken, outputTokens, inputTokens } = request;
    add(outcome === "completed" ? CLIENT.requests : outcome === "failed" ? CLIENT.failed : CLIENT.cancelled, end, 1);
    if (outcome !== "completed") continue;
    add(CLIENT.inputTokens, end, inputTokens);
    add(CLIENT.outputTokens, end, outputTokens);
    if (latency === undefined || timeToFirstToken === undefined || outputTokens === undefined || outputTokens < 2)
      continue;
    add(CLIENT.decodeSeconds, end, Math.max(0, latency - timeToFirstToken));
    add(CLIENT.decodeTokens, end, outputTokens - 1);
  }
}

/** At even steps, so that its mean is one over time; the step of the peak tells the peak. */
function addConcurrency(series: Map<string, Observed>, requests: readonly ClientRequest[]): void {
  const span = spanOf(requests);
  if (span === undefined) return;
  const { times, counts } = sweepLine(requests);
  const length = Number(span.end - span.start);
  const points = Math.min(MAX_POINTS, Math.max(MIN_POINTS, 20 * requests.length));
  const step = Math.max(1, Math.floor(length / points));
  const peak = times[counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0))] ?? 0;
  let at = 0;
  for (let grid = 0; grid <= length; grid += step) {
    const time = peak > grid && peak < grid + step ? peak : grid;
    while ((times[at + 1] ?? Infinity) <= time) at++;
    addPoint(series, CLIENT.concurrency, epochNs(span.start + BigInt(Math.round(time))), counts[at] ?? 0);
  }
}

/** Label of series that hold a statistic of many requests instead of one value per request. */
export const STATISTIC_LABEL = "statistic";

/** Each statistic of the whole at the end, the average of each slice in its middle. Empty slices are not numbered. */
function addStored(series: Map<string, Observed>, { stored, slices }: ClientResult, { start, end }: TimeRange): void {
  for (const { family, stats } of stored)
    for (const [statistic, value] of Object.entries(stats))
      if (statistic !== "count") addPoint(series, family, end, value, makeLabels([[STATISTIC_LABEL, statistic]]));
  const length = BigInt(Math.round((slices?.seconds ?? 0) * NS_PER_SECOND));
  if (slices === undefined || length <= 0n) return;
  const first = (start / length) * length;
  const labels = makeLabels([[STATISTIC_LABEL, "avg of a time slice"]]);
  for (const { index, metrics } of slices.slices)
    for (const { family, stats } of metrics)
      addPoint(series, family, epochNs(first + BigInt(index) * length + length / 2n), stats.avg, labels);
}

/** One row for each time, and as many as one series has samples at that time. */
function fill(store: Store, url: string, all: readonly Observed[]): boolean {
  if (all.length === 0) return false;
  const most = new Map<EpochNs, number>();
  for (const { points } of all) {
    points.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    let same = 0;
    points.forEach(({ time }, i) => {
      same = points[i - 1]?.time === time ? same + 1 : 1;
      if (same > (most.get(time) ?? 0)) most.set(time, same);
    });
  }
  const firstRow = new Map<EpochNs, number>();
  let rows = store.endpoint(url)?.rows ?? 0;
  for (const [time, count] of [...most].sort(([a], [b]) => (a < b ? -1 : 1))) {
    firstRow.set(time, rows);
    rows += count;
    for (let i = 0; i < count; i++)
      store.append({
        endpointUrl: url,
        time,
        latency: durationNs(0),
        requestSent: time,
        outcome: { kind: "samples", batch: NOTHING },
      });
  }
  for (const { family, labels, points } of all) {
    let same = 0;
    const own = points.map(({ time }, i) => {
      same = points[i - 1]?.time === time ? same + 1 : 0;
      return (firstRow.get(time) ?? 0) + same;
    });
    const cells = Float64Array.from(points, ({ value }) => value);
    store.fill(url, family, labels, Int32Array.from(own), [{ part: { kind: "value" }, cells }]);
  }
  return true;
}

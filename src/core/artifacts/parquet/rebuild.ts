import {
  boundText,
  boundValue,
  epochNs,
  labelKey,
  offsetNs,
  type EpochNs,
  type SeriesId,
  type TimeRange,
} from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { rowsOf, Run, Store, stretchesOf, type PartCells } from "../../store/index.js";
import { metadataOf, seriesKey, type ParquetAbout } from "./metadata-read.js";
import type { ClampedCells, FirstSample, SampleRun } from "./rows.js";
import type { Numbers, SeriesSamplesBuilder } from "./rows-read.js";

export interface FileWindow {
  readonly start: EpochNs;
  readonly end: EpochNs;
  /** The file goes on beyond `end`, to each endpoint's effective end. */
  readonly effective: boolean;
  /** The scrapes of profiling, where others lie in the window, too. */
  readonly tagged?: TimeRange;
}

/** Offset 0 of a run rebuilt from a file: the same whichever of its families are loaded. */
export function originOf(
  { references, seriesReferences }: ParquetAbout,
  { start }: Pick<FileWindow, "start">,
): EpochNs {
  let origin = start;
  for (const time of [...(references?.values() ?? []), ...seriesReferences.values()]) if (time < origin) origin = time;
  // Leaves room for the assumed reference.
  return epochNs(origin - 1n);
}

/**
 * The samples of a Parquet artifact by their endpoints. Counters and histograms begin with their reference, a sample of
 * 0: at its own time where the file tells it, else just before the window. Restarted ones have their samples as they
 * were scraped.
 */
function samplesByEndpoint(
  series: Iterable<SeriesSamplesBuilder>,
  about: ParquetAbout,
  window: FileWindow,
): readonly EndpointSamples[] {
  const origin = originOf(about, window);
  const endpoints = new Map<string, EndpointSamples>();
  const endpointOf = (url: string) => getOrInsert(endpoints, url, () => new EndpointSamples(url));
  // Also a first scrape in the window: families that are not loaded may be all that was in it.
  for (const [url, time] of about.references ?? []) endpointOf(url).addTime(Number(time - origin));
  for (const one of series) {
    const { endpointUrl, family, labels } = one.identity;
    const key = seriesKey(endpointUrl, family.name, family.type, labelKey(labels));
    const rises = family.type === "counter" || family.type === "histogram";
    const reference =
      about.references === undefined
        ? window.start - 1n
        : (about.seriesReferences.get(key) ?? about.references.get(endpointUrl));
    const first = about.born?.get(key);
    endpointOf(endpointUrl).add(
      one,
      rises && first === undefined && reference !== undefined && reference < window.start
        ? Number(reference - origin)
        : undefined,
      about.restarted.get(key) ?? (first && { reference: first }),
    );
  }
  // The last update of an endpoint ends its window, also where the families that are loaded were not in it.
  for (const [url, info] of window.effective ? about.endpointInfo : []) {
    if (info.last_update_ns > window.end) endpoints.get(url)?.addTime(Number(info.last_update_ns - origin));
  }
  return [...endpoints.values()];
}

/**
 * A run of samples, which it takes out of their builders; a step for each series, because an hour's file takes half a
 * second.
 * @param firstId of its series
 */
export function* rebuildSteps(
  series: Iterable<SeriesSamplesBuilder>,
  about: ParquetAbout,
  window: FileWindow,
  fallbackId: string,
  firstId?: number,
): Generator<void, Run> {
  const run = new Run(metadataOf(about, fallbackId), new Store(originOf(about, window), firstId));
  run.store.birthsKnown = about.born !== undefined;
  run.store.scrapesOverlap = about.born === undefined;
  run.setProfilingStart(window.start);
  run.setProfilingEnd(window.end);
  const { tagged } = window;
  const endpoints = samplesByEndpoint(series, about, window).map((samples) => ({ samples, times: samples.times() }));
  if (tagged !== undefined) run.tagged = new Map(endpoints.map(({ samples }) => [samples.url, tagged]));
  appendScrapes(
    run.store,
    endpoints.map(({ samples: { url }, times }) => ({ url, times })),
  );
  for (const { samples, times } of endpoints) yield* samples.fillSteps(run.store, times);
  run.fileStatistics = {
    start: window.start,
    end: window.end,
    ...(about.sliceSeconds === undefined ? {} : { sliceSeconds: about.sliceSeconds }),
    endpointInfo: about.endpointInfo,
    gaps: describeSeries(run.store, about),
    ...(about.references === undefined ? { assumedReference: epochNs(window.start - 1n) } : {}),
  };
  return run;
}

/** Says what the samples of series do not: when they were created, and their gaps, which are returned. */
function describeSeries(store: Store, { gaps, born }: ParquetAbout): ReadonlyMap<SeriesId, number> {
  const found = new Map<SeriesId, number>();
  if (gaps.size + (born?.size ?? 0) === 0) return found;
  for (const { id, endpointUrl, family, labels } of store.seriesKeys()) {
    const key = seriesKey(endpointUrl, family.name, family.type, labelKey(labels));
    const count = gaps.get(key);
    if (count !== undefined) found.set(id, count);
    const created = born?.get(key)?.created;
    if (created !== undefined) store.setCreated(id, offsetNs(Number(created - store.origin)));
  }
  return found;
}

/** What the cells of a series are relative to, where it restarted or was born in the window. */
interface Base extends Partial<ClampedCells> {
  readonly reference: FirstSample;
}

/** A series, and where its samples lie in time. */
interface OrderedSeries {
  readonly samples: SeriesSamplesBuilder;
  /** Positions of its samples in time order; undefined when that is their own. */
  readonly order: Int32Array | undefined;
  /** Times of its samples, in time order. */
  readonly own: Float64Array;
  /** Time of a sample before the first one: 0, or the base's. */
  readonly reference: number | undefined;
  readonly base: Base | undefined;
  /** All of them. */
  readonly times: Float64Array;
}

/** The series of one endpoint, side by side on one time axis. */
class EndpointSamples {
  private readonly series: OrderedSeries[] = [];
  /** Times of the series that was added last, and where its own ones begin. */
  private newest: OrderedSeries | undefined;
  private readonly extraTimes: number[] = [];

  constructor(readonly url: string) {}

  addTime(time: number): void {
    this.extraTimes.push(time);
  }

  /**
   * @param wanted time of a sample before the first one: 0, or the base's
   */
  add(samples: SeriesSamplesBuilder, wanted: number | undefined, base: Base | undefined): void {
    const order = samples.order();
    const own = inOrder(samples.times.view(samples.length), order);
    const reference = wanted !== undefined && wanted < (own[0] ?? Infinity) ? wanted : undefined;
    const before = this.newest;
    const times =
      before !== undefined && before.reference === reference && sameTimes(before.own, own)
        ? before.times
        : reference === undefined
          ? own
          : preceded(reference, own);
    this.newest = { samples, order, own, reference, base, times };
    this.series.push(this.newest);
  }

  /** All times at which any series has a sample, ascending. */
  times(): Float64Array {
    // Most series share all times with the one before.
    const different = this.series
      .map(({ times }) => times)
      .filter((times, s, all) => s === 0 || !sameTimes(all[s - 1] ?? NO_TIMES, times));
    const sorted = new Float64Array(different.reduce((sum, { length }) => sum + length, this.extraTimes.length));
    let at = 0;
    for (const times of different) {
      sorted.set(times, at);
      at += times.length;
    }
    sorted.set(this.extraTimes, at);
    sorted.sort();
    return sorted.filter((time, i) => i === 0 || time !== sorted[i - 1]);
  }

  /** Series by series into the store, and out of memory. @param times of the endpoint's rows */
  *fillSteps(store: Store, times: Float64Array): Generator<void, void> {
    this.series.reverse();
    let before: { readonly own: Float64Array; readonly rows: Int32Array } | undefined;
    for (let one = this.series.pop(); one !== undefined; one = this.series.pop()) {
      const { samples, times: own } = one;
      const { family, labels } = samples.identity;
      const parts = partsOf(one);
      const rows = before !== undefined && sameTimes(before.own, own) ? before.rows : rowsOf(own, times);
      before = { own, rows };
      for (const { from, to, present } of family.type === "histogram"
        ? stretchesOf(parts, own.length)
        : [{ from: 0, to: own.length, present: parts }]) {
        store.fill(
          this.url,
          family,
          labels,
          rows.subarray(from, to),
          present.map(({ part, cells }) => ({ part, cells: cells.subarray(from, to) })),
          samples.buckets.size > 0,
        );
      }
      yield;
    }
  }
}

/** The samples of a series, its reference first. */
function partsOf({ samples, order, reference, base }: OrderedSeries): readonly PartCells[] {
  const { length, identity } = samples;
  const histogram = identity.family.type === "histogram";
  const bases = new Map(base?.reference.buckets);
  const below = new Map(base?.below?.buckets);
  const cellsOf = (cells: Numbers, from: number | undefined, runs: readonly SampleRun[] = []) => {
    const given = inOrder(cells.view(length), order);
    const own = base === undefined ? given : given.map((value) => value + (from ?? 0));
    for (const [at = 0, ...values] of runs) values.forEach((value, i) => (own[at + i] = value));
    if (reference === undefined) return own;
    // What the first sample does not have, its reference has not either.
    return preceded(base !== undefined ? (from ?? NaN) : histogram && Number.isNaN(own[0]) ? NaN : 0, own);
  };
  if (!histogram)
    return [{ part: { kind: "value" }, cells: cellsOf(samples.values, base?.reference.value, base?.below?.value) }];
  const buckets = [...samples.buckets].sort(([a], [b]) => boundValue(a) - boundValue(b));
  return [
    ...buckets.map(([bound, cells]) => ({
      part: { kind: "bucket", bound: boundText(bound), upper: boundValue(bound) } as const,
      cells: cellsOf(cells, bases.get(boundText(bound)), below.get(boundText(bound))),
    })),
    { part: { kind: "sum" }, cells: cellsOf(samples.sums, base?.reference.sum, base?.below?.sum) },
    { part: { kind: "count" }, cells: cellsOf(samples.counts, base?.reference.value, base?.below?.value) },
  ];
}

function inOrder(cells: Float64Array, order: Int32Array | undefined): Float64Array {
  return order === undefined ? cells : Float64Array.from(order, (i) => cells[i] ?? 0);
}

function preceded(first: number, cells: Float64Array): Float64Array {
  const all = new Float64Array(1 + cells.length);
  all[0] = first;
  all.set(cells, 1);
  return all;
}

const NO_TIMES = new Float64Array(0);

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * The scrapes of all endpoints in time order, as a capture would have appended them, without their samples. Endpoints
 * that are due at one time come in the order of the file.
 */
function appendScrapes(
  store: Store,
  endpoints: readonly { readonly url: string; readonly times: Float64Array }[],
): void {
  const all = endpoints.flatMap(({ url, times }) => Array.from(times, (time) => ({ url, time })));
  // Sorting merges what ascends already: there may be thousands of endpoints.
  for (const { url, time } of all.sort((a, b) => a.time - b.time)) store.appendEmpty(url, offsetNs(time));
}

import {
  boundText,
  boundValue,
  epochNs,
  labelKey,
  offsetNs,
  type CarriedSeries,
  type EpochNs,
  type Family,
  type Labels,
  type SeriesId,
} from "../../model/index.js";
import { rowsOf, Run, Store, stretchesOf, type PartCells } from "../../store/index.js";
import { metadataOf, seriesKey, type ParquetAbout } from "./metadata-read.js";
import type { Numbers, SeriesSamplesBuilder } from "./series-samples.js";

export interface FileWindow {
  readonly start: EpochNs;
  readonly end: EpochNs;
  /** The file goes on beyond `end`, to each endpoint's effective end. */
  readonly effective: boolean;
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
 * A run of the samples of a Parquet artifact, which it takes out of the builders. Counters and histograms begin with
 * their reference, a sample of 0: at its own time where the file tells it, else just before the window.
 * @param firstId of its series
 */
export function rebuildRun(
  series: readonly SeriesSamplesBuilder[],
  about: ParquetAbout,
  window: FileWindow,
  fallbackId: string,
  firstId?: number,
): Run {
  const origin = originOf(about, window);
  const run = new Run(metadataOf(about, fallbackId), new Store(origin, firstId));
  run.setProfilingStart(window.start);
  run.setProfilingEnd(window.end);
  const endpoints = new Map<string, EndpointSamples>();
  const endpointOf = (url: string) => {
    let endpoint = endpoints.get(url);
    if (endpoint === undefined) endpoints.set(url, (endpoint = new EndpointSamples(url)));
    return endpoint;
  };
  for (const [url, time] of about.references ?? []) {
    if (time < window.start) endpointOf(url).addTime(Number(time - origin));
  }
  for (const one of series) {
    const { endpointUrl, family, labels } = one.identity;
    const key = seriesKey(endpointUrl, family.name, family.type, labelKey(labels));
    const rises = family.type === "counter" || family.type === "histogram";
    const reference =
      about.references === undefined
        ? window.start - 1n
        : (about.seriesReferences.get(key) ?? about.references.get(endpointUrl));
    endpointOf(endpointUrl).add(
      one,
      rises && reference !== undefined && reference < window.start ? Number(reference - origin) : undefined,
    );
  }
  // The last update of an endpoint ends its window, also where the families that are loaded were not in it.
  for (const [url, info] of window.effective ? about.endpointInfo : []) {
    if (info.last_update_ns > window.end) endpoints.get(url)?.addTime(Number(info.last_update_ns - origin));
  }
  append(run.store, [...endpoints.values()]);
  run.carried = {
    start: window.start,
    end: window.end,
    ...(about.sliceSeconds === undefined ? {} : { sliceSeconds: about.sliceSeconds }),
    endpointInfo: about.endpointInfo,
    series: carriedSeries(run.store, about),
    ...(about.references === undefined ? { assumedReference: epochNs(window.start - 1n) } : {}),
  };
  return run;
}

function carriedSeries(store: Store, { gaps, restarted }: ParquetAbout): ReadonlyMap<SeriesId, CarriedSeries> {
  const carried = new Map<SeriesId, CarriedSeries>();
  if (gaps.size + restarted.size === 0) return carried;
  for (const { id, endpointUrl, family, labels } of store.seriesKeys()) {
    const key = seriesKey(endpointUrl, family.name, family.type, labelKey(labels));
    const count = gaps.get(key);
    const result = restarted.get(key);
    if (count !== undefined || result !== undefined)
      carried.set(id, { ...(count === undefined ? {} : { gaps: count }), ...(result === undefined ? {} : { result }) });
  }
  return carried;
}

/** A series whose samples are in time order. */
interface OrderedSeries {
  readonly samples: SeriesSamplesBuilder;
  readonly family: Family;
  readonly labels: Labels;
  readonly times: Float64Array;
  readonly parts: readonly PartCells[];
  /** Whether a histogram's were read. */
  readonly buckets: boolean;
}

/** The series of one endpoint, side by side on one time axis. */
class EndpointSamples {
  private readonly series: OrderedSeries[] = [];
  private readonly extraTimes: number[] = [];

  constructor(readonly url: string) {}

  addTime(time: number): void {
    this.extraTimes.push(time);
  }

  /** @param reference time of a sample of 0 before the first one */
  add(samples: SeriesSamplesBuilder, reference: number | undefined): void {
    const { family, labels } = samples.identity;
    const { length } = samples;
    const order = samples.order();
    const own = inOrder(samples.times.view(length), order);
    const referenced = reference !== undefined && reference < (own[0] ?? Infinity);
    const preceded = (cells: Numbers, first: number) => {
      const all = cells.preceded(first, length);
      if (order !== undefined) all.set(inOrder(all.slice(1), order), 1);
      return all;
    };
    const cellsOf = (cells: Numbers) => {
      const values = inOrder(cells.view(length), order);
      // What the first sample does not have, its reference has not either.
      return referenced ? preceded(cells, family.type === "histogram" && Number.isNaN(values[0]) ? NaN : 0) : values;
    };
    const buckets = [...samples.buckets].sort(([a], [b]) => boundValue(a) - boundValue(b));
    const parts: readonly PartCells[] =
      family.type === "histogram"
        ? [
            ...buckets.map(([bound, cells]) => ({
              part: { kind: "bucket", bound: boundText(bound), upper: boundValue(bound) } as const,
              cells: cellsOf(cells),
            })),
            { part: { kind: "sum" }, cells: cellsOf(samples.sums) },
            { part: { kind: "count" }, cells: cellsOf(samples.counts) },
          ]
        : [{ part: { kind: "value" }, cells: cellsOf(samples.values) }];
    const times = referenced ? preceded(samples.times, reference) : own;
    this.series.push({ samples, family, labels, times, parts, buckets: buckets.length > 0 });
  }

  /** All times at which any series has a sample, ascending. */
  times(): Float64Array {
    const all = new Float64Array(this.series.reduce((sum, { times }) => sum + times.length, this.extraTimes.length));
    let at = 0;
    for (const { times } of this.series) {
      // Most series share all times with the one before.
      if (at >= times.length && sameTimes(all.subarray(at - times.length, at), times)) continue;
      all.set(times, at);
      at += times.length;
    }
    all.set(this.extraTimes, at);
    const sorted = all.subarray(0, at + this.extraTimes.length).sort();
    return sorted.filter((time, i) => i === 0 || time !== sorted[i - 1]);
  }

  /** Series by series into the store, and out of memory. @param times of the endpoint's rows */
  fill(store: Store, times: Float64Array): void {
    this.series.reverse();
    for (let one = this.series.pop(); one !== undefined; one = this.series.pop()) {
      const { samples, family, labels, times: own, parts, buckets } = one;
      const rows = rowsOf(own, times);
      for (const { from, to, present } of family.type === "histogram"
        ? stretchesOf(parts, own.length)
        : [{ from: 0, to: own.length, present: parts }]) {
        store.fill(
          this.url,
          family,
          labels,
          rows.subarray(from, to),
          present.map(({ part, cells }) => ({ part, cells: cells.subarray(from, to) })),
          buckets,
        );
      }
      samples.release();
    }
  }
}

function inOrder(cells: Float64Array, order: Int32Array | undefined): Float64Array {
  return order === undefined ? cells : Float64Array.from(order, (i) => cells[i] ?? 0);
}

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The scrapes of all endpoints in time order, as a capture would have appended them, and then their samples. */
function append(store: Store, endpoints: readonly EndpointSamples[]): void {
  const sources = endpoints.map((endpoint) => ({ endpoint, times: endpoint.times(), next: 0 }));
  for (;;) {
    let first: (typeof sources)[number] | undefined;
    for (const source of sources)
      if (
        source.next < source.times.length &&
        (first === undefined || (source.times[source.next] ?? 0) < (first.times[first.next] ?? 0))
      )
        first = source;
    if (first === undefined) break;
    store.appendEmpty(first.endpoint.url, offsetNs(first.times[first.next++] ?? 0));
  }
  for (const { endpoint, times } of sources) endpoint.fill(store, times);
}

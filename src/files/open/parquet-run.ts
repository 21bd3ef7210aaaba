import { boundText, boundValue, durationNs, epochNs, labelKey, type CarriedSeries, type EpochNs, type SampleBatch, type SampleDef, type SeriesId } from "../../core/model/index.js";
import { Run, Store } from "../../core/store/index.js";
import { metadataOf, seriesKey, type ParquetAbout } from "./parquet-about.js";
import type { SeriesSamplesBuilder } from "./parquet-series.js";

export interface FileWindow {
  readonly start: EpochNs;
  readonly end: EpochNs;
  /** The file goes on beyond `end`, to each endpoint's effective end. */
  readonly effective: boolean;
}

/** Offset 0 of a run rebuilt from a file: the same whichever of its families are loaded. */
export function originOf({ references, seriesReferences }: ParquetAbout, { start }: Pick<FileWindow, "start">): EpochNs {
  let origin = start;
  for (const time of [...(references?.values() ?? []), ...seriesReferences.values()]) if (time < origin) origin = time;
  // Leaves room for the assumed reference.
  return epochNs(origin - 1n);
}

/**
 * A run of the samples of a Parquet artifact. Counters and histograms begin with their reference, a sample of 0: at its own time where the
 * file tells it, else just before the window.
 * @param firstId of its series
 */
export function rebuildRun(series: readonly SeriesSamplesBuilder[], about: ParquetAbout, window: FileWindow, fallbackId: string, firstId?: number): Run {
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
    const reference = about.references === undefined ? window.start - 1n : (about.seriesReferences.get(key) ?? about.references.get(endpointUrl));
    endpointOf(endpointUrl).add(one, rises && reference !== undefined && reference < window.start ? Number(reference - origin) : undefined);
  }
  // The last update of an endpoint ends its window, also where the families that are loaded were not in it.
  for (const [url, info] of window.effective ? about.endpointInfo : []) {
    if (info.last_update_ns > window.end) endpoints.get(url)?.addTime(Number(info.last_update_ns - origin));
  }
  append(run.store, [...endpoints.values()], origin);
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
    if (count !== undefined || result !== undefined) carried.set(id, { ...(count === undefined ? {} : { gaps: count }), ...(result === undefined ? {} : { result }) });
  }
  return carried;
}

/** A series on its way into the store, sample after sample. */
interface Cursor {
  readonly times: Float64Array;
  /** Position of each sample among the values. */
  readonly order: Int32Array | undefined;
  /** The first sample is the reference, which is 0 and stands before the values. */
  readonly referenced: boolean;
  readonly scalar: boolean;
  /** Id of the first part; the others follow. */
  readonly firstId: number;
  /** Of each part. */
  readonly values: readonly Float64Array[];
  next: number;
}

/** The series of one endpoint, side by side on one time axis. */
class EndpointSamples {
  readonly defs: SampleDef[] = [];
  private readonly cursors: Cursor[] = [];
  private readonly extraTimes: number[] = [];

  constructor(readonly url: string) {}

  addTime(time: number): void {
    this.extraTimes.push(time);
  }

  add(series: SeriesSamplesBuilder, reference: number | undefined): void {
    const { family, labels } = series.identity;
    const firstId = this.defs.length;
    const values: Float64Array[] = [];
    const add = (part: SampleDef["part"], cells: Float64Array) => {
      this.defs.push({ family, labels, part });
      values.push(cells);
    };
    const own = series.times;
    if (family.type === "histogram") {
      for (const [bound, cells] of [...series.buckets].sort(([a], [b]) => boundValue(a) - boundValue(b))) {
        add({ kind: "bucket", bound: boundText(bound), upper: boundValue(bound) }, cells.view(own.length));
      }
      add({ kind: "sum" }, series.sums);
      add({ kind: "count" }, series.counts);
    } else {
      add({ kind: "value" }, series.values);
    }
    const order = series.order();
    const sorted = order === undefined ? own : Float64Array.from(order, (i) => own[i] ?? 0);
    const referenced = reference !== undefined && reference < (sorted[0] ?? Infinity);
    this.cursors.push({ times: referenced ? preceded(sorted, reference) : sorted, order, referenced, scalar: family.type !== "histogram", firstId, values, next: 0 });
  }

  /** All times at which any series has a sample, ascending. */
  times(): Float64Array {
    const all = new Float64Array(this.cursors.reduce((sum, { times }) => sum + times.length, this.extraTimes.length));
    let at = 0;
    for (const { times } of this.cursors) {
      // Most series share all times with the one before.
      if (at >= times.length && sameTimes(all.subarray(at - times.length, at), times)) continue;
      all.set(times, at);
      at += times.length;
    }
    all.set(this.extraTimes, at);
    const sorted = all.subarray(0, at + this.extraTimes.length).sort();
    return sorted.filter((time, i) => i === 0 || time !== sorted[i - 1]);
  }

  /** Samples at a time; times must ascend from call to call. */
  batch(time: number, ids: Int32Array, values: Float64Array): SampleBatch {
    let length = 0;
    for (const cursor of this.cursors) {
      const { next, order, referenced, scalar, firstId } = cursor;
      if (cursor.times[next] !== time) continue;
      cursor.next = next + 1;
      const isReference = referenced && next === 0;
      const position = referenced ? Math.max(0, next - 1) : next;
      const index = order === undefined ? position : (order[position] ?? 0);
      for (let part = 0; part < cursor.values.length; part++) {
        const value = cursor.values[part]?.[index] ?? NaN;
        // A histogram's cell that is not there; of a scalar it is a gap.
        if (Number.isNaN(value) && !scalar) continue;
        ids[length] = firstId + part;
        values[length++] = isReference ? 0 : value;
      }
    }
    return { defs: this.defs, ids, values, length };
  }
}

function preceded(times: Float64Array, first: number): Float64Array {
  const out = new Float64Array(times.length + 1);
  out[0] = first;
  out.set(times, 1);
  return out;
}

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Appends the samples of all endpoints in time order, as a capture would have. */
function append(store: Store, endpoints: readonly EndpointSamples[], origin: EpochNs): void {
  const sources = endpoints.map((endpoint) => ({ endpoint, times: endpoint.times(), next: 0, ids: new Int32Array(endpoint.defs.length), values: new Float64Array(endpoint.defs.length) }));
  for (;;) {
    let first: (typeof sources)[number] | undefined;
    for (const source of sources) if (source.next < source.times.length && (first === undefined || (source.times[source.next] ?? 0) < (first.times[first.next] ?? 0))) first = source;
    if (first === undefined) return;
    const offset = first.times[first.next++] ?? 0;
    const time = epochNs(origin + BigInt(offset));
    const batch = first.endpoint.batch(offset, first.ids, first.values);
    store.append({ endpointUrl: first.endpoint.url, time, latency: durationNs(0), requestSent: time, outcome: { kind: "samples", batch } });
  }
}

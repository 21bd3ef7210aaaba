import { exposedName } from "../../core/catalog/index.js";
import {
  makeLabels,
  NS_PER_MS,
  storedLabels,
  type OwnLabels,
  type SampleDef,
  type Scrape,
  type Labels,
} from "../../core/model/index.js";
import { getOrInsert } from "../../core/math/index.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { PbfWriter } from "pbf";

type LabelBytes = readonly Uint8Array[];

/** Labels of all series met so far, encoded. */
export class LabelCache {
  private readonly byKey = new Map<string, LabelBytes>();
  private readonly byDef = new Map<string, WeakMap<SampleDef, LabelBytes>>();

  constructor(private readonly own: OwnLabels) {}

  ofSample(endpointUrl: string, def: SampleDef): LabelBytes {
    const defs = getOrInsert(this.byDef, endpointUrl, () => new WeakMap());
    let bytes = defs.get(def);
    if (bytes === undefined) {
      const { family, labels, part } = def;
      const all = part.kind === "bucket" ? makeLabels([...labels, ["le", part.bound]]) : labels;
      defs.set(def, (bytes = this.of(endpointUrl, exposedName(family, part.kind), all)));
    }
    return bytes;
  }

  ofScrapes(endpointUrl: string, name: string): LabelBytes {
    return this.of(endpointUrl, name, []);
  }

  /** The same labels give the same object. */
  private of(endpointUrl: string, name: string, labels: SampleDef["labels"]): LabelBytes {
    const stored = storedLabels(labels, endpointUrl, this.own);
    const all = makeLabels([...stored, ["__name__", name]]);
    return getOrInsert(this.byKey, JSON.stringify(all), () => encodeLabels(all));
  }
}

/** Samples of successive scrapes, series by series: what goes into one request. */
export class Batch {
  private readonly series = new Map<LabelBytes, EncodedSeries>();
  samples = 0;
  scrapes = 0;

  constructor(private readonly labels: LabelCache) {}

  /** All samples of a scrape, and as Prometheus keeps it of its own, `up` and `scrape_duration_seconds`. */
  add({ endpointUrl, time, latency, outcome }: Scrape): void {
    const ms = Number(time / BigInt(NS_PER_MS));
    this.scrapes++;
    if (outcome.kind === "samples") {
      const { defs, ids, values, length } = outcome.batch;
      for (let i = 0; i < length; i++) {
        const def = defs[ids[i] ?? -1];
        if (def !== undefined) this.put(this.labels.ofSample(endpointUrl, def), ms, values[i] ?? NaN);
      }
    }
    this.put(this.labels.ofScrapes(endpointUrl, "up"), ms, outcome.kind === "failed" ? 0 : 1);
    this.put(this.labels.ofScrapes(endpointUrl, "scrape_duration_seconds"), ms, latency / 1e9);
  }

  encode(): Uint8Array {
    // Within a series a store takes samples in the order of their times only.
    for (const { times, values } of this.series.values()) sortByTime(times, values);
    return encodeWriteRequest(this.series.values());
  }

  private put(labels: LabelBytes, ms: number, value: number): void {
    const series = getOrInsert(this.series, labels, () => ({ labels, times: [], values: [] }));
    // Of two within a millisecond, which is all that the protocol tells apart, the later one counts.
    if (series.times.at(-1) === ms) {
      series.values[series.values.length - 1] = value;
      return;
    }
    series.times.push(ms);
    series.values.push(value);
    this.samples++;
  }
}

function sortByTime(times: number[], values: number[]): void {
  if (times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0))) return;
  const order = times.map((_, i) => i).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const [t, v] = [times.slice(), values.slice()];
  order.forEach((from, to) => {
    times[to] = t[from] ?? 0;
    values[to] = v[from] ?? NaN;
  });
}

/** A series as the protocol carries it; its labels are encoded once. */
interface EncodedSeries {
  readonly labels: readonly Uint8Array[];
  readonly times: number[];
  readonly values: number[];
}

/** Each label as a message: `name = 1`, `value = 2`. */
export function encodeLabels(labels: Labels): readonly Uint8Array[] {
  return labels.map(([name, value]) => {
    const pbf = new PbfWriter();
    pbf.writeStringField(1, name);
    pbf.writeStringField(2, value);
    return pbf.finish();
  });
}

/**
 * A WriteRequest of remote write 1.0, compressed: `timeseries = 1` of `labels = 1` and `samples = 2` of `value = 1` and
 * `timestamp = 2` in milliseconds.
 */
function encodeWriteRequest(series: Iterable<EncodedSeries>): Uint8Array {
  const pbf = new PbfWriter();
  for (const one of series) pbf.writeMessage(1, writeSeries, one);
  return snappyCompress(pbf.finish());
}

function writeSeries({ labels, times, values }: EncodedSeries, pbf: PbfWriter): void {
  for (const label of labels) pbf.writeBytesField(1, label);
  times.forEach((time, i) => pbf.writeMessage(2, writeSample, { time, value: values[i] ?? NaN }));
}

function writeSample({ time, value }: { readonly time: number; readonly value: number }, pbf: PbfWriter): void {
  pbf.writeDoubleField(1, value);
  pbf.writeVarintField(2, time);
}

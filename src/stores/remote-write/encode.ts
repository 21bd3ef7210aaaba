import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { PbfWriter } from "pbf";
import type { Labels } from "../../core/model/index.js";

/** A series as the protocol carries it; its labels are encoded once. */
export interface EncodedSeries {
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
export function encodeWriteRequest(series: Iterable<EncodedSeries>): Uint8Array {
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

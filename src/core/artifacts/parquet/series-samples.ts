import type { Family, Labels } from "../../model/index.js";
import { ABSENT } from "./decode.js";

export interface SeriesIdentity {
  readonly endpointUrl: string;
  readonly family: Family;
  readonly labels: Labels;
}

/** A vector of numbers that grows; NaN where nothing was set. */
export class Numbers {
  private data = new Float64Array(16);
  private used = 0;

  get length(): number {
    return this.used;
  }

  set(index: number, value: number): void {
    if (index >= this.used) {
      this.grow(index + 1);
      if (index > this.used) this.data.fill(NaN, this.used, index);
      this.used = index + 1;
    }
    this.data[index] = value;
  }

  /** Those of every `step`-th row from one on. */
  append({ codes, values }: CodedNumbers, from: number, step: number, count: number): void {
    this.grow(this.used + count);
    const { data, used } = this;
    for (let i = 0, row = from; i < count; i++, row += step) data[used + i] = values[codes[row] ?? 0] ?? NaN;
    this.used += count;
  }

  /** The first `length` numbers; what is missing of them becomes NaN. Valid until the next one is set. */
  view(length = this.used): Float64Array {
    if (length > this.used) {
      this.grow(length);
      this.data.fill(NaN, this.used, length);
      this.used = length;
    }
    return this.data.subarray(0, length);
  }

  private grow(length: number): void {
    if (length <= this.data.length) return;
    const grown = new Float64Array(Math.max(length, this.data.length * 2));
    grown.set(this.data.subarray(0, this.used));
    this.data = grown;
  }
}

/** Numbers of rows: a row's is the one at its code, the first for none. */
export interface CodedNumbers {
  readonly codes: Int32Array;
  readonly values: Float64Array;
}

/** Rows of a histogram, a row a bound and time; `bounds[boundCodes[row]]` is the bound's text, of 0 there is none. */
export interface BucketRows {
  readonly boundCodes: Int32Array;
  readonly bounds: readonly (string | undefined)[];
  readonly cells: CodedNumbers;
  readonly sums: CodedNumbers;
  readonly counts: CodedNumbers;
}

function at({ codes, values }: CodedNumbers, row: number): number {
  return values[codes[row] ?? 0] ?? NaN;
}

/** The samples of one series as its rows come: one sample a time, of a histogram from a row per bound. */
export class SeriesSamplesBuilder {
  /** Cumulative counts by the bound's text. */
  readonly buckets = new Map<string, Numbers>();
  private readonly stamps = new Numbers();
  private readonly scalarValues = new Numbers();
  private readonly sumValues = new Numbers();
  private readonly countValues = new Numbers();
  private last = NaN;
  private indexByTime: Map<number, number> | undefined;

  constructor(readonly identity: SeriesIdentity) {}

  /** Of each sample, in order of appearance; relative to the run's origin. */
  get times(): Float64Array {
    return this.stamps.view();
  }

  /** A scalar's. */
  get values(): Float64Array {
    return this.scalarValues.view(this.stamps.length);
  }

  get sums(): Float64Array {
    return this.sumValues.view(this.stamps.length);
  }

  get counts(): Float64Array {
    return this.countValues.view(this.stamps.length);
  }

  /** Rows [from, to) of a scalar. */
  addScalars(times: CodedNumbers, values: CodedNumbers, from: number, to: number): void {
    if (this.indexByTime === undefined && this.ascends(times, from, to)) {
      this.stamps.append(times, from, 1, to - from);
      this.scalarValues.append(values, from, 1, to - from);
      this.last = at(times, to - 1);
      return;
    }
    for (let row = from; row < to; row++) this.scalarValues.set(this.indexOf(at(times, row)), at(values, row));
  }

  /** Rows [from, to) of a histogram. */
  addBuckets(times: CodedNumbers, rows: BucketRows, from: number, to: number): void {
    const byCode: Numbers[] = [];
    // What a piece of the file cut off, then whole samples, then what the end cuts off.
    const first = this.addEach(times, rows, byCode, from, Math.min(to, sampleEnd(times.codes, from, to)));
    const { width, end } = regularStretch(times.codes, rows.boundCodes, first, to);
    if (end > first && this.indexByTime === undefined && this.ascends(times, first, end, width)) {
      const known = this.stamps.length;
      const samples = (end - first) / width;
      this.stamps.append(times, first, width, samples);
      this.sumValues.view(known);
      this.sumValues.append(rows.sums, first, width, samples);
      this.countValues.view(known);
      this.countValues.append(rows.counts, first, width, samples);
      for (let b = 0; b < width; b++) {
        const bucket = this.bucketOf(byCode, rows, first + b);
        bucket.view(known);
        bucket.append(rows.cells, first + b, width, samples);
      }
      this.last = at(times, end - 1);
      this.addEach(times, rows, byCode, end, to);
    } else {
      this.addEach(times, rows, byCode, first, to);
    }
  }

  private addEach(times: CodedNumbers, rows: BucketRows, byCode: Numbers[], from: number, to: number): number {
    let before = NaN;
    let index = -1;
    for (let row = from; row < to; row++) {
      if (rows.boundCodes[row] === ABSENT) continue;
      const time = at(times, row);
      if (time !== before) {
        before = time;
        index = this.indexOf(time);
        this.sumValues.set(index, at(rows.sums, row));
        this.countValues.set(index, at(rows.counts, row));
      }
      this.bucketOf(byCode, rows, row).set(index, at(rows.cells, row));
    }
    return to;
  }

  private bucketOf(byCode: Numbers[], { boundCodes, bounds }: BucketRows, row: number): Numbers {
    const code = boundCodes[row] ?? 0;
    return (byCode[code] ??= this.bucketAt(bounds[code] ?? ""));
  }

  /** Positions of the samples in time order; undefined when that is their own. */
  order(): Int32Array | undefined {
    if (this.indexByTime === undefined) return undefined;
    const { times } = this;
    return Int32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  private bucketAt(bound: string): Numbers {
    let bucket = this.buckets.get(bound);
    if (bucket === undefined) this.buckets.set(bound, (bucket = new Numbers()));
    return bucket;
  }

  private ascends(times: CodedNumbers, from: number, to: number, step = 1): boolean {
    let before = this.last;
    for (let row = from; row < to; row += step) {
      const time = at(times, row);
      if (time <= before) return false;
      before = time;
    }
    return true;
  }

  private indexOf(time: number): number {
    if (time === this.last) return this.stamps.length - 1;
    if (this.indexByTime === undefined && (this.stamps.length === 0 || time > this.last)) return this.add(time);
    // Rows out of order: a time may come back.
    this.indexByTime ??= new Map(Array.from(this.times, (known, i) => [known, i]));
    const known = this.indexByTime.get(time);
    if (known !== undefined) return known;
    this.indexByTime.set(time, this.stamps.length);
    return this.add(time);
  }

  private add(time: number): number {
    this.last = time;
    this.stamps.set(this.stamps.length, time);
    return this.stamps.length - 1;
  }
}

/** End of the rows that have the time of the first one. */
function sampleEnd(times: Int32Array, from: number, to: number): number {
  let row = from + 1;
  while (row < to && times[row] === times[from]) row++;
  return row;
}

/**
 * Rows from `from` on in which samples of `width` bounds follow each other, always the same bounds in the same order.
 * @param times codes of the rows' times, and of their bounds
 */
function regularStretch(
  times: Int32Array,
  bounds: Int32Array,
  from: number,
  to: number,
): { readonly width: number; readonly end: number } {
  const width = sampleEnd(times, from, to) - from;
  const own = bounds.subarray(from, from + width);
  if (from >= to || own.includes(ABSENT) || new Set(own).size < width) return { width: 0, end: from };
  let end = from;
  for (; end + width <= to; end += width) {
    const time = times[end];
    if (end > from && time === times[end - 1]) break;
    let row = end;
    while (row < end + width && times[row] === time && bounds[row] === bounds[row - end + from]) row++;
    if (row < end + width) break;
  }
  // The last one may go on beyond.
  return { width, end: end > from && end < to && times[end] === times[end - 1] ? end - width : end };
}

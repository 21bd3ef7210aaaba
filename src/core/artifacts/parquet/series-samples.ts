import type { Family, Labels } from "../../model/index.js";

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

  append(values: Float64Array): void {
    this.grow(this.used + values.length);
    this.data.set(values, this.used);
    this.used += values.length;
  }

  /** Every `step`-th of the values from a position on. */
  appendEvery(values: Float64Array, from: number, step: number, count: number): void {
    this.grow(this.used + count);
    const { data, used } = this;
    for (let i = 0, at = from; i < count; i++, at += step) data[used + i] = values[at] ?? NaN;
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

/** Rows of a histogram, a row a bound and time; `bounds[boundCodes[row]]` is the bound's text, of −1 there is none. */
export interface BucketRows {
  readonly boundCodes: Int32Array;
  readonly bounds: readonly string[];
  readonly cells: Float64Array;
  readonly sums: Float64Array;
  readonly counts: Float64Array;
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
  addScalars(times: Float64Array, values: Float64Array, from: number, to: number): void {
    if (this.indexByTime === undefined && this.ascends(times, from, to)) {
      this.stamps.append(times.subarray(from, to));
      this.scalarValues.append(values.subarray(from, to));
      this.last = times[to - 1] ?? NaN;
      return;
    }
    for (let row = from; row < to; row++) this.scalarValues.set(this.indexOf(times[row] ?? 0), values[row] ?? NaN);
  }

  /** Rows [from, to) of a histogram. */
  addBuckets(times: Float64Array, rows: BucketRows, from: number, to: number): void {
    const byCode: Numbers[] = [];
    // What a piece of the file cut off, then whole samples, then what the end cuts off.
    const first = this.addEach(times, rows, byCode, from, Math.min(to, sampleEnd(times, from, to)));
    const { width, end } = regularStretch(times, rows, first, to);
    if (end > first && this.indexByTime === undefined && this.ascends(times, first, end, width)) {
      const at = this.stamps.length;
      const samples = (end - first) / width;
      this.stamps.appendEvery(times, first, width, samples);
      this.sumValues.view(at);
      this.sumValues.appendEvery(rows.sums, first, width, samples);
      this.countValues.view(at);
      this.countValues.appendEvery(rows.counts, first, width, samples);
      for (let b = 0; b < width; b++) {
        const bucket = this.bucketOf(byCode, rows, first + b);
        bucket.view(at);
        bucket.appendEvery(rows.cells, first + b, width, samples);
      }
      this.last = times[end - 1] ?? NaN;
      this.addEach(times, rows, byCode, end, to);
    } else {
      this.addEach(times, rows, byCode, first, to);
    }
  }

  private addEach(times: Float64Array, rows: BucketRows, byCode: Numbers[], from: number, to: number): number {
    let at = NaN;
    let index = -1;
    for (let row = from; row < to; row++) {
      if ((rows.boundCodes[row] ?? -1) < 0) continue;
      const time = times[row] ?? 0;
      if (time !== at) {
        at = time;
        index = this.indexOf(time);
        this.sumValues.set(index, rows.sums[row] ?? NaN);
        this.countValues.set(index, rows.counts[row] ?? NaN);
      }
      this.bucketOf(byCode, rows, row).set(index, rows.cells[row] ?? NaN);
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

  private ascends(times: Float64Array, from: number, to: number, step = 1): boolean {
    let before = this.last;
    for (let row = from; row < to; row += step) {
      const time = times[row] ?? 0;
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
function sampleEnd(times: Float64Array, from: number, to: number): number {
  let row = from + 1;
  while (row < to && times[row] === times[from]) row++;
  return row;
}

/**
 * Rows from `from` on in which samples of `width` bounds follow each other, always the same bounds in the same order.
 */
function regularStretch(
  times: Float64Array,
  { boundCodes }: BucketRows,
  from: number,
  to: number,
): { readonly width: number; readonly end: number } {
  const width = sampleEnd(times, from, to) - from;
  if (from >= to || new Set(boundCodes.subarray(from, from + width)).size < width) return { width: 0, end: from };
  let end = from;
  for (; end + width <= to; end += width) {
    const time = times[end];
    if (end > from && time === times[end - 1]) break;
    let row = end;
    while (
      row < end + width &&
      times[row] === time &&
      boundCodes[row] === boundCodes[row - end + from] &&
      (boundCodes[row] ?? -1) >= 0
    )
      row++;
    if (row < end + width) break;
  }
  // The last one may go on beyond.
  return { width, end: end > from && end < to && times[end] === times[end - 1] ? end - width : end };
}

import type { Family, Labels } from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { ABSENT } from "./data-page.js";
import { Numbers, type CodedNumbers } from "./numbers.js";

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
  /** Of each sample, in order of appearance; relative to the run's origin. */
  readonly times: Numbers;
  /** A scalar's. */
  readonly values: Numbers;
  readonly sums: Numbers;
  readonly counts: Numbers;
  private samples = 0;
  private last = NaN;
  private indexByTime: Map<number, number> | undefined;

  /** @param expected how many samples there will be, most likely */
  constructor(
    readonly identity: { readonly endpointUrl: string; readonly family: Family; readonly labels: Labels },
    private readonly expected = 0,
  ) {
    this.times = new Numbers(expected);
    this.values = new Numbers(expected);
    this.sums = new Numbers(expected);
    this.counts = new Numbers(expected);
  }

  get length(): number {
    return this.samples;
  }

  /** Rows [from, to) of a scalar. */
  addScalars(times: CodedNumbers, values: CodedNumbers, from: number, to: number): void {
    if (this.indexByTime === undefined && this.ascends(times, from, to)) {
      this.times.append(this.samples, times, from, 1, to - from);
      this.values.append(this.samples, values, from, 1, to - from);
      this.samples += to - from;
      this.last = at(times, to - 1);
      return;
    }
    for (let row = from; row < to; row++) this.values.set(this.indexOf(at(times, row)), at(values, row));
  }

  /** Rows [from, to) of a histogram. */
  addBuckets(times: CodedNumbers, rows: BucketRows, from: number, to: number): void {
    const byCode: Numbers[] = [];
    // What a piece of the file cut off, then whole samples, then what the end cuts off.
    const first = this.addEach(times, rows, byCode, from, Math.min(to, sampleEnd(times.codes, from, to)));
    const { width, end } = regularStretch(times.codes, rows.boundCodes, first, to);
    if (end > first && this.indexByTime === undefined && this.ascends(times, first, end, width)) {
      const known = this.samples;
      const count = (end - first) / width;
      this.times.append(known, times, first, width, count);
      this.sums.append(known, rows.sums, first, width, count);
      this.counts.append(known, rows.counts, first, width, count);
      for (let b = 0; b < width; b++)
        this.bucketOf(byCode, rows, first + b).append(known, rows.cells, first + b, width, count);
      this.samples += count;
      this.last = at(times, end - 1);
      this.addEach(times, rows, byCode, end, to);
    } else {
      this.addEach(times, rows, byCode, first, to);
    }
  }

  /** Rows [from, to) of a histogram of which the buckets were not read. */
  addTotals(times: CodedNumbers, sums: CodedNumbers, counts: CodedNumbers, from: number, to: number): void {
    let before = ABSENT;
    for (let row = from; row < to; row++) {
      const code = times.codes[row] ?? ABSENT;
      if (code === before || counts.codes[row] === ABSENT) continue;
      before = code;
      const index = this.indexOf(at(times, row));
      this.sums.set(index, at(sums, row));
      this.counts.set(index, at(counts, row));
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
        this.sums.set(index, at(rows.sums, row));
        this.counts.set(index, at(rows.counts, row));
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
    const times = this.times.view(this.samples);
    return Int32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  /** Lets go of the samples, once they stand elsewhere. */
  release(): void {
    for (const numbers of [this.times, this.values, this.sums, this.counts, ...this.buckets.values()])
      numbers.release();
    this.indexByTime = undefined;
    this.samples = 0;
  }

  private bucketAt(bound: string): Numbers {
    return getOrInsert(this.buckets, bound, () => new Numbers(this.expected));
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
    if (time === this.last) return this.samples - 1;
    if (this.indexByTime === undefined && (this.samples === 0 || time > this.last)) return this.add(time);
    // Rows out of order: a time may come back.
    this.indexByTime ??= new Map(Array.from(this.times.view(this.samples), (known, i) => [known, i]));
    const known = this.indexByTime.get(time);
    if (known !== undefined) return known;
    this.indexByTime.set(time, this.samples);
    return this.add(time);
  }

  private add(time: number): number {
    this.last = time;
    this.times.set(this.samples, time);
    return this.samples++;
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

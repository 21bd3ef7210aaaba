import type { Family, Labels } from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { ABSENT } from "./data-page.js";
import type { DecodedNumbers, DecodedTexts } from "./decode.js";

/** Rows of scalars: a sample each. */
export interface ScalarRows {
  readonly times: DecodedNumbers;
  readonly values: DecodedNumbers;
}

/** Rows of histograms: one a bound and time. */
export interface HistogramRows {
  readonly times: DecodedNumbers;
  readonly sums: DecodedNumbers;
  readonly counts: DecodedNumbers;
  /** Absent where the buckets were not read. */
  readonly buckets: { readonly bounds: DecodedTexts; readonly cells: DecodedNumbers } | undefined;
}

function at({ codes, values }: DecodedNumbers, row: number): number {
  return values[codes[row] ?? ABSENT] ?? NaN;
}

/** A vector of numbers that grows; NaN where nothing was set. */
export class Numbers {
  private data: Float64Array;

  /** @param expected how many there will be, most likely */
  constructor(expected: number) {
    this.data = new Float64Array(expected).fill(NaN);
  }

  set(index: number, value: number): void {
    if (index >= this.data.length) this.grow(index + 1);
    this.data[index] = value;
  }

  /** The first ones. Valid until the next one is set. */
  view(length: number): Float64Array {
    if (length > this.data.length) this.grow(length);
    return this.data.subarray(0, length);
  }

  private grow(length: number): void {
    const before = this.data;
    this.data = new Float64Array(Math.max(length, 2 * before.length)).fill(NaN, before.length);
    this.data.set(before);
  }
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
    const isHistogram = identity.family.type === "histogram";
    this.times = new Numbers(expected);
    this.values = new Numbers(isHistogram ? 0 : expected);
    this.sums = new Numbers(isHistogram ? expected : 0);
    this.counts = new Numbers(isHistogram ? expected : 0);
  }

  get length(): number {
    return this.samples;
  }

  /** Rows [from, to) of a scalar. */
  addScalars({ times, values }: ScalarRows, from: number, to: number): void {
    for (let row = from; row < to; row++) this.values.set(this.indexOf(at(times, row)), at(values, row));
  }

  /** Rows [from, to) of a histogram. */
  addHistogram({ times, sums, counts, buckets }: HistogramRows, from: number, to: number): void {
    const byCode: Numbers[] = [];
    const { codes } = buckets?.bounds ?? counts;
    let before = NaN;
    let index = -1;
    for (let row = from; row < to; row++) {
      const code = codes[row] ?? ABSENT;
      if (code === ABSENT) continue;
      const time = at(times, row);
      if (time !== before) {
        before = time;
        index = this.indexOf(time);
        this.sums.set(index, at(sums, row));
        this.counts.set(index, at(counts, row));
      }
      if (buckets === undefined) continue;
      const cells = (byCode[code] ??= this.bucketAt(buckets.bounds.values[code] ?? ""));
      cells.set(index, at(buckets.cells, row));
    }
  }

  /** Positions of the samples in time order; undefined when that is their own. */
  order(): Int32Array | undefined {
    if (this.indexByTime === undefined) return undefined;
    const times = this.times.view(this.samples);
    return Int32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  private bucketAt(bound: string): Numbers {
    return getOrInsert(this.buckets, bound, () => new Numbers(this.expected));
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

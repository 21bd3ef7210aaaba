import type { Family, Labels } from "../../core/model/index.js";

export interface SeriesIdentity {
  readonly endpointUrl: string;
  readonly family: Family;
  readonly labels: Labels;
}

/** A vector of numbers that grows. */
class Numbers {
  private data = new Float64Array(16);
  length = 0;

  set(index: number, value: number): void {
    if (index >= this.data.length) {
      const grown = new Float64Array(Math.max(index + 1, this.data.length * 2));
      grown.set(this.data.subarray(0, this.length));
      this.data = grown;
    }
    if (index > this.length) this.data.fill(NaN, this.length, index);
    this.data[index] = value;
    if (index >= this.length) this.length = index + 1;
  }

  /** NaN where nothing was set. */
  at(index: number): number {
    return index < this.length ? (this.data[index] ?? NaN) : NaN;
  }
}

/** The samples of one series as its rows come: one sample a time, of a histogram from a row per bound. */
export class SeriesSamplesBuilder {
  /** Of each sample, in order of appearance; relative to the run's origin. */
  readonly times: number[] = [];
  /** A scalar's. */
  readonly values = new Numbers();
  readonly sums = new Numbers();
  readonly counts = new Numbers();
  /** Cumulative counts by the bound's text. */
  readonly buckets = new Map<string, Numbers>();
  private last = NaN;
  private indexByTime: Map<number, number> | undefined;
  private lastBound = "";
  private lastBucket: Numbers | undefined;

  constructor(readonly identity: SeriesIdentity) {}

  scalar(time: number, value: number): void {
    this.values.set(this.indexOf(time), value);
  }

  bucket(time: number, bound: string, cumulative: number, sum: number, count: number): void {
    const index = this.indexOf(time);
    this.sums.set(index, sum);
    this.counts.set(index, count);
    if (bound !== this.lastBound || this.lastBucket === undefined) {
      this.lastBound = bound;
      this.lastBucket = this.buckets.get(bound);
      if (this.lastBucket === undefined) this.buckets.set(bound, (this.lastBucket = new Numbers()));
    }
    this.lastBucket.set(index, cumulative);
  }

  /** Samples in time order: indexes into the times and values. */
  order(): Int32Array {
    const order = Int32Array.from(this.times, (_, i) => i);
    if (this.indexByTime !== undefined) order.sort((a, b) => (this.times[a] ?? 0) - (this.times[b] ?? 0));
    return order;
  }

  private indexOf(time: number): number {
    if (time === this.last) return this.times.length - 1;
    if (this.indexByTime === undefined && (this.times.length === 0 || time > this.last)) return this.add(time);
    // Rows out of order: a time may come back.
    this.indexByTime ??= new Map(this.times.map((known, i) => [known, i]));
    const known = this.indexByTime.get(time);
    if (known !== undefined) return known;
    this.indexByTime.set(time, this.times.length);
    return this.add(time);
  }

  private add(time: number): number {
    this.last = time;
    return this.times.push(time) - 1;
  }
}

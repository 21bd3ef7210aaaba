import type { EndpointId, ScrapeError } from "../model/index.js";
import { Float64Vector } from "./growable.js";

export type RowKind = "update" | "duplicate" | "failed";

/** The time axis of one endpoint: one row a scrape, in order of arrival. All times are OffsetNs. */
export class EndpointAxis {
  readonly times = new Float64Vector();
  readonly latencies = new Float64Vector();
  readonly requestsSent = new Float64Vector();
  /** Position of each row among all scrapes of the store. */
  readonly sequence = new Float64Vector();
  readonly errors = new Map<number, ScrapeError>();
  private readonly duplicates = new Set<number>();
  private sorted = true;
  private order: { readonly rows: number; readonly permutation: Int32Array } | undefined;

  constructor(
    readonly id: EndpointId,
    readonly url: string,
  ) {}

  get rows(): number {
    return this.times.length;
  }

  get failures(): number {
    return this.errors.size;
  }

  kind(row: number): RowKind {
    return this.errors.has(row) ? "failed" : this.duplicates.has(row) ? "duplicate" : "update";
  }

  add(
    time: number,
    latency: number,
    requestSent: number,
    sequence: number,
    kind: RowKind,
    error?: ScrapeError,
  ): number {
    const row = this.rows;
    if (row > 0 && time < this.times.at(row - 1)) this.sorted = false;
    this.times.push(time);
    this.latencies.push(latency);
    this.requestsSent.push(requestSent);
    this.sequence.push(sequence);
    if (kind === "duplicate") this.duplicates.add(row);
    if (kind === "failed") this.errors.set(row, error ?? { type: "other", message: "the scrape failed" });
    return row;
  }

  /** The first row at that position among all scrapes of the store, or after it. */
  rowOfSequence(position: number): number {
    let [low, high] = [0, this.rows];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sequence.at(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rows in time order (stable), or undefined when they arrived in it. */
  timeOrder(): Int32Array | undefined {
    if (this.sorted) return undefined;
    if (this.order?.rows !== this.rows) {
      const times = this.times.view();
      const permutation = Int32Array.from({ length: this.rows }, (_, row) => row);
      permutation.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
      this.order = { rows: this.rows, permutation };
    }
    return this.order.permutation;
  }
}

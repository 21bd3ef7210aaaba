import {
  labelKey,
  type EndpointId,
  type ScrapeError,
  type Family,
  type LabelKey,
  type Labels,
} from "../model/index.js";
import { Float64Vector } from "./memory.js";
import { getOrInsert } from "../math/index.js";
import type { Plan } from "./plan.js";
import type { StoredSeries } from "./series.js";
import { lowerBound } from "./window.js";

export type RowKind = "update" | "duplicate" | "failed";

/** An axis as plain data. */
export interface AxisPart {
  readonly url: string;
  readonly times: Float64Array;
  readonly latencies: Float64Array;
  readonly requestsSent: Float64Array;
  readonly sequence: Float64Array;
  readonly errors: ReadonlyMap<number, ScrapeError>;
  readonly duplicates: ReadonlySet<number>;
}

/** The time axis of one endpoint: one row per scrape, in order of arrival. All times are OffsetNs. */
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

  /** As it stands now. */
  part(): AxisPart {
    const { url, errors, duplicates } = this;
    return {
      url,
      times: this.times.view().slice(),
      latencies: this.latencies.view().slice(),
      requestsSent: this.requestsSent.view().slice(),
      sequence: this.sequence.view().slice(),
      errors,
      duplicates,
    };
  }

  /** Takes over all rows of another. */
  addAll({ times, latencies, requestsSent, sequence, errors, duplicates }: AxisPart): void {
    times.forEach((time, row) => {
      const error = errors.get(row);
      const kind = error !== undefined ? "failed" : duplicates.has(row) ? "duplicate" : "update";
      this.add(time, latencies[row] ?? 0, requestsSent[row] ?? 0, sequence[row] ?? 0, kind, error);
    });
  }

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
    return lowerBound(this.sequence.view(), position);
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

/** What tells the families of a store apart: a gauge and a counter may share a name. */
export function familyKey({ type, name }: Pick<Family, "type" | "name">): string {
  return `${type} ${name}`;
}

/** An endpoint's series over its time axis, and the plan by which its next scrape is appended. */
export class EndpointSeries {
  readonly series: StoredSeries[] = [];
  plan: Plan | undefined;
  /** By family, then by labels: a key of both would be one more string for each series. */
  private readonly byFamily = new Map<string, Map<LabelKey, StoredSeries>>();

  constructor(readonly axis: EndpointAxis) {}

  find(family: Pick<Family, "type" | "name">, labels: Labels): StoredSeries | undefined {
    return this.byFamily.get(familyKey(family))?.get(labelKey(labels));
  }

  add(series: StoredSeries): void {
    this.series.push(series);
    this.setKey(series);
  }

  /** Gives the series of a family another one. */
  retype({ name, type }: Family, retyped: Family): void {
    for (const series of this.series) {
      const { labels, family: before } = series.key;
      if (before.name !== name || before.type !== type) continue;
      this.byFamily.get(familyKey(before))?.delete(labelKey(labels));
      series.key = { ...series.key, family: retyped };
      this.setKey(series);
    }
  }

  private setKey(series: StoredSeries): void {
    const { family, labels } = series.key;
    const key = familyKey(family);
    const ofFamily = getOrInsert(this.byFamily, key, () => new Map<LabelKey, StoredSeries>());
    ofFamily.set(labelKey(labels), series);
  }
}

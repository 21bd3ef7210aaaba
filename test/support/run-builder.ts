import {
  boundText,
  boundValue,
  durationNs,
  epochNs,
  makeLabels,
  type Family,
  type MetricType,
  type SampleBatch,
  type SampleDef,
  type Scrape,
} from "../../src/core/model/index.js";
import type { JsonObject } from "../../src/core/text/index.js";
import { Run, Store } from "../../src/core/store/index.js";

export const ORIGIN = epochNs(1_765_000_000_000_000_001n);
export const SECOND = 1_000_000_000;

/** One sample of a scrape under construction. */
export type TestSample =
  | {
      readonly name: string;
      readonly type?: Exclude<MetricType, "histogram">;
      readonly description?: string;
      readonly labels?: Record<string, string>;
      readonly value: number;
    }
  | {
      readonly name: string;
      readonly labels?: Record<string, string>;
      /** Cumulative, by bound. */
      readonly buckets: Record<string, number>;
      readonly sum?: number;
      readonly count?: number;
    };

/** Turns plain samples into the batches a parser would give: ids stay the same from scrape to scrape. */
export class BatchBuilder {
  private readonly defs: SampleDef[] = [];
  private readonly idByKey = new Map<string, number>();

  batch(samples: readonly TestSample[]): SampleBatch {
    const ids: number[] = [];
    const values: number[] = [];
    const add = (family: Family, labels: Record<string, string>, part: SampleDef["part"], value: number) => {
      const key = JSON.stringify([family.name, labels, part.kind, part.kind === "bucket" ? part.bound : ""]);
      let id = this.idByKey.get(key);
      if (id === undefined) {
        id = this.defs.length;
        this.defs.push({ family, labels: makeLabels(Object.entries(labels)), part });
        this.idByKey.set(key, id);
      }
      ids.push(id);
      values.push(value);
    };
    for (const sample of samples) {
      const labels = sample.labels ?? {};
      if ("buckets" in sample) {
        const family: Family = { name: sample.name, type: "histogram", description: "" };
        for (const [bound, n] of Object.entries(sample.buckets)) {
          add(family, labels, { kind: "bucket", bound: boundText(bound), upper: boundValue(bound) }, n);
        }
        if (sample.sum !== undefined) add(family, labels, { kind: "sum" }, sample.sum);
        if (sample.count !== undefined) add(family, labels, { kind: "count" }, sample.count);
      } else {
        add(
          { name: sample.name, type: sample.type ?? "gauge", description: sample.description ?? "" },
          labels,
          { kind: "value" },
          sample.value,
        );
      }
    }
    return { defs: this.defs, ids: Int32Array.from(ids), values: Float64Array.from(values), length: ids.length };
  }
}

/** Builds a run scrape by scrape, seconds from ORIGIN. */
export class RunBuilder {
  readonly run: Run;
  private readonly batches = new Map<string, BatchBuilder>();

  constructor(sliceDurationSeconds = 5, inputConfig: JsonObject = {}) {
    this.run = new Run(
      {
        benchmarkId: "00000000-0000-4000-8000-000000000000",
        endpointsConfigured: ["http://a:1/metrics"],
        sliceDurationSeconds,
        inputConfig,
      },
      new Store(ORIGIN),
    );
  }

  scrape(
    seconds: number,
    samples: readonly TestSample[] | "duplicate" | "failed",
    endpointUrl = "http://a:1/metrics",
  ): this {
    const time = epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));
    const base = { endpointUrl, time, latency: durationNs(2_000_000), requestSent: epochNs(time - 2_000_000n) };
    this.run.store.append({ ...base, outcome: this.outcome(endpointUrl, samples) });
    return this;
  }

  window(start: number, end: number): this {
    this.run.setProfilingStart(epochNs(ORIGIN + BigInt(Math.round(start * SECOND))));
    this.run.setProfilingEnd(epochNs(ORIGIN + BigInt(Math.round(end * SECOND))));
    return this;
  }

  private outcome(url: string, samples: readonly TestSample[] | "duplicate" | "failed"): Scrape["outcome"] {
    if (samples === "duplicate") return { kind: "duplicate" };
    if (samples === "failed") return { kind: "failed", error: { type: "refused", message: "connection refused" } };
    let builder = this.batches.get(url);
    if (builder === undefined) this.batches.set(url, (builder = new BatchBuilder()));
    return { kind: "samples", batch: builder.batch(samples) };
  }
}

import { makeLabels, offsetNs, PERCENTILES, type MetricType } from "../../../src/core/model/index.js";
import { configurationTree } from "../../../src/core/query/overview.js";
import type { SnapshotTable, StatisticsTable, TimesliceTable } from "../../../src/protocol/index.js";
import { A, WARMUP, FAMILIES, seriesOf, valueAt, bucketOf, type SyntheticRun } from "./data.js";

/* Tables of the made-up run, its configuration, and a snapshot. */

const KEYS: { readonly [T in MetricType]: readonly string[] } = {
  gauge: ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "gaps"],
  unknown: ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "gaps"],
  counter: ["total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std", "resets"],
  histogram: ["count", "count_rate", "sum", "sum_rate", "avg", ...PERCENTILES.map((p) => `p${p}_estimate`), "resets"],
};
const SLICE_KEYS: { readonly [T in MetricType]: readonly string[] } = {
  gauge: ["avg", "min", "max"],
  unknown: ["avg", "min", "max"],
  counter: ["total", "rate"],
  histogram: ["count", "sum", "avg", "p50", "p90", "p99"],
};
const column = (key: string) => ({ key, title: key.replace(/_estimate$/, "").replace(/_/g, " ") });

export function statistics(which: { readonly family: string } | { readonly type: MetricType }): StatisticsTable {
  const sources = FAMILIES.filter((one) => ("family" in which ? one.name === which.family : one.type === which.type));
  const type = sources[0]?.type ?? "unknown";
  const keys = KEYS[type];
  const rows = sources.flatMap((source) => seriesOf(source).map((one) => ({ source, one })));
  const values = Float64Array.from(
    rows.flatMap(({ source, one }) =>
      keys.map((key, k) => (key === "gaps" || key === "resets" ? NaN : valueAt(source, one.id % 10_000, k * 9 + 20))),
    ),
  );
  const bound = (which: 0 | 1) =>
    values.map((value, i) => (keys[i % keys.length]?.endsWith("_estimate") === true ? bucketOf(value)[which] : NaN));
  return {
    type,
    columns: keys.map(column),
    ...(type === "histogram"
      ? {
          estimates: {
            lower: bound(0),
            upper: bound(1),
            low: values.map((value, i) =>
              Number.isNaN(bound(0)[i] ?? NaN) ? NaN : Math.max(bound(0)[i] ?? NaN, 0.95 * value),
            ),
            high: values.map((value, i) =>
              Number.isNaN(bound(0)[i] ?? NaN) ? NaN : Math.min(bound(1)[i] ?? NaN, 1.05 * value),
            ),
            linear: bound(0).map((lower, i) => lower + 0.4 * (Math.min(0.35, bound(1)[i] ?? NaN) - lower)),
          },
        }
      : {}),
    rows: rows.map(({ source, one }, i) => ({
      series: one.id,
      family: source.name,
      endpointUrl: one.endpointUrl,
      labels: one.labels,
      ...(i === 3 ? { note: "restarted once: increase across restarts" } : {}),
    })),
    values,
  };
}

export function timeslices(run: SyntheticRun, name: string): TimesliceTable {
  const source = FAMILIES.find((one) => one.name === name);
  const type = source?.type ?? "unknown";
  const keys = SLICE_KEYS[type];
  const end = run.now();
  const rows: TimesliceTable["rows"][number][] = [];
  const values: number[] = [];
  for (const one of source === undefined ? [] : seriesOf(source)) {
    for (let t = WARMUP; t < end; t += run.sliceSeconds) {
      const to = Math.min(end, t + run.sliceSeconds);
      rows.push({
        series: one.id,
        endpointUrl: one.endpointUrl,
        labels: one.labels,
        start: offsetNs(t * 1e9),
        end: offsetNs(to * 1e9),
        complete: to - t === run.sliceSeconds,
      });
      for (let k = 0; k < keys.length; k++)
        values.push(source === undefined ? NaN : valueAt(source, one.id % 10_000, t + k));
    }
  }
  return {
    family: name,
    type,
    ...(source?.unit === undefined ? {} : { unit: source.unit }),
    columns: keys.map(column),
    rows,
    values: Float64Array.from(values),
  };
}

export const CONFIGURATION = configurationTree({
  endpoint: { model_names: ["meta-llama/Llama-3.1-70B-Instruct"], url: "http://10.0.0.11:8000", streaming: true },
  loadgen: { concurrency: 128, request_count: 10_000, random_seed: 9_007_199_254_740_993n, "warm-up": null },
  server_metrics: ["http://10.0.0.11:8000/metrics", "http://10.0.0.12:8000/metrics"],
});

/** One scrape of the first endpoint. */
export function snapshot(): SnapshotTable {
  const rows = FAMILIES.slice(0, 9).flatMap((source) =>
    source.labelSets.slice(0, 3).map((labels) => ({
      family: source.name,
      type: source.type,
      ...(source.unit === undefined ? {} : { unit: source.unit }),
      endpointUrl: A,
      labels,
    })),
  );
  const none = () => Float64Array.from({ length: rows.length * 7 }, () => NaN);
  const [values, lower, upper, low, high, linear] = [none(), none(), none(), none(), none(), none()];
  rows.forEach(({ family: name, type }, i) => {
    const level = FAMILIES.find((source) => source.name === name)?.level ?? 0;
    if (type === "histogram") values.set([NaN, 1200, 1200 * level, level, level * 0.8, level * 2, level * 4], i * 7);
    else values.set([level], i * 7);
    if (type !== "histogram") return;
    lower.set([0.1, 0.25, 0.5], i * 7 + 4);
    upper.set([0.25, 0.5, Infinity], i * 7 + 4);
    low.set([0.19, 0.36, 0.6], i * 7 + 4);
    high.set([0.23, 0.44, 0.9], i * 7 + 4);
    linear.set([0.2, 0.4, 0.5], i * 7 + 4);
  });
  return {
    columns: ["value", "count", "sum", "avg", "p50", "p90", "p99"].map((key) => ({ key, title: key })),
    rows: [
      ...rows,
      {
        family: "vllm:spec_decode_num_accepted_tokens_per_pos",
        type: "counter",
        endpointUrl: A,
        labels: makeLabels([["position", "0…3"]]),
        positions: [9210, 7004, 4410, 1203],
      },
    ],
    values: Float64Array.from([...values, ...Array.from({ length: 7 }, () => NaN)]),
    estimates: { lower, upper, low, high, linear },
  };
}

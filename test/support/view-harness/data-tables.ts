import {
  makeLabels,
  offsetNs,
  PERCENTILES,
  type MetricType,
  type QuantileEstimate,
} from "../../../src/core/model/index.js";
import { configurationTree } from "../../../src/core/query/overview.js";
import type { RowCells, SnapshotTable, StatisticsTable, TimesliceTable } from "../../../src/protocol/index.js";
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
  return {
    type,
    columns: keys.map(column),
    rows: rows.map(({ source, one }, i) => {
      const values = keys.flatMap((key, k) =>
        key === "gaps" || key === "resets" ? [] : [[key, valueAt(source, one.id % 10_000, k * 9 + 20)] as const],
      );
      const estimates = values.filter(([key]) => key.endsWith("_estimate"));
      return {
        series: one.id,
        family: source.name,
        endpointUrl: one.endpointUrl,
        labels: one.labels,
        ...(i === 3 ? { note: "restarted once: increase across restarts" } : {}),
        values: Object.fromEntries(values),
        ...(type === "histogram"
          ? { estimates: Object.fromEntries(estimates.map(([key, value]) => [key, estimateOf(value)])) }
          : {}),
      };
    }),
  };
}

function estimateOf(value: number): QuantileEstimate {
  const [lower, upper] = bucketOf(value);
  return {
    value,
    lower,
    upper,
    interval: [Math.max(lower, 0.95 * value), Math.min(upper, 1.05 * value)],
    linear: lower + 0.4 * (Math.min(0.35, upper) - lower),
    extrapolated: upper === Infinity,
  };
}

export function timeslices(run: SyntheticRun, name: string): TimesliceTable {
  const source = FAMILIES.find((one) => one.name === name);
  const type = source?.type ?? "unknown";
  const keys = SLICE_KEYS[type];
  const end = run.now();
  const rows: TimesliceTable["rows"][number][] = [];
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
        values: Object.fromEntries(
          keys.map((key, k) => [key, source === undefined ? NaN : valueAt(source, one.id % 10_000, t + k)]),
        ),
      });
    }
  }
  return {
    family: name,
    type,
    ...(source?.unit === undefined ? {} : { unit: source.unit }),
    columns: keys.map(column),
    rows,
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
      ...cellsOf(source),
    })),
  );
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
        values: {},
      },
    ],
  };
}

function cellsOf({ type, level }: (typeof FAMILIES)[number]): RowCells {
  if (type !== "histogram") return { values: { value: level } };
  const estimate = (value: number, numbers: readonly [number, number, number, number, number]) => {
    const [lower, upper, low, high, linear] = numbers;
    return { value, lower, upper, interval: [low, high], linear, extrapolated: upper === Infinity } as const;
  };
  const [p50, p90, p99] = [level * 0.8, level * 2, level * 4];
  return {
    values: { count: 1200, sum: 1200 * level, avg: level, p50, p90, p99 },
    estimates: {
      p50: estimate(p50, [0.1, 0.25, 0.19, 0.23, 0.2]),
      p90: estimate(p90, [0.25, 0.5, 0.36, 0.44, 0.4]),
      p99: estimate(p99, [0.5, Infinity, 0.6, 0.9, 0.5]),
    },
  };
}

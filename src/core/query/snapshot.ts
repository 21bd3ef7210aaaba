import { labelValue, formatLabels, boundValue, type Labels } from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { Run } from "../store/index.js";
import { compareSeries } from "./series.js";
import { vectorLabelOf, shownUnit } from "../catalog/index.js";
import { estimateFromBuckets } from "../stats/index.js";
import { shownFamilies } from "./families.js";
import { histogramCells, SLICE_QUANTILE_KEYS, SLICE_QUANTILES } from "./estimate-cells.js";
import type { RowCells, SnapshotTable } from "./types/index.js";

interface SnapshotBase {
  readonly name: string;
  readonly labels: Labels;
}

/** One metric as it stands at one moment. */
export type SnapshotMetric =
  | (SnapshotBase & { readonly kind: "Counter" | "Gauge"; readonly value: number })
  | (SnapshotBase & {
      readonly kind: "Histogram";
      readonly count: number;
      readonly sum: number;
      readonly buckets: readonly (readonly [bound: string, cumulative: number])[];
    })
  /** Series that differ in one numeric label only, in its order. Missing positions are NaN. */
  | (SnapshotBase & { readonly kind: "Vector"; readonly label: string; readonly values: readonly number[] });

/**
 * The newest sample of every series, those of a family by their labels. Series that differ in an index alone (a counter
 * per position) become one vector.
 * @param vectorLabelOf the label that is an index in a family, if it has one
 */
export function snapshotOf(run: Run, vectorLabelOf: (family: string) => string | undefined): SnapshotMetric[] {
  const metrics: SnapshotMetric[] = [];
  const vectors = new Map<
    string,
    {
      readonly at: number;
      readonly label: string;
      readonly name: string;
      readonly labels: Labels;
      readonly byIndex: Map<number, number>;
    }
  >();
  const families = groupBy([...run.store.seriesKeys()], ({ family }) => family.name);
  for (const key of [...families.values()].flatMap((keys) => keys.sort(compareSeries))) {
    const { name } = key.family;
    const samples = run.store.read(key.id);
    if (samples.kind === "histogram") {
      const segment = samples.segments.at(-1);
      if (segment === undefined) continue;
      const buckets = segment.bounds.map((bound, b) => [bound, segment.buckets[b]?.at(-1) ?? NaN] as const);
      metrics.push({
        kind: "Histogram",
        name,
        labels: key.labels,
        count: segment.counts.at(-1) ?? NaN,
        sum: segment.sums.at(-1) ?? NaN,
        buckets,
      });
      continue;
    }
    const value = samples.values.at(-1) ?? NaN;
    const label = vectorLabelOf(name);
    const index = label === undefined ? undefined : indexOf(key.labels, label);
    if (label === undefined || index === undefined) {
      metrics.push({ kind: key.family.type === "counter" ? "Counter" : "Gauge", name, labels: key.labels, value });
      continue;
    }
    const labels = key.labels.filter(([candidate]) => candidate !== label);
    const id = name + formatLabels(labels);
    let vector = vectors.get(id);
    if (vector === undefined) {
      vectors.set(id, (vector = { at: metrics.length, label, name, labels, byIndex: new Map() }));
      metrics.push({ kind: "Vector", name, labels, label, values: [] });
    }
    vector.byIndex.set(index, value);
  }
  for (const { at, label, name, labels, byIndex } of vectors.values()) {
    const values = Array.from({ length: Math.max(...byIndex.keys()) + 1 }, (_, i) => byIndex.get(i) ?? NaN);
    metrics[at] = { kind: "Vector", name, labels, label, values };
  }
  return metrics;
}

/** Positions beyond this are not a vector but identities that happen to be numbers. */
const MAX_INDEX = 10_000;

function indexOf(labels: Labels, label: string): number | undefined {
  const text = labelValue(labels, label);
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const index = Number(text);
  return index <= MAX_INDEX ? index : undefined;
}

const COLUMNS = ["value", "count", "sum", "avg", ...SLICE_QUANTILE_KEYS];

/**
 * Every series of a single scrape as it stands: counters and histograms since their server's start, an indexed family
 * as one row.
 */
export function snapshotTable(run: Run): SnapshotTable {
  const families = new Map(shownFamilies(run).map((family) => [family.name, family]));
  const endpointUrl = run.store.endpoints[0]?.url ?? "";
  const rows: SnapshotTable["rows"][number][] = [];
  for (const metric of snapshotOf(run, vectorLabelOf)) {
    const family = families.get(metric.name);
    const unit = family === undefined ? undefined : shownUnit(family);
    rows.push({
      family: metric.name,
      type: family?.type ?? "unknown",
      ...(unit === undefined ? {} : { unit }),
      endpointUrl,
      labels: labelsOf(metric),
      ...(metric.kind === "Vector" ? { positions: metric.values } : {}),
      ...cellsOf(metric),
    });
  }
  return { columns: COLUMNS.map((key) => ({ key, title: key })), rows };
}

function cellsOf(metric: SnapshotMetric): RowCells {
  switch (metric.kind) {
    case "Vector":
      return { values: {} };
    case "Histogram": {
      const { count, sum } = metric;
      return histogramCells({ count, sum, avg: count > 0 ? sum / count : NaN }, estimatesOf(metric));
    }
    case "Counter":
    case "Gauge":
      return { values: { value: metric.value } };
  }
}

/** A vector's labels, with the one that counts its positions as a range. */
function labelsOf(metric: SnapshotMetric): Labels {
  return metric.kind === "Vector" ? [...metric.labels, [metric.label, `0…${metric.values.length - 1}`]] : metric.labels;
}

function estimatesOf({ buckets, sum, count }: SnapshotMetric & { kind: "Histogram" }) {
  if (buckets.length < 3 || !(count > 0)) return [];
  const uppers = Float64Array.from(buckets, ([bound]) => boundValue(bound));
  const totals = Float64Array.from(buckets, ([, cumulative], b) =>
    Math.max(0, cumulative - (buckets[b - 1]?.[1] ?? 0)),
  );
  return estimateFromBuckets(uppers, totals, sum, SLICE_QUANTILES);
}

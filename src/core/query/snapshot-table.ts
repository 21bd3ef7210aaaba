import { vectorLabelOf, shownUnit } from "../catalog/index.js";
import { boundValue, type Labels } from "../model/index.js";
import { estimateFromBuckets } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { shownFamilies } from "./families.js";
import { EstimateCells } from "./estimate-cells.js";
import { snapshotOf, type SnapshotMetric } from "./snapshot.js";
import type { SnapshotTable } from "./types/index.js";

const QUANTILES = [0.5, 0.9, 0.99] as const;
const COLUMNS = ["value", "count", "sum", "avg", ...QUANTILES.map((q) => `p${q * 100}`)];

/**
 * Every series of a single scrape as it stands: counters and histograms since their server's start, an indexed family
 * as one row.
 */
export function snapshotTable(run: Run): SnapshotTable {
  const families = new Map(shownFamilies(run).map((family) => [family.name, family]));
  const endpointUrl = run.store.endpoints[0]?.url ?? "";
  const rows: SnapshotTable["rows"][number][] = [];
  const values: number[] = [];
  const cells = new EstimateCells();
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
    });
    const estimates = metric.kind === "Histogram" ? estimatesOf(metric) : [];
    const plain: readonly number[] =
      metric.kind === "Histogram"
        ? [NaN, metric.count, metric.sum, metric.count > 0 ? metric.sum / metric.count : NaN]
        : [metric.kind === "Vector" ? NaN : metric.value, NaN, NaN, NaN];
    values.push(...plain, ...QUANTILES.map((_, q) => estimates[q]?.value ?? NaN));
    plain.forEach(() => cells.add(undefined));
    QUANTILES.forEach((_, q) => cells.add(estimates[q]));
  }
  return {
    columns: COLUMNS.map((key) => ({ key, title: key })),
    rows,
    values: Float64Array.from(values),
    estimates: cells.bounds,
  };
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
  return estimateFromBuckets(uppers, totals, sum, QUANTILES);
}

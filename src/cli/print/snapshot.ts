import { jsonText } from "../../core/artifacts/index.js";
import { familyEntry, formatValue, shownUnit, titledName, vectorLabelOf } from "../../core/catalog/index.js";
import { formatLabels } from "../../core/model/index.js";
import { shownFamilies, snapshotOf, type SnapshotMetric } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";

/** The newest value of every series of a run, or of some families'. */
export function snapshotText(run: Run, json: boolean, includes: (family: string) => boolean = () => true): string {
  const metrics = snapshotOf(run, vectorLabelOf).filter(({ name }) => includes(name));
  const units = new Map(shownFamilies(run).map((known) => [known.name, shownUnit(known)]));
  return json
    ? jsonText(metrics.map(jsonOf))
    : metrics
        .map((metric) => line(metric, units.get(metric.name)) + titleText(metric.name) + bucketsText(metric))
        .join("\n");
}

/** The catalogue's title, where it has one, behind the family's other columns. */
function titleText(name: string): string {
  return familyEntry(name) === undefined ? "" : `  # ${titledName(name).title}`;
}

/** A histogram's cumulative buckets in a line of their own, as the CSV has them. */
function bucketsText(metric: SnapshotMetric): string {
  if (metric.kind !== "Histogram") return "";
  return `\n${" ".repeat(10)}buckets ${metric.buckets.map(([bound, count]) => `${bound}=${count}`).join(";")}`;
}

/** Buckets as a map: bounds such as "1" are keys that a plain object would put before "0.5". */
function jsonOf(metric: SnapshotMetric) {
  const labels = new Map(metric.labels);
  switch (metric.kind) {
    case "Counter":
    case "Gauge":
      return { kind: metric.kind, name: metric.name, labels, value: metric.value };
    case "Vector":
      return { kind: metric.kind, name: metric.name, labels, label: metric.label, values: metric.values };
    case "Histogram":
      return {
        kind: metric.kind,
        name: metric.name,
        labels,
        count: metric.count,
        sum: metric.sum,
        buckets: new Map(metric.buckets),
      };
  }
}

function line(metric: SnapshotMetric, unit: string | undefined): string {
  const head = `${metric.kind.padEnd(9)} ${metric.name}${formatLabels(metric.labels)}`;
  switch (metric.kind) {
    case "Counter":
    case "Gauge":
      return `${head} ${formatValue(metric.value, unit)}`;
    case "Vector":
      return `${head} [${metric.values.map((value) => formatValue(value, unit)).join(", ")}] by ${metric.label}`;
    case "Histogram":
      return `${head} count ${metric.count}, sum ${formatValue(metric.sum, unit)}, avg ${metric.count > 0 ? formatValue(metric.sum / metric.count, unit) : "-"}`;
  }
}

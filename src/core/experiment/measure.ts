import {
  conceptNamed,
  familiesNamed,
  formatValue,
  isClientFamily,
  joiningOf,
  rateUnit,
  shownUnit,
} from "../catalog/index.js";
import { directionOf, measure, measureShare, shareError, type MeasuredRun } from "../compare/index.js";
import { clientFamily, statisticsOfRequests, type ClientResult } from "../client/index.js";
import { PERCENTILES, type PercentileKey } from "../model/index.js";
import { judgedName, type JudgedMetric } from "./definition.js";

/** A metric of one run. Plain data: the experiment's journal keeps it. */
export interface MetricValue {
  readonly value: number;
  /** Standard error as a statement of what happened: 0 but for what buckets leave open. */
  readonly error: number;
}

/** What a run says of each judged metric, by `judgedName`; a text where it says nothing, and why. */
export type MetricValues = Readonly<Record<string, MetricValue | string>>;

/** A run of an experiment as it was recorded: what the servers said, and what load generators did. */
export interface RecordedRun {
  readonly source: MeasuredRun;
  readonly clients: readonly ClientResult[];
}

/** Measures what is judged of a run. */
export function measureRun(run: RecordedRun, judged: readonly JudgedMetric[]): MetricValues {
  return Object.fromEntries(
    judged.map((one) => {
      const found = isClientFamily(one.metric) ? ofClient(run.clients, one) : ofServer(run.source, one);
      const isKnown = typeof found === "string" || (Number.isFinite(found.value) && Number.isFinite(found.error));
      return [judgedName(one), isKnown ? found : `${judgedName(one)} was not measured`];
    }),
  );
}

/** Is it better when the metric is lower? Undefined where neither the file nor the catalogue says. */
export function betterWhen({ metric, statistic, better }: JudgedMetric): "lower" | "higher" | undefined {
  if (better !== undefined) return better;
  if (statistic.kind === "share") return "higher";
  const direction =
    conceptNamed(metric)?.direction ??
    directionOf(metric, isClientFamily(metric) ? clientFamily(metric).type : "unknown", {});
  return direction === "neutral" ? undefined : direction === "up" ? "higher" : "lower";
}

function ofServer({ series }: MeasuredRun, { metric, statistic }: JudgedMetric): MetricValue | string {
  for (const name of familiesNamed(metric)) {
    const own = series.filter(({ canonical }) => canonical === name);
    const [first] = own;
    if (first === undefined) continue;
    const { family } = first;
    const isHistogram = family.type === "histogram";
    if (statistic.kind === "share") {
      const measured = measureShare(own, statistic.threshold);
      if (measured === undefined) return `${family.name} has no observations`;
      const { share, observations } = measured;
      return { value: share.value, error: shareError(share, observations) };
    }
    const { name: key } = statistic;
    const measured = measure(own, joiningOf(family.type, shownUnit(family)).compared);
    if (measured === undefined || Number.isNaN(measured.value)) return `${family.name} was not measured`;
    const known = isHistogram ? key !== "rate" : key === (family.type === "counter" ? "rate" : "avg");
    if (!known) return `${family.name}, a ${family.type}, has no ${key}`;
    if (key === "avg" || key === "rate") return { value: measured.value, error: 0 };
    const estimate = measured.percentiles?.[PERCENTILES.findIndex((p) => `p${p}` === key)];
    if (estimate === undefined) return `${family.name} has no observations`;
    if (estimate.atLeast) return `${key} of ${family.name} lies beyond its last bucket`;
    return { value: estimate.value, error: estimate.error };
  }
  return `the servers have no ${metric}`;
}

function ofClient(clients: readonly ClientResult[], { metric, statistic }: JudgedMetric): MetricValue | string {
  const requests = clients.flatMap((client) => client.requests);
  const metrics = requests.length > 0 ? statisticsOfRequests(requests) : clients.flatMap(({ stored }) => stored);
  if (clients.length === 0) return "the load generator left no result that could be read";
  const stats = metrics.find(({ family }) => family === metric)?.stats;
  if (stats === undefined) return `the load generator has no ${metric}`;
  if (statistic.kind === "share") return `${metric} has no share_below: the servers' metric has`;
  const { name } = statistic;
  const value = name === "rate" ? undefined : name === "avg" ? stats.avg : stats[name satisfies PercentileKey];
  return value === undefined ? `${metric} has no ${name}` : { value, error: 0 };
}

/** A value of a judged metric for a person. */
export function valueText(value: number, judged: JudgedMetric): string {
  return formatValue(value, valueUnit(judged));
}

/** Of a judged metric's values, as `formatValue` takes it. */
export function valueUnit({ metric, statistic }: JudgedMetric): string | undefined {
  if (statistic.kind === "share") return "ratio";
  const unit = conceptNamed(metric)?.unit ?? shownUnit({ name: metric, description: "" });
  return statistic.name === "rate" ? rateUnit(unit) : unit;
}

import { canonicalName, familyEntry, vectorLabelOf } from "../../catalog/index.js";
import { boundText, boundValue, epochNs, makeLabels, type EpochNs, type Family } from "../../model/index.js";
import { isFields, numberOf, parseJson, type Fields } from "../../text/index.js";
import type { Batches } from "../batches.js";
import { parseIso } from "../json/exact.js";

/** One `llm.get_metrics()` of vLLM: its list of Counter, Gauge, Histogram and Vector. */
export interface MetricDump {
  /** Absent of a list alone. */
  readonly time?: EpochNs;
  readonly metrics: readonly unknown[];
}

/** Whether a text begins as a dump, a list of dumps with their times, or one of several lines of those. */
export function isMetricDump(start: string): boolean {
  const text = start.trimStart();
  const timed = /^\[?\s*\{\s*"(?:timestamp|timestamp_ns|time)"\s*:[^,{}[\]]+,\s*"metrics"\s*:\s*\[/;
  if (timed.test(text) || /^\[?\s*\{\s*"metrics"\s*:\s*\[/.test(text)) return true;
  return /^\[\s*\{[^[\]]*"labels"\s*:/.test(text) && /"(?:value|values|buckets)"\s*:/.test(text);
}

/**
 * Reads the dumps of a text: a list of metrics, an object or a list of objects with `timestamp` (a number of seconds,
 * milliseconds, microseconds or nanoseconds since the epoch, by its size, or ISO 8601) and `metrics`, or such an
 * object a line.
 * @throws Error saying what is wrong, and where
 */
export function readMetricDumps(text: string): readonly MetricDump[] {
  const whole = parsed(text);
  if (whole !== undefined) return dumpsOf(whole.value, "the file");
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const one = parsed(line);
    if (one === undefined) throw new Error(`line ${i + 1} is not JSON`);
    return dumpsOf(one.value, `line ${i + 1}`).map((dump) => timed(dump, `line ${i + 1}`));
  });
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    try {
      // Python writes what is no number as NaN and Infinity, which JSON does not know.
      return { value: parseJson(text.replace(/(?<=[:,[]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g, "null")) };
    } catch {
      return undefined;
    }
  }
}

function dumpsOf(value: unknown, where: string): readonly MetricDump[] {
  if (isFields(value)) return [dumpOf(value, where)];
  if (!Array.isArray(value)) throw new Error(`${where} is neither a list of metrics nor an object with metrics`);
  const entries: readonly unknown[] = value;
  const [first] = entries;
  if (isFields(first) && "metrics" in first)
    return entries.map((entry, i) => {
      if (isFields(entry)) return timed(dumpOf(entry, `entry ${i + 1}`), `entry ${i + 1}`);
      throw new Error(`entry ${i + 1} is not an object with timestamp and metrics`);
    });
  return [{ metrics: entries }];
}

function dumpOf(entry: Fields, where: string): MetricDump {
  const { metrics } = entry;
  if (!Array.isArray(metrics)) throw new Error(`${where} has no list of metrics`);
  const time = timeOf(entry["timestamp"] ?? entry["timestamp_ns"] ?? entry["time"]);
  return time === undefined ? { metrics } : { time, metrics };
}

/** One of several. */
function timed(dump: MetricDump, where: string): MetricDump {
  if (dump.time === undefined) throw new Error(`${where} has no timestamp`);
  return dump;
}

function timeOf(value: unknown): EpochNs | undefined {
  if (typeof value === "string") return parseIso(value)?.time;
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  // Of seconds, 1e11 is the year 5138; of milliseconds 1973.
  const unit = value < 1e11 ? 1e9 : value < 1e14 ? 1e6 : value < 1e17 ? 1e3 : 1;
  // A double has no whole nanoseconds today: whole parts are multiplied exactly.
  const whole = Math.trunc(value);
  return epochNs(BigInt(whole) * BigInt(unit) + BigInt(Math.round((value - whole) * unit)));
}

/**
 * Adds a dump's samples.
 * @returns names whose type nothing tells: they are taken as unknown
 * @throws Error saying which metric cannot be read
 */
export function addMetrics(batches: Batches, metrics: readonly unknown[]): ReadonlySet<string> {
  const untyped = new Set<string>();
  metrics.forEach((metric, i) => {
    const problem = isFields(metric) ? addMetric(batches, metric, untyped) : "it is not an object";
    if (problem !== undefined) throw new Error(`metric ${i + 1} cannot be read: ${problem}`);
  });
  return untyped;
}

function addMetric(batches: Batches, metric: Fields, untyped: Set<string>): string | undefined {
  const { name, labels: given = {}, value, values, buckets } = metric;
  if (typeof name !== "string" || name === "") return "it has no name";
  if (!isFields(given)) return `the labels of ${name} are not an object`;
  const pairs = Object.entries(given).map(([label, text]) => [label, String(text)] as const);
  const labels = makeLabels(pairs);
  const kind = kindOf(metric);
  const part = { kind: "value" } as const;
  if (isFields(buckets)) {
    const family: Family = { name, type: "histogram", description: "" };
    for (const [bound, count] of Object.entries(buckets))
      batches.add(
        family,
        labels,
        { kind: "bucket", bound: boundText(bound), upper: boundValue(bound) },
        numberOf(count),
      );
    batches.add(family, labels, { kind: "sum" }, numberOf(metric["sum"]));
    batches.add(family, labels, { kind: "count" }, numberOf(metric["count"]));
    return undefined;
  }
  if (Array.isArray(values)) {
    const label = typeof metric["label"] === "string" ? metric["label"] : (vectorLabelOf(name) ?? "position");
    const family: Family = { name: shortName(name), type: "counter", description: "" };
    (values as readonly unknown[]).forEach((one, i) => {
      batches.add(family, makeLabels([...pairs, [label, String(i)]]), part, numberOf(one));
    });
    return undefined;
  }
  if (typeof value !== "number" && value !== null) return `${name} has neither value, values nor buckets`;
  const known = kind ?? familyEntry(canonicalName(name))?.type;
  const type =
    known === "counter" || known === "gauge" ? known : name.endsWith("_total") ? ("counter" as const) : "unknown";
  if (type === "unknown") untyped.add(name);
  batches.add(
    { name: type === "counter" ? shortName(name) : name, type, description: "" },
    labels,
    part,
    numberOf(value),
  );
  return undefined;
}

/** A dataclass's own dump has no word for its class; who writes one usually adds it. */
function kindOf(metric: Fields): string | undefined {
  const kind = metric["kind"] ?? metric["type"] ?? metric["metric_type"];
  return typeof kind === "string" ? kind.toLowerCase() : undefined;
}

function shortName(name: string): string {
  return name.replace(/(?<=.)_total$/, "");
}

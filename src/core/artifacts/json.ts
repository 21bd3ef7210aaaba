import type { EpochNs, FamilyResult, Json, RunFacts, RunStatistics, SeriesResult, TimeRange } from "../model/index.js";
import { EXPORTER_NAME, JSON_SCHEMA_VERSION, type Exporter } from "./names.js";
import { SeriesTexts } from "./series-text.js";

/** JSON, with maps for objects whose keys may look like integers: a plain object would put those first. */
export type Writable =
  Json | ReadonlyMap<string, Writable> | readonly Writable[] | { readonly [key: string]: Writable | undefined };

/** JSON text of a value; bigints as exact integers; members that are absent or not finite are left out. */
export function jsonText(value: Writable, indent = ""): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return "null";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (isArray(value)) {
    return value.length === 0
      ? "[]"
      : `[\n${value.map((item) => inner + jsonText(item, inner)).join(",\n")}\n${indent}]`;
  }
  const members: string[] = [];
  for (const [key, item] of membersOf(value)) {
    if (item === undefined || (typeof item === "number" && !Number.isFinite(item))) continue;
    members.push(`${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

/** What an object or a map holds, in its order. */
export function membersOf(value: Writable & object): Iterable<readonly [string, Writable | undefined]> {
  return value instanceof Map
    ? (value as ReadonlyMap<string, Writable>)
    : Object.entries(value as { readonly [key: string]: Writable | undefined });
}

/** `Array.isArray` that keeps read-only arrays apart from objects. */
export function isArray(value: Writable): value is readonly Writable[] {
  return Array.isArray(value);
}

/** What a JSON artifact says beside its series. */
export interface JsonFacts extends RunFacts {
  readonly warmup?: TimeRange;
}

/** The JSON artifact in pieces, a series at a time: the text of a family may be longer than a string can be. */
export function* writeJson(run: RunStatistics, exporter: Exporter): Iterable<string> {
  const texts = new SeriesTexts();
  yield jsonStart(run, exporter);
  yield* metricsMember("metrics", run.families, texts);
  if (run.warmup !== undefined && run.warmup.families.length > 0)
    yield* metricsMember("warmup_metrics", run.warmup.families, texts);
  yield jsonEnd(run);
}

/** All before the metrics. */
export function jsonStart(run: JsonFacts, { version }: Exporter): string {
  const head: readonly (readonly [string, Writable])[] = [
    ["schema_version", JSON_SCHEMA_VERSION],
    ["exporter", `${EXPORTER_NAME} ${version}`],
    ["benchmark_id", run.benchmarkId],
    ["summary", summaryOf(run)],
    ["metrics_phase", run.phase ?? "profiling"],
  ];
  return `{\n${head.map(([key, value]) => `  ${JSON.stringify(key)}: ${jsonText(value, "  ")},\n`).join("")}`;
}

/** All after the metrics. */
export function jsonEnd(run: JsonFacts): string {
  return `  "input_config": ${jsonText(run.inputConfig, "  ")}\n}\n`;
}

function* metricsMember(
  key: "metrics" | "warmup_metrics",
  families: readonly FamilyResult[],
  texts: SeriesTexts,
): Iterable<string> {
  const metrics = new MetricsText(key);
  yield metrics.start();
  for (const family of byName(families)) {
    yield metrics.family(family);
    for (const series of family.series) yield metrics.beforeSeries() + texts.text(series);
  }
  yield metrics.end();
}

/** What stands around the series of `metrics` or `warmup_metrics`. */
export class MetricsText {
  private open: { readonly name: string; empty: boolean } | undefined;

  constructor(private readonly key: "metrics" | "warmup_metrics") {}

  start(): string {
    return `  "${this.key}": {`;
  }

  /**
   * Before the series of a family. A name stands once in the file: families of one name, which endpoints disagree on
   * the type of, follow each other, and the first type is the one written.
   */
  family({ name, type, description, unit }: Omit<FamilyResult, "series">): string {
    if (this.open?.name === name) return "";
    const before = this.open === undefined ? "\n" : `${this.endOfFamily()},\n`;
    this.open = { name, empty: true };
    // All but its closing bracket, which comes after the series.
    const about = jsonText({ type, description, unit }, "    ").slice(0, -"\n    }".length);
    return `${before}    ${JSON.stringify(name)}: ${about},\n      "series": [`;
  }

  /** Before a series of the family. */
  beforeSeries(): string {
    if (this.open?.empty !== true) return BETWEEN_SERIES;
    this.open.empty = false;
    return BETWEEN_SERIES.slice(1);
  }

  end(): string {
    return this.open === undefined ? "},\n" : `${this.endOfFamily()}\n  },\n`;
  }

  private endOfFamily(): string {
    return this.open?.empty === true ? "]\n    }" : "\n      ]\n    }";
  }
}

/** Between two series of a family. */
export const BETWEEN_SERIES = ",\n        ";

/** Those of one name one after the other, in the order in which the names come first. */
function byName(families: readonly FamilyResult[]): readonly FamilyResult[] {
  const named = new Map<string, FamilyResult[]>();
  for (const family of families) {
    const list = named.get(family.name);
    if (list === undefined) named.set(family.name, [family]);
    else list.push(family);
  }
  return [...named.values()].flat();
}

/** A series as `metrics` lists it. */
export function seriesOf(result: SeriesResult): { readonly [key: string]: Writable | undefined } {
  return {
    endpoint_url: result.endpointUrl,
    labels: result.labels.length === 0 ? undefined : new Map(result.labels),
    stats: { ...result.stats, ...(result.kind === "histogram" ? result.intervals : {}) },
    estimate_note: result.kind === "histogram" ? result.estimateNote : undefined,
    buckets: result.kind === "histogram" && result.buckets !== undefined ? new Map(result.buckets) : undefined,
    timeslices: result.slices?.map((slice) =>
      "buckets" in slice ? { ...slice, buckets: new Map(slice.buckets) } : { ...slice },
    ),
  };
}

function summaryOf(run: JsonFacts): Writable {
  return {
    endpoints_configured: run.endpointsConfigured,
    endpoints_successful: run.endpointsSuccessful,
    start_time: isoTime(run.startNs),
    end_time: isoTime(run.endNs),
    endpoint_info: new Map(run.endpointInfo.map(([url, info]) => [url, { ...info }])),
    phase_time_ranges: timeRanges(run),
  };
}

/** Of the phases that took some time; absent when none did. */
function timeRanges({ startNs, endNs, phase = "profiling", warmup }: JsonFacts): Writable | undefined {
  const ranges = {
    profiling: phase === "profiling" ? rangeOf(startNs, endNs) : undefined,
    warmup: phase === "warmup" ? rangeOf(startNs, endNs) : warmup && rangeOf(warmup.start, warmup.end),
  };
  return ranges.profiling === undefined && ranges.warmup === undefined ? undefined : ranges;
}

function rangeOf(start: EpochNs, end: EpochNs): Writable | undefined {
  return start < end ? { start_ns: start, end_ns: end } : undefined;
}

/** ISO 8601 in UTC with its offset, rounded to microseconds. */
export function isoTime(time: EpochNs): string {
  const micros = (time + 500n) / 1000n;
  const date = new Date(Number(micros / 1000n));
  const fraction = String(micros % 1_000_000n).padStart(6, "0");
  return `${date.toISOString().slice(0, 19)}.${fraction}+00:00`;
}

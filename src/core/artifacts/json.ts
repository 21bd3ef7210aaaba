import { type EpochNs, type FamilyResult, type Json, type RunStatistics, type SeriesResult } from "../model/index.js";
import { EXPORTER_NAME, JSON_SCHEMA_VERSION, type Exporter } from "./names.js";

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

export function isArray(value: Writable): value is readonly Writable[] {
  return Array.isArray(value);
}

/** The JSON artifact in pieces, a series at a time: the text of a family may be longer than a string can be. */
export function* writeJson(run: RunStatistics, { version }: Exporter): Iterable<string> {
  const head: readonly (readonly [string, Writable])[] = [
    ["schema_version", JSON_SCHEMA_VERSION],
    ["exporter", `${EXPORTER_NAME} ${version}`],
    ["benchmark_id", run.benchmarkId],
    ["summary", summaryOf(run)],
    ["metrics_phase", run.phase ?? "profiling"],
  ];
  yield "{\n";
  for (const [key, value] of head) yield `  ${JSON.stringify(key)}: ${jsonText(value, "  ")},\n`;
  yield* metricsMember("metrics", run.families);
  if (run.warmup !== undefined && run.warmup.families.length > 0)
    yield* metricsMember("warmup_metrics", run.warmup.families);
  yield `  "input_config": ${jsonText(run.inputConfig, "  ")}\n}\n`;
}

function* metricsMember(key: string, families: readonly FamilyResult[]): Iterable<string> {
  yield `  ${JSON.stringify(key)}: {`;
  let separator = "\n";
  for (const [name, sameName] of byName(families)) {
    yield `${separator}    ${JSON.stringify(name)}: `;
    yield* metricText(sameName);
    separator = ",\n";
  }
  yield families.length === 0 ? "},\n" : "\n  },\n";
}

/**
 * A name stands once in the file. Endpoints that disagree on its type keep their series; the first type is the one
 * written.
 */
function byName(families: readonly FamilyResult[]): Map<string, FamilyResult[]> {
  const named = new Map<string, FamilyResult[]>();
  for (const family of families) {
    const list = named.get(family.name);
    if (list === undefined) named.set(family.name, [family]);
    else list.push(family);
  }
  return named;
}

function* metricText(families: readonly FamilyResult[]): Iterable<string> {
  const [first] = families;
  const about = {
    type: first?.type ?? "unknown",
    description: first?.description ?? "",
    unit: first?.unit,
  };
  // All but its closing bracket, which comes after the series.
  yield jsonText(about, "    ").slice(0, -"\n    }".length);
  yield `,\n      "series": [`;
  let separator = "\n";
  for (const family of families) {
    for (const series of family.series) {
      yield `${separator}        ${jsonText(seriesOf(series), "        ")}`;
      separator = ",\n";
    }
  }
  yield separator === "\n" ? "]\n    }" : "\n      ]\n    }";
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

function summaryOf(run: RunStatistics): Writable {
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
function timeRanges({ startNs, endNs, phase = "profiling", warmup }: RunStatistics): Writable | undefined {
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

import { type EpochNs, type FamilyResult, type Json, type RunStatistics, type SeriesResult } from "../model/index.js";
import { EXPORTER_NAME, SCHEMA_VERSION, type Exporter } from "./names.js";

/** JSON, with maps for objects whose keys may look like integers: a plain object would put those first. */
type Writable =
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
  for (const [key, item] of value instanceof Map
    ? (value as ReadonlyMap<string, Writable>)
    : Object.entries(value as { readonly [key: string]: Writable | undefined })) {
    if (item === undefined || (typeof item === "number" && !Number.isFinite(item))) continue;
    members.push(`${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

function isArray(value: Writable): value is readonly Writable[] {
  return Array.isArray(value);
}

/** The JSON artifact in pieces, a series at a time: the text of a family may be longer than a string can be. */
export function* writeJson(run: RunStatistics, { version }: Exporter): Iterable<string> {
  const head: readonly (readonly [string, Writable])[] = [
    ["schema_version", SCHEMA_VERSION],
    ["exporter", `${EXPORTER_NAME} ${version}`],
    ["benchmark_id", run.benchmarkId],
    ["summary", summaryOf(run)],
  ];
  yield "{\n";
  for (const [key, value] of head) yield `  ${JSON.stringify(key)}: ${jsonText(value, "  ")},\n`;
  yield `  "metrics": {`;
  let separator = "\n";
  for (const [name, families] of byName(run.families)) {
    yield `${separator}    ${JSON.stringify(name)}: `;
    yield* metricText(families);
    separator = ",\n";
  }
  yield run.families.length === 0 ? "},\n" : "\n  },\n";
  yield `  "input_config": ${jsonText(run.inputConfig, "  ")}\n}\n`;
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

function seriesOf(result: SeriesResult): Writable {
  return {
    endpoint_url: result.endpointUrl,
    labels: result.labels.length === 0 ? undefined : new Map(result.labels),
    stats: { ...result.stats },
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
  };
}

/** ISO 8601 in UTC with its offset, rounded to microseconds. */
export function isoTime(time: EpochNs): string {
  const micros = (time + 500n) / 1000n;
  const date = new Date(Number(micros / 1000n));
  const fraction = String(micros % 1_000_000n).padStart(6, "0");
  return `${date.toISOString().slice(0, 19)}.${fraction}+00:00`;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { artifactName, parseExact, type ReadableFormat } from "../../src/core/artifacts/index.js";
import { displayName } from "../../src/core/model/index.js";
import { isFields, isList, type Json, type JsonObject } from "../../src/core/text/index.js";
import { compareCsv } from "./compare-csv.js";
import { compareParquet } from "./compare-parquet.js";
import { different } from "./compare-values.js";
import type { ConformanceCase } from "./replay.js";

/**
 * What was compared, and every place where our artifact differs from the reference's by more than the listed deviations
 * allow.
 */
export interface Comparison {
  /** How many values, lines or rows the reference's file gave to compare with. */
  readonly compared: number;
  readonly differences: readonly string[];
}

/** Compares the artifact in `directory` with the one that the reference computed from the same scrapes. */
export async function compareArtifact(
  format: ReadableFormat,
  directory: string,
  { expected, endNs, warmup }: ConformanceCase,
): Promise<Comparison> {
  const name = artifactName(format);
  const ours = () => readFileSync(join(directory, name), "utf8");
  const reference = () => gunzipSync(readFileSync(join(expected, `${name}.gz`))).toString("utf8");
  switch (format) {
    case "json":
      return compareJson(object(parseExact(ours())), object(parseExact(reference())));
    case "csv":
      return compareCsv(
        ours(),
        reference(),
        deviatingSeries(readFileSync(join(directory, artifactName("json")), "utf8")),
      );
    case "jsonl":
      return compareJsonl(ours(), reference());
    case "parquet":
      return compareParquet(join(directory, name), join(expected, name), warmup === undefined ? endNs : undefined);
  }
}

/** Series whose numbers differ on purpose, by displayed endpoint, metric and label values. */
export interface DeviatingSeries {
  /** Deviation 1: with gaps, whose statistics the reference turns into null. */
  readonly gaps: ReadonlySet<string>;
  /** Deviations 2 and 4: restarted or with changed bounds, whose buckets come from the rises. */
  readonly restarted: ReadonlySet<string>;
}

export function seriesKey(endpoint: string, metric: string, labels: Iterable<readonly [string, string]>): string {
  return JSON.stringify([endpoint, metric, [...labels].sort()]);
}

function deviatingSeries(json: string): DeviatingSeries {
  const gaps = new Set<string>();
  const restarted = new Set<string>();
  for (const [metric, { series }] of Object.entries(object(object(parseExact(json))["metrics"])).map(
    ([name, value]) => [name, object(value)] as const,
  )) {
    for (const item of list(series).map(object)) {
      const labels = Object.entries(object(item["labels"] ?? {})).map(([name, value]) => [name, text(value)] as const);
      const key = seriesKey(displayName(text(item["endpoint_url"])), metric, labels);
      if (hasGaps(item)) gaps.add(key);
      if (hasRestarted(item)) restarted.add(key);
    }
  }
  return { gaps, restarted };
}

function hasGaps(series: JsonObject): boolean {
  return "gaps" in object(series["stats"]);
}

function hasRestarted(series: JsonObject): boolean {
  const stats = object(series["stats"]);
  return "resets" in stats || ("increase_count" in stats && !("born" in stats));
}

function compareJson(ours: JsonObject, expected: JsonObject): Comparison {
  const deep = new DeepComparison();
  deep.compare("schema_version", ours["schema_version"], "1.1");
  const summary = { ...object(expected["summary"]) };
  // What schema 1.1 adds, the reference's 1.0 does not have.
  if (expected["schema_version"] === "1.0") {
    summary["phase_time_ranges"] = object(ours["summary"])["phase_time_ranges"];
  } else {
    deep.compare("keys", keysOf(ours), keysOf(expected));
    deep.compare("metrics_phase", ours["metrics_phase"], expected["metrics_phase"]);
  }
  // Deviation 5: times carry an offset.
  for (const key of ["start_time", "end_time"]) summary[key] = `${text(summary[key])}+00:00`;
  deep.compare("summary", withoutFetchIntervals(object(ours["summary"])), summary);
  compareMetrics(deep, "metrics", ours["metrics"], expected["metrics"]);
  compareMetrics(deep, "warmup_metrics", ours["warmup_metrics"] ?? {}, expected["warmup_metrics"] ?? {});
  return deep;
}

/** The reference says how far apart updates are, and not how far apart scrapes. */
function withoutFetchIntervals(summary: JsonObject): JsonObject {
  const infos = Object.entries(object(summary["endpoint_info"])).map(
    ([url, info]) => [url, withoutFetchInterval(object(info))] as const,
  );
  return { ...summary, endpoint_info: Object.fromEntries(infos) };
}

function withoutFetchInterval({ median_fetch_interval_ms: _, ...info }: JsonObject): JsonObject {
  return info;
}

/** The reference calls its program's version otherwise. */
function keysOf(document: JsonObject): string[] {
  return Object.keys(document).map((key) => (key === "aiperf_version" ? "exporter" : key));
}

function compareMetrics(deep: DeepComparison, path: string, ours: Json | undefined, expected: Json | undefined): void {
  const metrics = object(ours);
  const expectedMetrics = object(expected);
  deep.compare(path, Object.keys(metrics).sort(), Object.keys(expectedMetrics).sort());
  for (const [name, value] of Object.entries(expectedMetrics)) {
    const { series, ...rest } = object(metrics[name] ?? {});
    const { series: expectedSeries, ...expectedRest } = object(value);
    deep.compare(`${path} ${name}`, rest, expectedRest);
    deep.compare(`${path} ${name}.series.length`, list(series ?? []).length, list(expectedSeries).length);
    list(expectedSeries).forEach((item, i) =>
      compareSeries(deep, `${path} ${name}[${i}]`, object(list(series ?? [])[i] ?? {}), object(item)),
    );
  }
}

/** What the reference computes over slices that begin with a series' first scrape of the phase (deviation 8). */
const SLICED = new Set(["rate_avg", "rate_min", "rate_max", "rate_std"]);

/**
 * Compares a phase's statistics with the reference's: everything but slices, and the endpoints' information, which
 * holds of the phase's scrapes alone.
 */
export function comparePhase(ours: JsonObject, expected: JsonObject): Comparison {
  const deep = new DeepComparison();
  const { data, ...rest } = ours;
  const { data: expectedData, ...expectedRest } = expected;
  deep.compare("phase file", rest, expectedRest);
  const { endpoint_summaries: summaries, benchmark_id: _, ...about } = object(data);
  const { endpoint_summaries: expectedSummaries, benchmark_id: __, ...expectedAbout } = object(expectedData);
  deep.compare("data", about, expectedAbout);
  deep.compare("endpoints", Object.keys(object(summaries)).sort(), Object.keys(object(expectedSummaries)).sort());
  for (const [name, value] of Object.entries(object(expectedSummaries))) {
    const { metrics, ...endpoint } = object(object(summaries)[name] ?? {});
    const { metrics: expectedMetrics, ...expectedEndpoint } = object(value);
    deep.compare(name, { ...endpoint, info: withoutFetchInterval(object(endpoint["info"])) }, expectedEndpoint);
    compareMetrics(deep, name, withoutSlices(metrics), withoutSlices(expectedMetrics));
  }
  return deep;
}

function withoutSlices(metrics: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object(metrics)).map(([name, metric]) => [
      name,
      {
        ...object(metric),
        series: list(object(metric)["series"]).map((item) => {
          const { timeslices: _, stats, ...series } = object(item);
          const kept = Object.entries(object(stats)).filter(([key]) => !SLICED.has(key));
          return { ...series, stats: Object.fromEntries(kept) };
        }),
      },
    ]),
  );
}

function compareSeries(deep: DeepComparison, path: string, ours: JsonObject, expected: JsonObject): void {
  // Deviations 2, 4 and 9, and the slices of findings: what ours says beside the reference's fields.
  const { stats, timeslices, buckets, increases: _, fine_timeslices: __, ...rest } = ours;
  const { stats: expectedStats, timeslices: expectedSlices, buckets: expectedBuckets, ...expectedRest } = expected;
  deep.compare(path, rest, expectedRest);
  // Deviations 2 and 4: buckets of a series that restarted, or whose bounds changed, come from the rises.
  if (!hasRestarted({ stats: stats ?? {} })) deep.compare(`${path}.buckets`, buckets, expectedBuckets);
  // Deviation 1: a NaN or infinite sample leaves the reference without statistics.
  if (hasGaps({ stats: stats ?? {} })) return;
  deep.compare(`${path}.stats`, comparable(object(stats ?? {})), comparable(object(expectedStats ?? {})));
  deep.compare(`${path}.timeslices`, timeslices, expectedSlices);
}

/** Deviation 3: estimates and their intervals are our own. Deviations 2, 4 and 9: restarts and births have keys of
 * their own. */
function comparable(stats: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(stats).filter(
      ([key]) =>
        !/_(estimate|interval)$/.test(key) &&
        !["resets", "increase", "increase_count", "increase_sum", "born"].includes(key),
    ),
  );
}

/**
 * Every line of the reference against ours of that endpoint and time; ours beyond them must be of those that deviation
 * 6 adds.
 */
function compareJsonl(ours: string, expected: string): Comparison {
  const deep = new DeepComparison();
  const lines = new Map<string, JsonObject>();
  for (const line of linesOf(ours)) {
    const added = line["endpoint_url"] === "" || line["duplicate"] === true || "error" in line;
    if (!added) lines.set(lineKey(line), line);
  }
  for (const { metrics, ...rest } of linesOf(expected)) {
    const key = lineKey(rest);
    const found = lines.get(key);
    lines.delete(key);
    if (found === undefined) {
      deep.differences.push(`no line of ${key}`);
      continue;
    }
    for (const [name, value] of Object.entries(rest)) deep.compare(`${key} ${name}`, found[name], value);
    deep.compare(`${key} metrics`, samplesOf(found["metrics"]), samplesOf(metrics));
  }
  for (const key of lines.keys()) deep.differences.push(`extra line ${key}`);
  return deep;
}

/** Samples of a line by metric and labels, gaps (deviation 1: null, where the reference has no sample) apart. */
function samplesOf(metrics: Json | undefined): JsonObject {
  const samples: Record<string, Json> = {};
  for (const [name, values] of Object.entries(object(metrics))) {
    for (const item of list(values)) {
      const { labels, ...rest } = object(item);
      if (rest["value"] === null) continue;
      samples[`${name} ${JSON.stringify(Object.entries(object(labels ?? {})).sort())}`] = rest;
    }
  }
  return samples;
}

function lineKey(line: JsonObject): string {
  return `${text(line["endpoint_url"])} ${show(line["timestamp_ns"])}`;
}

function linesOf(text: string): JsonObject[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => object(parseExact(line)));
}

class DeepComparison implements Comparison {
  compared = 0;
  readonly differences: string[] = [];

  compare(path: string, ours: Json | undefined, expected: Json | undefined): void {
    if (isFields(ours) && isFields(expected)) {
      for (const key of new Set([...Object.keys(ours), ...Object.keys(expected)]))
        this.compare(`${path}.${key}`, ours[key], expected[key]);
      return;
    }
    if (isList(ours) && isList(expected)) {
      if (ours.length !== expected.length)
        this.differences.push(`${path} has ${ours.length} items instead of ${expected.length}`);
      for (let i = 0; i < Math.min(ours.length, expected.length); i++)
        this.compare(`${path}[${i}]`, ours[i], expected[i]);
      return;
    }
    this.compared++;
    if (different(ours, expected)) this.differences.push(`${path} is ${show(ours)} instead of ${show(expected)}`);
  }
}

function show(value: Json | undefined): string {
  return typeof value === "bigint" ? value.toString() : String(JSON.stringify(value)).slice(0, 200);
}

function object(value: Json | undefined): JsonObject {
  if (!isFields(value)) throw new Error(`expected an object, not ${show(value)}`);
  return value;
}

function list(value: Json | undefined): readonly Json[] {
  if (!isList(value)) throw new Error(`expected a list, not ${show(value)}`);
  return value;
}

function text(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error(`expected a text, not ${show(value)}`);
  return value;
}

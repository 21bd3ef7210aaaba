import {
  type EpochNs,
  type FamilyResult,
  type RunFacts,
  type RunStatistics,
  type SeriesResult,
  type TimeRange,
} from "../../model/index.js";
import { groupBy } from "../../math/index.js";
import { jsonText, type Writable } from "./text.js";
import { EXPORTER_NAME, JSON_SCHEMA_VERSION, type ExporterVersion } from "../names.js";
import { fineSlicesOf, seriesOf } from "../series-fields.js";

/** What a JSON artifact says beside its series. */
export interface JsonFacts extends RunFacts {
  readonly warmup?: TimeRange;
}

/** The JSON artifact in pieces, a series at a time: the text of a family may be longer than a string can be. */
export function* writeJson(run: RunStatistics, exporter: ExporterVersion): Iterable<string> {
  yield jsonStart(run, exporter);
  yield* metricsMember("metrics", run.families);
  if (run.warmup !== undefined && run.warmup.families.length > 0)
    yield* metricsMember("warmup_metrics", run.warmup.families);
  yield jsonEnd(run);
}

/** All before the metrics. */
export function jsonStart(run: JsonFacts, { version }: ExporterVersion): string {
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

function* metricsMember(key: "metrics" | "warmup_metrics", families: readonly FamilyResult[]): Iterable<string> {
  const metrics = new MetricsText(key);
  yield metrics.start();
  // Those of one name one after the other, in the order in which the names come first.
  for (const family of [...groupBy(families, ({ name }) => name).values()].flat()) {
    yield metrics.family(family);
    for (const series of family.series) yield metrics.beforeSeries() + seriesText(series);
  }
  yield metrics.end();
}

/** A series as the JSON artifact has it, its brackets in the eighth column. @param fine slices, where it has none */
export function seriesText(result: SeriesResult, fine = result.fineSlices): string {
  return jsonText({ ...seriesOf(result), fine_timeslices: fineSlicesOf(fine) }, "        ");
}

/** What stands around the series of `metrics` or `warmup_metrics`. */
export class MetricsText {
  private open: { readonly name: string; empty: boolean } | undefined;

  constructor(readonly key: "metrics" | "warmup_metrics") {}

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

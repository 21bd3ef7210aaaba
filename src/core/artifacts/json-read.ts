import {
  boundText,
  boundValue,
  epochNs,
  makeLabels,
  METRIC_TYPES,
  type BucketCounts,
  type EndpointInfo,
  type EpochNs,
  type FamilyResult,
  type JsonObject,
  type Labels,
  type RunStatistics,
  type SeriesResult,
  type SliceTimes,
} from "../model/index.js";
import { parseExact } from "./exact-json.js";
import { JsonMembers, type JsonMember } from "./json-members.js";
import { asObject, asString, type JsonRecord } from "./jsonl-line-read.js";
import type { LineProblem } from "./jsonl-read.js";

export interface ReadStatistics {
  readonly statistics: RunStatistics;
  readonly schemaVersion?: string;
  readonly exporter?: string;
  /** Fields that this version does not know, in order of appearance. */
  readonly unknownFields: readonly string[];
  /** Lines that were left out, and a last one that is cut off. */
  readonly problems?: readonly LineProblem[];
}

const KNOWN = new Set([
  "schema_version",
  "exporter",
  "aiperf_version",
  "benchmark_id",
  "summary",
  "metrics",
  "input_config",
]);
const METRIC_FIELDS = new Set(["type", "description", "unit", "series"]);
const SERIES_FIELDS = new Set(["endpoint_url", "labels", "stats", "estimate_note", "buckets", "timeslices"]);

/** Reads a JSON artifact in chunks of bytes as they come, statistics as stored. */
export class JsonArtifactReader {
  private readonly members = new JsonMembers((member) => this.take(member));
  private readonly families: FamilyResult[] = [];
  private readonly unknown = new Set<string>();
  private schemaVersion: string | undefined;
  private exporter: string | undefined;
  private benchmarkId = "";
  private summary: JsonRecord = {};
  private inputConfig: JsonObject = {};
  private hasMetrics = false;
  /** Start of the earliest slice, which is the window's to the nanosecond. */
  private firstSlice: bigint | undefined;

  /** @param onSchemaVersion may throw, to refuse it */
  constructor(private readonly onSchemaVersion: (version: string) => void = () => undefined) {}

  /** @throws Error when the text is no JSON, or no artifact, saying where */
  push(bytes: Uint8Array): void {
    this.members.push(bytes);
  }

  /** @throws Error when the file broke off, or is JSON of another kind */
  end(): ReadStatistics {
    this.members.end();
    if (!this.hasMetrics && this.benchmarkId === "" && this.schemaVersion === undefined) {
      throw new Error(
        `it has none of schema_version, benchmark_id and metrics, but ${[...this.unknown].slice(0, 5).join(", ") || "nothing"}: it is no server-metrics artifact`,
      );
    }
    const { start, end } = this.window();
    const infos = Object.entries(recordOf(this.summary["endpoint_info"])).map(
      ([url, info]) => [url, endpointInfoOf(asObject(info, `endpoint_info of ${url}`))] as const,
    );
    return {
      statistics: {
        benchmarkId: this.benchmarkId,
        startNs: start,
        endNs: end,
        endpointsConfigured: textsOf(this.summary["endpoints_configured"]),
        endpointsSuccessful: textsOf(this.summary["endpoints_successful"]),
        endpointInfo: infos,
        inputConfig: this.inputConfig,
        families: this.families,
      },
      ...(this.schemaVersion === undefined ? {} : { schemaVersion: this.schemaVersion }),
      ...(this.exporter === undefined ? {} : { exporter: this.exporter }),
      unknownFields: [...this.unknown],
    };
  }

  private take(member: JsonMember): void {
    try {
      if (member.parent === "metrics") this.families.push(...this.metric(member));
      else this.field(member);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new Error(`${member.parent === "metrics" ? "metrics › " : ""}${member.key} is no JSON: ${error.message}`, {
        cause: error,
      });
    }
    if (member.parent === "metrics") this.hasMetrics = true;
  }

  private field({ key, text }: JsonMember): void {
    switch (key) {
      case "schema_version":
        this.schemaVersion = String(JSON.parse(text));
        this.onSchemaVersion(this.schemaVersion);
        return;
      case "exporter":
        this.exporter = String(JSON.parse(text));
        return;
      case "aiperf_version":
        this.exporter = `AIPerf ${String(JSON.parse(text))}`;
        return;
      case "benchmark_id":
        this.benchmarkId = String(JSON.parse(text));
        return;
      case "summary":
        this.summary = asObject(parseNs(text), "summary");
        return;
      case "input_config": {
        const config = parseExact(text);
        if (typeof config === "object" && config !== null && !Array.isArray(config))
          this.inputConfig = config as JsonObject;
        return;
      }
      case "metrics":
        if (text.trim() !== "{}") throw new TypeError("an object was expected");
        this.hasMetrics = true;
        return;
      default:
        if (!KNOWN.has(key)) this.unknown.add(key);
    }
  }

  private metric({ key: name, text }: JsonMember): FamilyResult[] {
    const metric = asObject(parseNs(text), `metrics › ${name}`);
    for (const field of Object.keys(metric)) if (!METRIC_FIELDS.has(field)) this.unknown.add(`metrics › … › ${field}`);
    const type = METRIC_TYPES.find((candidate) => candidate === metric["type"]) ?? "unknown";
    const unit = metric["unit"];
    const base = {
      name,
      description: typeof metric["description"] === "string" ? metric["description"] : "",
      ...(typeof unit === "string" ? { unit } : {}),
    };
    const series = Array.isArray(metric["series"])
      ? metric["series"].map((item) => this.series(type, asObject(item, `a series of ${name}`)))
      : [];
    switch (type) {
      case "counter":
        return [{ ...base, type, series: series.filter((result) => result.kind === "counter") }];
      case "histogram":
        return [{ ...base, type, series: series.filter((result) => result.kind === "histogram") }];
      case "gauge":
      case "unknown":
        return [{ ...base, type, series: series.filter((result) => result.kind === "gauge") }];
    }
  }

  private series(type: FamilyResult["type"], series: JsonRecord): SeriesResult {
    for (const field of Object.keys(series))
      if (!SERIES_FIELDS.has(field)) this.unknown.add(`metrics › … › series › ${field}`);
    const base = {
      endpointUrl: asString(series["endpoint_url"], "endpoint_url of a series"),
      labels: labelsOf(series["labels"]),
    };
    const stats = numbersOf(series["stats"]);
    const slices = Array.isArray(series["timeslices"])
      ? series["timeslices"].map((slice) => asObject(slice, "a timeslice"))
      : undefined;
    switch (type) {
      case "counter": {
        const cut = slices?.map((slice) => ({
          ...this.times(slice),
          total: numberOf(slice["total"]),
          rate: numberOf(slice["rate"]),
        }));
        return {
          kind: "counter",
          ...base,
          stats: { total: NaN, rate: NaN, ...stats },
          ...(cut === undefined ? {} : { slices: cut }),
        };
      }
      case "histogram": {
        const cut = slices?.map((slice) => ({
          ...this.times(slice),
          count: numberOf(slice["count"]),
          sum: numberOf(slice["sum"]),
          avg: numberOf(slice["avg"]),
          buckets: bucketsOf(slice["buckets"]),
        }));
        const buckets =
          series["buckets"] === undefined || series["buckets"] === null
            ? {}
            : { buckets: bucketsOf(series["buckets"]) };
        return {
          kind: "histogram",
          ...base,
          stats: { count: NaN, ...stats },
          ...(typeof series["estimate_note"] === "string" ? { estimateNote: series["estimate_note"] } : {}),
          ...buckets,
          ...(cut === undefined ? {} : { slices: cut }),
        };
      }
      case "gauge":
      case "unknown": {
        const cut = slices?.map((slice) => ({
          ...this.times(slice),
          avg: numberOf(slice["avg"]),
          min: numberOf(slice["min"]),
          max: numberOf(slice["max"]),
        }));
        return { kind: "gauge", ...base, stats, ...(cut === undefined ? {} : { slices: cut }) };
      }
    }
  }

  private times(slice: JsonRecord): SliceTimes {
    const start = timeOf(slice["start_ns"]);
    if (this.firstSlice === undefined || start < this.firstSlice) this.firstSlice = start;
    return {
      start_ns: start,
      end_ns: timeOf(slice["end_ns"]),
      ...(slice["is_complete"] === false ? { is_complete: false } : {}),
    };
  }

  /**
   * The summary tells it to the microsecond, AIPerf's in its machine's time of day; the slices tell its start exactly.
   */
  private window(): { readonly start: EpochNs; readonly end: EpochNs } {
    const start = parseIso(this.summary["start_time"]);
    const end = parseIso(this.summary["end_time"]);
    const shift = this.firstSlice === undefined || start === undefined ? 0n : this.firstSlice - start.time;
    // A gauge's first slices may be missing: then the earliest one is later than the window.
    const zone = start?.zoned === false ? roundTo(shift, 900_000_000_000n) : 0n;
    const exact = shift - zone > -1000n && shift - zone < 1000n ? shift : zone;
    return { start: epochNs((start?.time ?? 0n) + exact), end: epochNs((end?.time ?? 0n) + zone) };
  }
}

function roundTo(value: bigint, step: bigint): bigint {
  const half = value < 0n ? -step / 2n : step / 2n;
  return ((value + half) / step) * step;
}

/**
 * Integers of nanoseconds exceed what `JSON.parse` keeps: it gets them as texts. A key ends in a quote that no text can
 * hold unescaped.
 */
function parseNs(text: string): unknown {
  return JSON.parse(text.replace(/_ns"(\s*:\s*)(\d{16,})/g, '_ns"$1"$2"')) as unknown;
}

function timeOf(value: unknown): EpochNs {
  if (typeof value === "string" && /^\d+$/.test(value)) return epochNs(BigInt(value));
  return epochNs(typeof value === "number" && Number.isFinite(value) ? BigInt(Math.round(value)) : 0n);
}

function parseIso(value: unknown): { readonly time: bigint; readonly zoned: boolean } | undefined {
  const match =
    typeof value === "string"
      ? /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(value)
      : null;
  if (match === null) return undefined;
  const [, seconds = "", fraction = "", zone] = match;
  const ms = Date.parse(`${seconds.replace(" ", "T")}${zone ?? "Z"}`);
  if (Number.isNaN(ms)) return undefined;
  return { time: BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9)), zoned: zone !== undefined };
}

function endpointInfoOf(info: JsonRecord): EndpointInfo {
  const optional = (key: "avg_update_interval_ms" | "median_update_interval_ms") =>
    typeof info[key] === "number" ? { [key]: info[key] } : {};
  return {
    total_fetches: numberOf(info["total_fetches"]),
    first_fetch_ns: timeOf(info["first_fetch_ns"]),
    last_fetch_ns: timeOf(info["last_fetch_ns"]),
    avg_fetch_latency_ms: numberOf(info["avg_fetch_latency_ms"]),
    unique_updates: numberOf(info["unique_updates"]),
    first_update_ns: timeOf(info["first_update_ns"]),
    last_update_ns: timeOf(info["last_update_ns"]),
    duration_seconds: numberOf(info["duration_seconds"]),
    ...optional("avg_update_interval_ms"),
    ...optional("median_update_interval_ms"),
  };
}

function labelsOf(value: unknown): Labels {
  return makeLabels(Object.entries(recordOf(value)).map(([name, text]) => [name, String(text)] as const));
}

/** JSON objects do not keep the order of keys that look like integers: bounds are sorted by value. */
function bucketsOf(value: unknown): BucketCounts {
  const buckets = Object.entries(recordOf(value)).map(([bound, count]) => [boundText(bound), numberOf(count)] as const);
  const sorted = buckets.every(([bound], i) => i === 0 || boundValue(buckets[i - 1]?.[0] ?? "") <= boundValue(bound));
  return sorted ? buckets : buckets.sort(([a], [b]) => boundValue(a) - boundValue(b));
}

/** Members that are numbers: an absent statistic may stand as null. */
function numbersOf(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(recordOf(value)).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

function recordOf(value: unknown): JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

import { parseExact } from "../exact-json.js";
import {
  boundText,
  boundValue,
  configuredLabel,
  epochNs,
  isFields,
  isList,
  labelKey,
  makeLabels,
  RecordedUrls,
  scrubConfiguration,
  type EndpointInfo,
  type EpochNs,
  type Json,
  type JsonObject,
  type RunMetadata,
  type SeriesResult,
  type SliceTimes,
} from "../../model/index.js";

/** What a Parquet artifact's key-value metadata say of its run. */
export interface ParquetAbout {
  readonly schemaVersion: string | undefined;
  readonly exporter: string | undefined;
  readonly benchmarkId: string | undefined;
  readonly start: EpochNs | undefined;
  readonly end: EpochNs | undefined;
  readonly sliceSeconds: number | undefined;
  readonly inputConfig: JsonObject;
  /** What its URLs are recorded as. */
  readonly urls: RecordedUrls;
  readonly endpointsConfigured: readonly string[];
  readonly endpointInfo: ReadonlyMap<string, EndpointInfo>;
  /** Of each endpoint's counters and histograms; undefined when the file does not tell. */
  readonly references: ReadonlyMap<string, EpochNs> | undefined;
  /** Of series whose own differs; by `seriesKey`. */
  readonly seriesReferences: ReadonlyMap<string, EpochNs>;
  readonly gaps: ReadonlyMap<string, number>;
  readonly restarted: ReadonlyMap<string, SeriesResult>;
}

/** Identity of a series in a file. */
export function seriesKey(endpointUrl: string, name: string, type: string, labels: string): string {
  return JSON.stringify([endpointUrl, name, type, labels]);
}

/** @throws Error naming the key that cannot be read */
export function readAbout(entries: ReadonlyMap<string, string>): ParquetAbout {
  const parsed = (key: string): Json | undefined => {
    const text = entries.get(key);
    if (text === undefined) return undefined;
    try {
      return parseExact(text);
    } catch (error) {
      throw new Error(`its metadata ${key} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  const listed = <T>(key: string, of: (entry: JsonObject) => T): ReadonlyMap<string, T> =>
    new Map(
      itemsOf(parsed(key))
        .map((item) => objectOf(item))
        .map((entry) => [keyOf(entry, urls), of(entry)]),
    );
  const urls = new RecordedUrls();
  const inputConfig = scrubConfiguration(objectOf(parsed("aiperf.input_config")));
  const references = parsed("server_metrics.reference_timestamps_ns");
  const infos = Object.entries(objectOf(parsed("server_metrics.endpoint_info"))).map(
    ([url, info]) => [urls.of(url), endpointInfoOf(objectOf(info))] as const,
  );
  // In the order of the file, which numbers those that differ only in a secret.
  const endpointsConfigured = itemsOf(
    parsed("server_metrics.endpoints_configured") ?? parsed("aiperf.endpoint_urls"),
  ).flatMap((url) => (typeof url === "string" ? [urls.of(url)] : []));
  return {
    urls,
    schemaVersion: entries.get("aiperf.schema_version"),
    exporter: entries.get("aiperf.exporter"),
    benchmarkId: entries.get("aiperf.benchmark_id"),
    start: timeOf(entries.get("aiperf.time_filter_start_ns")),
    end: timeOf(entries.get("aiperf.time_filter_end_ns")),
    sliceSeconds:
      positive(parsed("server_metrics.slice_duration")) ??
      positive(objectOf(inputConfig["artifacts"])["slice_duration"]),
    inputConfig,
    endpointsConfigured,
    endpointInfo: new Map(infos),
    references:
      references === undefined
        ? undefined
        : new Map(Object.entries(objectOf(references)).map(([url, time]) => [urls.of(url), epochOf(time)])),
    seriesReferences: listed("server_metrics.series_reference_timestamps_ns", (entry) =>
      epochOf(entry["timestamp_ns"]),
    ),
    gaps: listed("server_metrics.gaps", (entry) => Number(entry["gaps"] ?? 0)),
    restarted: new Map(
      itemsOf(parsed("server_metrics.resets"))
        .map((item) => objectOf(item))
        .flatMap((entry) => {
          const result = resultOf(entry, urls);
          return result === undefined ? [] : [[keyOf(entry, urls), result] as const];
        }),
    ),
  };
}

/** The metadata of a run rebuilt from the file. */
export function metadataOf(about: ParquetAbout, fallbackId: string): RunMetadata {
  const label = configuredLabel(about.inputConfig);
  return {
    benchmarkId: about.benchmarkId ?? fallbackId,
    ...(label === undefined ? {} : { label }),
    endpointsConfigured: about.endpointsConfigured,
    sliceDurationSeconds: about.sliceSeconds ?? 5,
    inputConfig: about.inputConfig,
  };
}

function keyOf(entry: JsonObject, urls: RecordedUrls): string {
  const labels = Object.entries(objectOf(entry["labels"])).map(
    ([name, value]) => [name, String(value as string)] as const,
  );
  return seriesKey(
    urls.of(textOf(entry["endpoint_url"])),
    textOf(entry["metric_name"]),
    textOf(entry["metric_type"]),
    labelKey(makeLabels(labels)),
  );
}

/** The result of a series that restarted, as it was when the file was written. */
function resultOf(entry: JsonObject, urls: RecordedUrls): SeriesResult | undefined {
  const stats = entry["stats"];
  if (stats === undefined) return undefined;
  const labels = makeLabels(
    Object.entries(objectOf(entry["labels"])).map(([name, value]) => [name, String(value as string)] as const),
  );
  const base = { endpointUrl: urls.of(textOf(entry["endpoint_url"])), labels };
  const numbers = Object.fromEntries(Object.entries(objectOf(stats)).map(([key, value]) => [key, Number(value)]));
  const slices =
    entry["timeslices"] === undefined ? undefined : itemsOf(entry["timeslices"]).map((item) => objectOf(item));
  if (entry["metric_type"] === "counter") {
    const cut = slices?.map((slice) => ({
      ...sliceTimesOf(slice),
      total: Number(slice["total"]),
      rate: Number(slice["rate"]),
    }));
    return {
      kind: "counter",
      ...base,
      stats: { total: 0, rate: 0, ...numbers },
      ...(cut === undefined ? {} : { slices: cut }),
    };
  }
  const cut = slices?.map((slice) => ({
    ...sliceTimesOf(slice),
    count: Number(slice["count"]),
    sum: Number(slice["sum"]),
    avg: Number(slice["avg"]),
    buckets: bucketsOf(slice["buckets"]),
  }));
  return {
    kind: "histogram",
    ...base,
    stats: { count: 0, ...numbers },
    ...(entry["buckets"] === undefined ? {} : { buckets: bucketsOf(entry["buckets"]) }),
    ...(cut === undefined ? {} : { slices: cut }),
  };
}

function sliceTimesOf(slice: JsonObject): SliceTimes {
  return {
    start_ns: epochOf(slice["start_ns"]),
    end_ns: epochOf(slice["end_ns"]),
    ...(slice["is_complete"] === false ? { is_complete: false } : {}),
  };
}

function bucketsOf(value: Json | undefined) {
  return Object.entries(objectOf(value))
    .map(([bound, count]) => [boundText(bound), Number(count)] as const)
    .sort(([a], [b]) => boundValue(a) - boundValue(b));
}

function endpointInfoOf(info: JsonObject): EndpointInfo {
  const number = (key: string) => Number(info[key] ?? 0);
  const optional = (key: "failed_fetches" | "avg_update_interval_ms" | "median_update_interval_ms") =>
    info[key] === undefined ? {} : { [key]: number(key) };
  return {
    total_fetches: number("total_fetches"),
    ...optional("failed_fetches"),
    first_fetch_ns: epochOf(info["first_fetch_ns"]),
    last_fetch_ns: epochOf(info["last_fetch_ns"]),
    avg_fetch_latency_ms: number("avg_fetch_latency_ms"),
    unique_updates: number("unique_updates"),
    first_update_ns: epochOf(info["first_update_ns"]),
    last_update_ns: epochOf(info["last_update_ns"]),
    duration_seconds: number("duration_seconds"),
    ...optional("avg_update_interval_ms"),
    ...optional("median_update_interval_ms"),
  };
}

function timeOf(text: string | undefined): EpochNs | undefined {
  return text !== undefined && /^\d{1,20}$/.test(text) ? epochNs(BigInt(text)) : undefined;
}

function epochOf(value: Json | undefined): EpochNs {
  return epochNs(typeof value === "bigint" ? value : BigInt(Math.round(Number(value ?? 0))));
}

function positive(value: Json | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: Json | undefined): JsonObject {
  return isFields(value) ? value : {};
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

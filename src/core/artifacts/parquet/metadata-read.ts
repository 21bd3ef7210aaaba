import { parseExact, timeOf as epochOf } from "../json/exact.js";
import {
  boundText,
  configuredLabel,
  epochNs,
  labelKey,
  RecordedUrls,
  type EndpointInfo,
  type EpochNs,
  type RunMetadata,
} from "../../model/index.js";
import {
  scrubConfiguration,
  messageOf,
  isFields,
  isList,
  textOf,
  type Json,
  type JsonObject,
} from "../../text/index.js";
import { labelsOf } from "../jsonl/read-line.js";
import { bucketsOf, endpointInfoOf } from "../json/families.js";
import type { Below, ClampedCells, FirstSample, SampleRun } from "./rows.js";

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
  /** What series that were born in the window had counted by their first samples; undefined: the file does not tell. */
  readonly born: ReadonlyMap<string, Born> | undefined;
  readonly gaps: ReadonlyMap<string, number>;
  /** What the cells of restarted series do not tell. */
  readonly restarted: ReadonlyMap<string, ClampedCells>;
}

interface Born extends Required<FirstSample> {
  /** When it was created, where no scrape lacked it before. */
  readonly created: EpochNs | undefined;
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
      throw new Error(`its metadata ${key} is not JSON: ${messageOf(error)}`, {
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
    born: entries.has("server_metrics.born")
      ? listed("server_metrics.born", (entry) => {
          const { created_ns: time } = entry;
          return { ...firstOf(entry), created: time === undefined ? undefined : epochOf(time) };
        })
      : undefined,
    gaps: listed("server_metrics.gaps", (entry) => Number(entry["gaps"] ?? 0)),
    restarted: new Map(
      [...listed("server_metrics.resets", ({ reference, below }) => ({ reference, below }))].flatMap(
        ([key, { reference, below }]) =>
          isFields(reference) ? [[key, { reference: firstOf(reference), below: belowOf(objectOf(below)) }]] : [],
      ),
    ),
  };
}

function firstOf(entry: JsonObject): Required<FirstSample> {
  return { value: numberOf(entry["value"]), sum: numberOf(entry["sum"]), buckets: bucketsOf(entry["buckets"]) };
}

function belowOf(entry: JsonObject): Required<Below> {
  return {
    value: runsOf(entry["value"]),
    sum: runsOf(entry["sum"]),
    buckets: Object.entries(objectOf(entry["buckets"])).map(([bound, runs]) => [boundText(bound), runsOf(runs)]),
  };
}

function runsOf(runs: Json | undefined): readonly SampleRun[] {
  return itemsOf(runs).map((run) => itemsOf(run).map(Number));
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
  return seriesKey(
    urls.of(textOf(entry["endpoint_url"])),
    textOf(entry["metric_name"]),
    textOf(entry["metric_type"]),
    labelKey(labelsOf(entry["labels"])),
  );
}

function timeOf(text: string | undefined): EpochNs | undefined {
  return text !== undefined && /^\d{1,20}$/.test(text) ? epochNs(BigInt(text)) : undefined;
}

function positive(value: Json | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function objectOf(value: Json | undefined): JsonObject {
  return isFields(value) ? value : {};
}

/** NaN where there is none. */
function numberOf(value: Json | undefined): number {
  return Number(value ?? NaN);
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

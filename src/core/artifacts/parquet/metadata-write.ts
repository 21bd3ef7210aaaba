import { METRIC_TYPES, offsetNs, toEpoch, type EpochNs, type MetricType } from "../../model/index.js";
import type { JsonObject } from "../../text/index.js";
import type { Run } from "../../store/index.js";
import { compareText, endpointInfo, endpointWindow, type RunWindow } from "../../stats/index.js";
import { isoTime } from "../json/write.js";
import { lineText, type Writable } from "../json/text.js";
import { columnOfLabel } from "../csv/label-columns.js";
import { seriesFields, seriesOf } from "../series-fields.js";
import { EXPORTER_NAME, SCHEMA_VERSION, type ExporterVersion } from "../names.js";
import { OWN_COLUMNS } from "./columns.js";
import type { SeriesRows } from "./rows.js";

const SCHEMA_NOTE = "Label columns vary by endpoint/model. Use union_by_name=true for cross-file queries.";

export interface ParquetExport {
  readonly window: RunWindow;
  readonly sliceDurationSeconds: number;
  readonly exporter: ExporterVersion;
  readonly exportTime: EpochNs;
  readonly hostname: string;
}

/** Gathers, while rows are written, what the file's key-value metadata say of them. */
export class MetadataWriter {
  private readonly seriesByType = new Map<MetricType, number>(METRIC_TYPES.map((type) => [type, 0]));
  private readonly urls = new Set<string>();
  private readonly references: Writable[] = [];
  private readonly restarts: Writable[] = [];
  private readonly born: Writable[] = [];
  private readonly gaps: Writable[] = [];
  private readonly endpointReferences: ReadonlyMap<string, EpochNs>;

  constructor(
    private readonly run: Run,
    private readonly about: ParquetExport,
    private readonly labels: readonly string[],
  ) {
    this.endpointReferences = endpointReferences(run, about.window);
  }

  /** Takes note of a series that has rows. */
  add({ key, origin, reference, gaps, restarted, first }: SeriesRows): void {
    const { type, name } = key.family;
    this.seriesByType.set(type, (this.seriesByType.get(type) ?? 0) + 1);
    this.urls.add(key.endpointUrl);
    const series = {
      endpoint_url: key.endpointUrl,
      metric_name: name,
      metric_type: type,
      labels: Object.fromEntries(key.labels),
    };
    const differs = reference !== this.endpointReferences.get(key.endpointUrl);
    if (differs && (type === "counter" || type === "histogram"))
      this.references.push({ ...series, timestamp_ns: reference });
    if (gaps > 0) this.gaps.push({ ...series, gaps });
    if (first !== undefined)
      this.born.push({
        ...series,
        ...first,
        ...(first.buckets && { buckets: new Map(first.buckets) }),
        ...(key.created !== undefined && { created_ns: toEpoch(key.created, origin) }),
      });
    // Clamped cells tell neither statistics nor slices: a restarted series stands as in JSON, with what they lost.
    if (restarted !== undefined) {
      const { result, reference, below } = restarted;
      const { resets = 0, increase, increase_count, increase_sum } = seriesFields(result).stats;
      const counted = { resets, increase, increase_count, increase_sum };
      this.restarts.push({
        ...series,
        ...counted,
        ...seriesOf(result),
        labels: series.labels,
        reference: { ...reference, buckets: reference.buckets && new Map(reference.buckets) },
        below: { ...below, buckets: below.buckets && new Map(below.buckets.filter(([, runs]) => runs.length > 0)) },
      });
    }
  }

  /**
   * The file's key-value metadata. Besides the reference's: what it takes to compute the same statistics again. The
   * reference sample's time is said per endpoint, and of the series whose own differs.
   */
  entries(): ReadonlyMap<string, string> {
    const { window, exporter, exportTime, hostname, sliceDurationSeconds } = this.about;
    const { metadata } = this.run;
    const duration = window.end - window.start;
    const urls = [...this.urls].sort(compareText);
    const entries = new Map([
      ["aiperf.schema_version", SCHEMA_VERSION],
      ["aiperf.benchmark_id", metadata.benchmarkId],
      ["aiperf.export_timestamp_utc", isoTime(exportTime)],
      ["aiperf.exporter", `${EXPORTER_NAME} ${exporter.version}`],
      ["aiperf.hostname", hostname],
      ["aiperf.time_filter_start_ns", String(window.start)],
      ["aiperf.time_filter_end_ns", String(window.end)],
      ["aiperf.profiling_duration_ns", String(duration)],
      ["aiperf.profiling_duration_seconds", decimal(Number(duration) / 1e9)],
      ["aiperf.input_config", lineText(metadata.inputConfig)],
      ["aiperf.endpoint_urls", lineText(urls)],
      ["aiperf.endpoint_count", String(urls.length)],
      ["aiperf.label_columns", lineText(this.labels.map((label) => columnOfLabel(label, OWN_COLUMNS)))],
      ["aiperf.label_count", String(this.labels.length)],
      ["aiperf.metric_count", String([...this.seriesByType.values()].reduce((sum, n) => sum + n, 0))],
      ["aiperf.metric_type_counts", lineText(Object.fromEntries(this.seriesByType))],
      ["aiperf.schema_note", SCHEMA_NOTE],
      ["server_metrics.endpoint_info", lineText(endpointInfos(this.run))],
      ["server_metrics.endpoints_configured", lineText(metadata.endpointsConfigured)],
      ["server_metrics.slice_duration", lineText(sliceDurationSeconds)],
      ["server_metrics.resets", lineText(this.restarts)],
    ]);
    // Of a run whose file did not tell them they are not known.
    const known = this.run.fileStatistics?.assumedReference === undefined;
    if (known)
      entries.set("server_metrics.reference_timestamps_ns", lineText(Object.fromEntries(this.endpointReferences)));
    if (known && this.references.length > 0)
      entries.set("server_metrics.series_reference_timestamps_ns", lineText(this.references));
    if (this.run.store.birthsKnown) entries.set("server_metrics.born", lineText(this.born));
    if (this.gaps.length > 0) entries.set("server_metrics.gaps", lineText(this.gaps));
    return entries;
  }
}

/** Per endpoint, the last scrape with samples before the window, else the first inside. */
function endpointReferences(run: Run, window: RunWindow): ReadonlyMap<string, EpochNs> {
  const { store } = run;
  const references = new Map<string, EpochNs>();
  for (const axis of store.endpoints) {
    const { start, end } = endpointWindow(run, axis, window, run.metadata.sliceDurationSeconds);
    const order = axis.timeOrder();
    let reference: number | undefined;
    for (let i = 0; i < axis.rows; i++) {
      const row = order?.[i] ?? i;
      const time = axis.times.at(row);
      if (axis.kind(row) === "failed") continue;
      if (time < start) reference = time;
      else if (time <= end) reference ??= time;
      else break;
    }
    if (reference !== undefined) references.set(axis.url, toEpoch(offsetNs(reference), store.origin));
  }
  return new Map([...references].sort(([a], [b]) => compareText(a, b)));
}

function endpointInfos(run: Run): JsonObject {
  const infos: Record<string, JsonObject> = {};
  for (const [url, info] of run.fileStatistics?.endpointInfo ?? []) infos[url] = { ...info };
  for (const axis of run.store.endpoints) {
    if (axis.url in infos) continue;
    const info = endpointInfo(axis, run.store.origin);
    if (info !== undefined) infos[axis.url] = { ...info };
  }
  return infos;
}

/** As the reference writes seconds: "34.0". */
function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

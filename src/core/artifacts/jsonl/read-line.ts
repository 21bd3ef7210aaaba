import {
  boundText,
  boundValue,
  epochNs,
  isInfoFamily,
  makeLabels,
  METRIC_TYPES,
  SCRAPE_ERROR_TYPES,
  type CreatedSeries,
  type EpochNs,
  type Family,
  type Labels,
  type MetricType,
  type NamedPhase,
  type RunMetadata,
  type SampleBatch,
  type SampleDef,
  type ScrapeErrorType,
  type ServerEvent,
  type WrittenTo,
} from "../../model/index.js";
import {
  scrubConfiguration,
  fieldsOf,
  isFields,
  textsOf,
  type Fields,
  type Json,
  type JsonObject,
} from "../../text/index.js";
import { knownType } from "../../catalog/index.js";
import { parseExact, timeOf } from "../json/exact.js";
import type { RunEvent } from "./write.js";

/** What names a counter where nothing else says so. A name that the reference wrote has lost its `_total`. */
const COUNTER_SUFFIX = /_(total|count|sum)$/;

/** Ids that a series may have had in the middle, as its description changed. */
const IDS_PER_SERIES = 4;

/** Types of scalars that neither the lines nor the catalogue tell. */
export interface GuessedTypes {
  /** Names that are taken for counters by their suffix alone. */
  readonly counters: Set<string>;
  /** Those that have turned out to be gauges. */
  readonly gauges: Set<string>;
}

/** A series as a line has it, and the ids of its parts. */
interface SeriesIds {
  readonly key: string;
  readonly name: string;
  readonly labels: Fields;
  readonly parts: Map<string, number>;
}

/** The families and sample ids of one endpoint's lines. */
export class EndpointTable {
  private readonly defs: SampleDef[] = [];
  /** By family name and labels. */
  private readonly series = new Map<string, SeriesIds>();
  /** The series that each sample of a family was in the last line: in the next one it most likely is the same. */
  private readonly lastLine = new Map<string, SeriesIds[]>();
  private readonly families = new Map<string, Family>();
  /** Samples of info families, which stand in the metadata only and hold until it changes. */
  private infos: Fields = {};
  private ids = new Int32Array(64);
  private values = new Float64Array(64);
  private length = 0;
  private droppedCount = 0;
  private partCount = 0;

  /** @param maxSeries samples of any further series are left out and counted; each bucket is one */
  constructor(
    private readonly guessed: GuessedTypes,
    private readonly maxSeries: number,
  ) {}

  /** Samples of the last batch that were left out: their series are beyond the most that are kept. */
  get dropped(): number {
    return this.droppedCount;
  }

  /** Samples of a family that was taken for a counter are a gauge's from here on. */
  isGauge(name: string): void {
    this.defs.forEach((def, id) => {
      if (def.family.name === name && def.family.type === "counter")
        this.defs[id] = { ...def, family: { ...def.family, type: "gauge" } };
    });
  }

  describe(metadata: Fields): void {
    const infos: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(metadata)) {
      const entry = asObject(value, `metadata of ${name}`);
      const type = METRIC_TYPES.find((candidate) => candidate === entry["type"]) ?? "unknown";
      const description = typeof entry["description"] === "string" ? entry["description"] : "";
      const unit = entry["unit"];
      const known = this.families.get(name);
      // Samples of a family that is now another one are new samples.
      if (known !== undefined && (known.type !== type || known.description !== description)) {
        this.series.clear();
        this.lastLine.clear();
        this.partCount = 0;
      }
      this.families.set(name, { name, type, description, ...(typeof unit === "string" ? { declaredUnit: unit } : {}) });
      if (entry["samples"] !== undefined && isInfoFamily(name)) infos[name] = entry["samples"];
    }
    this.infos = infos;
  }

  /** The samples of a line, those of info families after its own. The batch is overwritten by the next. */
  batch(metrics: Fields): SampleBatch {
    this.length = 0;
    this.droppedCount = 0;
    for (const record of [metrics, this.infos]) {
      for (const [name, samples] of Object.entries(record)) {
        let last = this.lastLine.get(name);
        for (const [i, value] of asArray(samples, `samples of ${name}`).entries()) {
          const sample = asObject(value, `a sample of ${name}`);
          const series = this.seriesOf(name, sample["labels"] ?? NO_LABELS, last?.[i]);
          this.addSample(series, sample);
          // Beyond the most series that are kept, nothing is remembered either.
          if (series.parts.size === 0) continue;
          if (last === undefined) this.lastLine.set(name, (last = []));
          last[i] = series;
        }
      }
    }
    return { defs: this.defs, ids: this.ids, values: this.values, length: this.length };
  }

  private seriesOf(name: string, written: unknown, expected: SeriesIds | undefined): SeriesIds {
    const labels = asObject(written, `labels of ${name}`);
    if (expected !== undefined && sameLabels(labels, expected.labels)) return expected;
    const key = `${name} ${JSON.stringify(labels)}`;
    return this.series.get(key) ?? { key, name, labels, parts: new Map() };
  }

  private addSample(series: SeriesIds, sample: Fields): void {
    if (sample["buckets"] === undefined) {
      this.add(series, "value", sample["value"]);
      return;
    }
    const buckets = asObject(sample["buckets"], `buckets of ${series.name}`);
    for (const bound in buckets) this.add(series, bound, buckets[bound]);
    if (sample["sum"] !== undefined) this.add(series, "sum", sample["sum"]);
    if (sample["count"] !== undefined) this.add(series, "count", sample["count"]);
  }

  /** @param part "value", "sum", "count", or the bound of a bucket, none of which reads like these */
  private add(series: SeriesIds, part: string, value: unknown): void {
    let id = series.parts.get(part);
    if (id === undefined) {
      const { name } = series;
      const own = partOf(name, part);
      if (this.isFull) {
        this.droppedCount++;
        return;
      }
      id = this.defs.length;
      const family = this.familyOf(name, own.kind === "value" ? "scalar" : "histogram");
      this.defs.push({ family, labels: labelsOf(series.labels), part: own });
      series.parts.set(part, id);
      this.series.set(series.key, series);
      this.partCount++;
    }
    if (this.length === this.ids.length) this.grow();
    this.ids[this.length] = id;
    this.values[this.length++] = typeof value === "number" ? value : NaN;
  }

  /** Series that are described anew take another id: they count again, but not without end. */
  private get isFull(): boolean {
    return this.partCount >= this.maxSeries || this.defs.length >= IDS_PER_SERIES * this.maxSeries;
  }

  /**
   * As the metadata say. Without them a sample with buckets is a histogram's, and a scalar a counter's or a gauge's.
   */
  private familyOf(name: string, shape: "scalar" | "histogram"): Family {
    const described = this.families.get(name);
    // A type that the sample's shape contradicts would have no place for its value.
    if (described !== undefined && (described.type === "histogram") === (shape === "histogram")) return described;
    return {
      name,
      type: shape === "histogram" ? shape : this.scalarType(name),
      description: described?.description ?? "",
    };
  }

  private scalarType(name: string): MetricType {
    const known = knownType(name);
    if (known === "counter" || known === "gauge") return known;
    if (!COUNTER_SUFFIX.test(name) || this.guessed.gauges.has(name)) return "gauge";
    this.guessed.counters.add(name);
    return "counter";
  }

  private grow(): void {
    const ids = new Int32Array(this.ids.length * 2);
    const values = new Float64Array(this.values.length * 2);
    ids.set(this.ids);
    values.set(this.values);
    this.ids = ids;
    this.values = values;
  }
}

const NO_LABELS: Fields = {};

function sameLabels(a: Fields, b: Fields): boolean {
  let left = 0;
  for (const name in b) {
    if (a[name] !== b[name]) return false;
    left++;
  }
  for (const _ in a) left--;
  return left === 0;
}

function partOf(name: string, part: string): SampleDef["part"] {
  if (part === "value" || part === "sum" || part === "count") return { kind: part };
  const upper = boundValue(part);
  if (Number.isNaN(upper)) throw new Error(`"${part}" of ${name} is not a bound of a bucket`);
  return { kind: "bucket", bound: boundText(part), upper };
}

/** The labels that an object tells; none where it is something else. */
export function labelsOf(value: unknown): Labels {
  return makeLabels(Object.entries(fieldsOf(value)).map(([name, text]) => [name, String(text)] as const));
}

/** @throws Error for what tells no series' time */
export function createdOf(value: unknown): CreatedSeries[] {
  return asArray(value, "times of creation").map((item) => {
    const series = asObject(item, "a time of creation");
    return {
      family: {
        name: asString(series["metric_name"], "metric_name of a time of creation"),
        type: METRIC_TYPES.find((type) => type === series["metric_type"]) ?? "unknown",
      },
      labels: labelsOf(asObject(series["labels"], "labels of a time of creation")),
      time: timeOf(series["created_ns"]),
    };
  });
}

/** An event of a run from its line. @throws Error for one that is not known */
export function eventOf(text: string, event: Fields, time: EpochNs): RunEvent {
  switch (event["type"]) {
    case "profiling_start":
    case "profiling_end":
      return { kind: event["type"], time };
    case "mark":
      return { kind: "mark", time, label: asString(event["label"], "label of a mark") };
    case "server_event":
      return { kind: "server_event", time, event: serverEventOf(exactEvent(text), time) };
    case "remote_write":
      return { kind: "remote_write", time, written: writtenOf(event) };
    case "phase":
      return { kind: "phase", time, phase: phaseOf(exactEvent(text), time) };
    case "run_start":
      return { kind: "run_start", time, metadata: metadataOf(exactEvent(text)) };
    default:
      throw new Error(`unknown event "${String(event["type"])}"`);
  }
}

/** Parsed again, with its integers exact. */
function exactEvent(text: string): JsonObject {
  return (parseExact(text) as JsonObject)["event"] as JsonObject;
}

/** Undefined for what is no whole number of nanoseconds. */
function timeIn(value: Json | undefined): EpochNs | undefined {
  return typeof value === "bigint" || typeof value === "number" ? epochNs(BigInt(value)) : undefined;
}

function writtenOf({ url, labels, scrapes }: Fields): WrittenTo {
  const own = Object.entries(asObject(labels, "labels of a remote write")).map(
    ([name, value]) => [name, asString(value, "label of a remote write")] as const,
  );
  return {
    url: asString(url, "address of a remote write"),
    labels: Object.fromEntries(own),
    scrapes: typeof scrapes === "number" ? scrapes : 0,
  };
}

function serverEventOf(event: JsonObject, time: EpochNs): ServerEvent {
  const start = timeIn(event["start_ns"]);
  return {
    kind: event["event_kind"] === "request" ? "request" : "kv-cache",
    time,
    ...(start === undefined ? {} : { start }),
    endpointUrl: asString(event["endpoint_url"], "endpoint of an event"),
    label: asString(event["label"], "label of an event"),
    details: asObject(event["details"], "details of an event") as JsonObject,
  };
}

function phaseOf(event: JsonObject, start: EpochNs): NamedPhase {
  const [end, from, to] = [timeIn(event["end_ns"]), timeIn(event["tag_from_ns"]), timeIn(event["tag_to_ns"])];
  return {
    name: asString(event["name"], "name of a phase"),
    kind: event["phase_kind"] === "warmup" ? "warmup" : "profiling",
    start,
    ...(end === undefined ? {} : { end }),
    ...(from === undefined || to === undefined ? {} : { tags: { from, to } }),
  };
}

function metadataOf(event: JsonObject): RunMetadata {
  const { label, slice_duration: slice, input_config: config } = event;
  return {
    benchmarkId: asString(event["benchmark_id"], "benchmark_id"),
    ...(typeof label === "string" ? { label } : {}),
    endpointsConfigured: textsOf(event["endpoints_configured"]),
    sliceDurationSeconds: typeof slice === "number" && slice > 0 ? slice : 5,
    inputConfig: isFields(config) ? scrubConfiguration(config) : {},
  };
}

/** A kind of failure that is not known is "other". */
export function errorType(value: unknown): ScrapeErrorType {
  return SCRAPE_ERROR_TYPES.find((type) => type === value) ?? "other";
}

/** @throws Error naming what it should be */
export function asObject(value: unknown, what: string): Fields {
  if (!isFields(value)) throw new Error(`${what} is not a JSON object`);
  return value;
}

function asArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${what} are not a JSON array`);
  return value;
}

/** @throws Error naming what it should be */
export function asString(value: unknown, what: string): string {
  if (typeof value !== "string") throw new Error(`${what} is missing or not a string`);
  return value;
}

/** @throws Error naming what it should be */
export function asNumber(value: unknown, what: string): number {
  if (typeof value !== "number") throw new Error(`${what} is missing or not a number`);
  return value;
}

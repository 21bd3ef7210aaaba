import {
  boundText,
  boundValue,
  familyResult,
  METRIC_TYPES,
  PERCENTILES,
  RecordedUrls,
  type AiperfHistogram,
  type BucketCounts,
  type EndpointInfo,
  type EstimateIntervals,
  type FamilyResult,
  type SeriesResult,
  type SliceTimes,
} from "../../model/index.js";
import { fieldsOf, numberOf, parseJson, type Fields } from "../../text/index.js";
import { asObject, asString, labelsOf } from "../jsonl/read-line.js";
import { rowsOfFineSlices } from "../series-fields.js";
import { timeOf } from "./exact.js";

const METRIC_FIELDS = new Set(["type", "description", "unit", "series"]);
const SERIES_FIELDS = new Set([
  "endpoint_url",
  "labels",
  "stats",
  "estimate_note",
  "buckets",
  "timeslices",
  "fine_timeslices",
  "increases",
]);

/** Reads the families of a JSON artifact, statistics as stored. */
export class FamilyReader {
  /** Start of the earliest slice so far, which is the window's to the nanosecond. */
  firstSlice: bigint | undefined;

  /** @param unknown gets the fields that are not known, in order of appearance */
  constructor(
    private readonly unknown: Set<string>,
    private readonly urls = new RecordedUrls(),
  ) {}

  /** @param metric a member of `metrics`, its integers of nanoseconds as texts */
  family(name: string, metric: Fields, endpointUrl?: string): FamilyResult {
    for (const field of Object.keys(metric)) if (!METRIC_FIELDS.has(field)) this.unknown.add(`metrics › … › ${field}`);
    const type = METRIC_TYPES.find((candidate) => candidate === metric["type"]) ?? "unknown";
    const unit = metric["unit"];
    const description = typeof metric["description"] === "string" ? metric["description"] : "";
    const series = Array.isArray(metric["series"])
      ? metric["series"].map((item) => this.series(type, asObject(item, `a series of ${name}`), endpointUrl))
      : [];
    return familyResult({ name, type, description }, typeof unit === "string" ? unit : undefined, series);
  }

  /** A series as `metrics` lists it. */
  series(type: FamilyResult["type"], series: Fields, endpointUrl?: string): SeriesResult {
    for (const field of Object.keys(series))
      if (!SERIES_FIELDS.has(field)) this.unknown.add(`metrics › … › series › ${field}`);
    const base = {
      endpointUrl: this.urls.of(asString(series["endpoint_url"] ?? endpointUrl, "endpoint_url of a series")),
      labels: labelsOf(series["labels"]),
    };
    const stats = numbersOf(series["stats"]);
    const { born } = fieldsOf(series["stats"]);
    const birth = born === undefined ? {} : { born: timeOf(born) };
    const increases = series["increases"] === undefined ? undefined : fieldsOf(series["increases"]);
    switch (type) {
      case "counter": {
        const { increase, born: _, ...own } = stats;
        const cut = this.slices(series, counterSlice);
        const fine = this.fineSlices(series, counterSlice);
        const read = { kind: "counter" as const, ...base, stats: { total: NaN, rate: NaN, ...own }, ...cut, ...fine };
        if (increase === undefined) return read;
        const [totals, rare] = parted(own, (key) => key !== "resets" && key !== "gaps");
        const aiperf = { stats: { total: NaN, rate: NaN, ...totals }, ...cut };
        // Earlier versions wrote no rate of the increase; it runs over the same time.
        const rate = (increase * aiperf.stats.rate) / aiperf.stats.total;
        return {
          ...read,
          ...birth,
          stats: { total: increase, rate, ...numbersOf(increases?.["stats"]), ...rare },
          ...(increases === undefined ? {} : this.slices(increases, counterSlice)),
          aiperf,
        };
      }
      case "histogram": {
        const { increase_count: count, increase_sum: sum = NaN, born: _, ...own } = stats;
        const cut = this.slices(series, histogramSlice);
        const read = {
          kind: "histogram" as const,
          ...base,
          stats: { count: NaN, ...own },
          ...intervalsOf(series["stats"]),
          ...(typeof series["estimate_note"] === "string" ? { estimateNote: series["estimate_note"] } : {}),
          ...bucketsIn(series),
          ...cut,
          ...this.fineSlices(series, histogramSlice),
        };
        if (count === undefined) return read;
        const [totals, others] = parted(own, (key) => HISTOGRAM_TOTALS.has(key));
        const aiperf: AiperfHistogram = {
          stats: { count: NaN, ...totals },
          ...(increases?.["buckets"] === undefined ? {} : bucketsIn(series)),
          ...cut,
        };
        const { count: seen, count_rate: countRate = NaN } = aiperf.stats;
        // Earlier versions wrote the increases alone.
        const ours = {
          sum,
          ...(count > 0 ? { avg: sum / count } : {}),
          count_rate: (count * countRate) / seen,
          sum_rate: (sum * countRate) / seen,
        };
        return {
          ...read,
          ...birth,
          stats: { count, ...(increases?.["stats"] === undefined ? ours : numbersOf(increases["stats"])), ...others },
          ...(increases === undefined ? {} : { ...bucketsIn(increases), ...this.slices(increases, histogramSlice) }),
          aiperf,
        };
      }
      case "gauge":
      case "unknown":
        return {
          kind: "gauge",
          ...base,
          stats,
          ...this.slices(series, gaugeSlice),
          ...this.fineSlices(series, gaugeSlice),
        };
    }
  }

  private slices<T>(
    { timeslices }: Fields,
    of: (slice: Fields) => T,
  ): { readonly slices?: readonly (SliceTimes & T)[] } {
    return Array.isArray(timeslices) ? { slices: this.timed(timeslices, of) } : {};
  }

  private fineSlices<T>(series: Fields, of: (slice: Fields) => T) {
    const rows = rowsOfFineSlices(series["fine_timeslices"]);
    return rows.length === 0 ? {} : { fineSlices: this.timed(rows, of) };
  }

  private timed<T>(slices: readonly unknown[], of: (slice: Fields) => T): readonly (SliceTimes & T)[] {
    return slices.map((item) => {
      const slice = asObject(item, "a timeslice");
      return { ...this.times(slice), ...of(slice) };
    });
  }

  private times(slice: Fields): SliceTimes {
    const start = timeOf(slice["start_ns"]);
    if (this.firstSlice === undefined || start < this.firstSlice) this.firstSlice = start;
    return {
      start_ns: start,
      end_ns: timeOf(slice["end_ns"]),
      ...(slice["is_complete"] === false ? { is_complete: false } : {}),
    };
  }
}

const counterSlice = (slice: Fields) => ({ total: numberOf(slice["total"]), rate: numberOf(slice["rate"]) });

const histogramSlice = (slice: Fields) => ({
  count: numberOf(slice["count"]),
  sum: numberOf(slice["sum"]),
  avg: numberOf(slice["avg"]),
  buckets: bucketsOf(slice["buckets"]),
});

const gaugeSlice = (slice: Fields) => ({
  avg: numberOf(slice["avg"]),
  min: numberOf(slice["min"]),
  max: numberOf(slice["max"]),
});

/** What AIPerf defines of a histogram that restarted, beside the estimates. */
const HISTOGRAM_TOTALS = new Set(["count", "sum", "avg", "count_rate", "sum_rate"]);

/** The numbers whose keys are meant, and the others. */
function parted(numbers: Record<string, number>, isMeant: (key: string) => boolean) {
  const entries = Object.entries(numbers);
  return [
    Object.fromEntries(entries.filter(([key]) => isMeant(key))),
    Object.fromEntries(entries.filter(([key]) => !isMeant(key))),
  ] as const;
}

function bucketsIn({ buckets }: Fields): { readonly buckets?: BucketCounts } {
  return buckets === undefined || buckets === null ? {} : { buckets: bucketsOf(buckets) };
}

/**
 * Integers of nanoseconds exceed what `JSON.parse` keeps: it gets them as texts. A key ends in a quote that no text can
 * hold unescaped.
 */
export function parseNs(text: string): unknown {
  return parseJson(text.replace(/(_ns|born)"(\s*:\s*)(\d{16,})/g, '$1"$2"$3"'));
}

/** What a JSON artifact says of an endpoint; numbers that are missing are NaN. */
export function endpointInfoOf(info: Fields): EndpointInfo {
  const optional = (
    key: "failed_fetches" | "avg_update_interval_ms" | "median_update_interval_ms" | "median_fetch_interval_ms",
  ) => (typeof info[key] === "number" ? { [key]: info[key] } : {});
  return {
    total_fetches: numberOf(info["total_fetches"]),
    ...optional("failed_fetches"),
    ...(info["last_failure_ns"] === undefined ? {} : { last_failure_ns: timeOf(info["last_failure_ns"]) }),
    first_fetch_ns: timeOf(info["first_fetch_ns"]),
    last_fetch_ns: timeOf(info["last_fetch_ns"]),
    avg_fetch_latency_ms: numberOf(info["avg_fetch_latency_ms"]),
    unique_updates: numberOf(info["unique_updates"]),
    first_update_ns: timeOf(info["first_update_ns"]),
    last_update_ns: timeOf(info["last_update_ns"]),
    duration_seconds: numberOf(info["duration_seconds"]),
    ...optional("avg_update_interval_ms"),
    ...optional("median_update_interval_ms"),
    ...optional("median_fetch_interval_ms"),
  };
}

/** JSON objects do not keep the order of keys that look like integers: bounds are sorted by value. */
export function bucketsOf(value: unknown): BucketCounts {
  const buckets = Object.entries(fieldsOf(value)).map(([bound, count]) => [boundText(bound), numberOf(count)] as const);
  const sorted = buckets.every(([bound], i) => i === 0 || boundValue(buckets[i - 1]?.[0] ?? "") <= boundValue(bound));
  return sorted ? buckets : buckets.sort(([a], [b]) => boundValue(a) - boundValue(b));
}

/** Members that are numbers: an absent statistic may stand as null. */
function numbersOf(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** The percentiles' intervals: pairs of numbers, null beyond the last bound. */
export function intervalsOf(value: unknown): { readonly intervals?: EstimateIntervals } {
  const stats = fieldsOf(value);
  const found = PERCENTILES.flatMap((p) => {
    const pair = stats[`p${p}_interval`];
    if (!Array.isArray(pair) || pair.length !== 2) return [];
    const [low, high] = pair.map((end: unknown) => (typeof end === "number" ? end : undefined));
    return [[`p${p}_interval`, [low ?? -Infinity, high ?? Infinity]] as const];
  });
  return found.length === 0 ? {} : { intervals: Object.fromEntries(found) };
}

import type { EpochNs, OffsetNs } from "./time.js";

/** Label pairs sorted by name, names unique; an empty list for a series without labels. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** Identity of a label set within its family and endpoint, whatever the order the labels were written in. */
export type LabelKey = string & { readonly __key: "labels" };

/** Sorts by name; of a name that occurs twice the last value wins. */
export function makeLabels(pairs: Iterable<readonly [string, string]>): Labels {
  const unique = new Map<string, string>();
  for (const [name, value] of pairs) unique.set(name, value);
  return [...unique].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A label's value; undefined where a series lacks it. */
export function labelValue(labels: Labels, name: string): string | undefined {
  return labels.find(([own]) => own === name)?.[1];
}

/** One text for equal labels, whatever made them. */
export function labelKey(labels: Labels): LabelKey {
  return JSON.stringify(labels) as LabelKey;
}

/** The way Prometheus writes a label set: `{engine="0",le="0.5"}`; empty for no labels. */
export function formatLabels(labels: Labels): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escapedText(value)}"`).join(",")}}`;
}

/** A label's value as an exposition writes it between quotes, and as OpenMetrics writes HELP. */
export function escapedText(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
}

/** The four types an artifact knows; info and stateset are gauges, untyped is unknown. */
export type MetricType = "gauge" | "counter" | "histogram" | "unknown";

export const METRIC_TYPES: readonly MetricType[] = ["gauge", "counter", "histogram", "unknown"];

/** A metric family as exported: a counter's name has lost its `_total`. */
export interface Family {
  readonly name: string;
  readonly type: MetricType;
  /** Text of `# HELP`, unescaped; "" without one. */
  readonly description: string;
  /** OpenMetrics `# UNIT`, when given. The unit shown comes from the catalogue's rules. */
  readonly declaredUnit?: string;
  /** Of a percentage by its name alone: whether its values are shares (0.53 is 53 %) or percent. */
  readonly rangeUnit?: "ratio" | "percent";
  /** Of a counter: the name that its samples had in the exposition. Absent where it was read from a file without it. */
  readonly exposedName?: string;
}

/** Families whose name ends in `_info` describe the server; they are static and never charted. */
export function isInfoFamily(name: string): boolean {
  return name.endsWith("_info");
}

/** The text of an `le` bound as the server wrote it ("0.5", "1e-3", "+Inf"). */
export type BoundText = string & { readonly __key: "bound" };

/** What one sample line contributes to its series. */
export type SamplePart =
  | { readonly kind: "value" }
  | { readonly kind: "sum" }
  | { readonly kind: "count" }
  | { readonly kind: "bucket"; readonly bound: BoundText; readonly upper: number };

/** What a sample line says besides its value. `labels` never holds a histogram's `le`. */
export interface SampleDef {
  readonly family: Family;
  readonly labels: Labels;
  readonly part: SamplePart;
}

/** When a counter or histogram was created, as its endpoint tells. */
export interface CreatedSeries {
  readonly family: Pick<Family, "type" | "name">;
  readonly labels: Labels;
  readonly time: EpochNs;
}

/**
 * One scrape's samples: `values[i]` belongs to `defs[ids[i]]`, for i < length.
 * `defs` only ever grows within one source (parser or reader), so an id keeps its meaning from scrape to scrape.
 * Two ids may name the same part of the same series (labels in another order): the later one wins.
 * The arrays belong to the source and are overwritten by its next scrape.
 * A non-finite value of a scalar is delivered as it stood: the store makes it a gap.
 */
export interface SampleBatch {
  readonly defs: readonly SampleDef[];
  readonly ids: Int32Array;
  readonly values: Float64Array;
  readonly length: number;
  /** Only with the first samples of an endpoint: of those that come later, earlier scrapes tell when they began. */
  readonly created?: readonly CreatedSeries[];
}

/** The text of a bound as its server writes it. */
export function boundText(text: string): BoundText {
  return text as BoundText;
}

/** Value of a bound's text; NaN when it is not a number. */
export function boundValue(text: string): number {
  // Most begin with a digit, and each is read once a line of a first scrape.
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return Number(text);
  const lower = text.toLowerCase();
  if (lower === "+inf" || lower === "inf" || lower === "+infinity" || lower === "infinity") return Infinity;
  if (lower === "-inf" || lower === "-infinity") return -Infinity;
  return text.trim() === "" ? NaN : Number(text);
}

/** Number of a series in its store; stable for the store's life. */
export type SeriesId = number & { readonly __key: "series" };

/** Position of an endpoint in its store. */
export type EndpointId = number & { readonly __key: "endpoint" };

export interface SeriesKey {
  readonly id: SeriesId;
  readonly endpoint: EndpointId;
  readonly endpointUrl: string;
  readonly family: Family;
  readonly labels: Labels;
  /** When it was created, where that was during the run and no scrape before its first sample succeeded. */
  readonly created?: OffsetNs;
}

/** The samples of a gauge, counter or unknown, in time order. Gaps are not in it. */
export interface ScalarSamples {
  readonly kind: "scalar";
  /** OffsetNs of each sample. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** OffsetNs of the samples that were NaN or infinite. */
  readonly gapTimes: Float64Array;
  /** As a histogram's. */
  readonly unborn?: number;
}

/** A stretch of a histogram's samples that share their bounds. */
export interface HistogramSegment {
  /** Upper bounds as written, sorted by value, "+Inf" last. */
  readonly bounds: readonly BoundText[];
  /** Their values; the last is Infinity. */
  readonly uppers: Float64Array;
  readonly times: Float64Array;
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  /** Cumulative over bounds, as exposed: `buckets[b][i]` is bound b at sample i. */
  readonly buckets: readonly Float64Array[];
}

/** The samples of a histogram, in time order; more than one segment when its bounds changed. */
export interface HistogramSamples {
  readonly kind: "histogram";
  readonly segments: readonly HistogramSegment[];
  /**
   * How many of the first samples are zeros that stand for earlier scrapes, which lacked the series: it was born during
   * the run. Absent where all samples were scraped.
   */
  readonly unborn?: number;
}

export type SeriesSamples = ScalarSamples | HistogramSamples;

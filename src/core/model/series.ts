import type { Family } from "./family.js";
import type { Labels } from "./labels.js";
import type { BoundText } from "./sample.js";
import type { OffsetNs } from "./time.js";

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

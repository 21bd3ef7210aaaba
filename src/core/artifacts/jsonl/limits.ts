import { DEFAULT_LIMITS } from "../../model/index.js";

/** What is read of a file: what lies beyond is left out and reported. */
export interface JsonlLimits {
  /** A longer line is skipped and reported as a problem of it. */
  readonly lineBytes: number;
  /** Series of one endpoint; each bucket is one. */
  readonly series: number;
}

/** What a capture was allowed to take is in its files, however much that is; V8's longest text. */
export const NO_JSONL_LIMITS: JsonlLimits = { lineBytes: 512 * 1024 ** 2 - 1024, series: Infinity };

/** As a capture's: no answer within its limits makes a longer line. */
export const DEFAULT_JSONL_LIMITS: JsonlLimits = {
  lineBytes: 1.25 * DEFAULT_LIMITS.bodyBytes,
  series: DEFAULT_LIMITS.series,
};

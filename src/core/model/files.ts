import type { SeriesId } from "./series.js";
import type { EndpointInfo } from "./statistics.js";
import type { EpochNs } from "./time.js";

/** What a file turned out to be, by its content. "earlier-…": AIPerf's layouts before its server-metrics exports. */
export type FileFormat =
  | "json"
  | "csv"
  | "jsonl"
  | "parquet"
  | "journal"
  | "scrape-log"
  | "snapshot"
  | "metric-dump"
  | "client"
  | "earlier-json"
  | "earlier-csv";

/**
 * What a file says of its run that its samples alone do not tell: they hold the window only, and no gaps. It holds for
 * the file's own window and slice length.
 */
export interface FileStatistics {
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly sliceSeconds?: number;
  /** By URL; of the whole capture. */
  readonly endpointInfo: ReadonlyMap<string, EndpointInfo>;
  /** NaN or infinite samples of a series in the window. */
  readonly gaps: ReadonlyMap<SeriesId, number>;
  /**
   * The time of each counter's and histogram's reference is not known: a sample of 0 just before the window stands for
   * it.
   */
  readonly assumedReference?: EpochNs;
}

/** What the reader of a rate must know of a run with an assumed reference. */
export const RATES_FROM_FIRST_INSIDE =
  "rates are counted from the first sample inside the window, so they can be too high by up to one scrape interval in the length of the window; the JSON or JSONL of the same run has the exact rates";

/** A file of a folder that is not read, and why. */
export interface LeftOutFile {
  readonly path: string;
  readonly reason: string;
}

/**
 * So many files of a folder that end the process or engine which reads them, such as by their memory, are left out;
 * each costs that those before it are read again.
 */
export const MAX_LEFT_OUT = 20;

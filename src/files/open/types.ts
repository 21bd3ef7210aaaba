import type { ClientResult } from "../../core/client/index.js";
import type { EpochNs, FileFormat, Phase, Problem, RunStatistics, WindowRule } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { MemoryOptions } from "../memory.js";
import type { Reach } from "../opener.js";

/** Another file of the same run beside the one that was opened. */
export interface SiblingFile {
  readonly path: string;
  readonly format: FileFormat;
}

interface OpenedBase {
  readonly path: string;
  readonly format: FileFormat;
  /** Size of the file. */
  readonly bytes: number;
  /** Absent when the file does not tell. */
  readonly benchmarkId?: string;
  readonly schemaVersion?: string;
  /** The program that wrote the file, when it says. */
  readonly exporter?: string;
  /** What was not understood and what was skipped; the worst first. */
  readonly notices: readonly Problem[];
  /** What no file of this format holds; absent when it holds all of its run. */
  readonly lacks?: Problem;
  /** What benchmark clients measured in this run, each at one load; their series are in the run, too. */
  readonly clients?: readonly ClientResult[];
  /** Files of the same run in the same folder, the richest first. */
  readonly siblings: readonly SiblingFile[];
}

/** Full series: slice length and window may be changed, and all artifacts written again. */
export interface OpenedSamples extends OpenedBase {
  readonly kind: "samples";
  readonly run: Run;
  /** Of a format that is appended to: the same run, as it goes on. */
  readonly growing?: GrowingRun;
}

/** What came with one reading of a file that grows. */
export interface Growth {
  /** New scrapes are in the run. */
  readonly grown: boolean;
  /** Of the whole file, but for what the next reading may change: a half line, a missing end. */
  readonly notices: readonly Problem[];
}

/**
 * The run of a file that others append to (JSONL, a journal). It holds nothing open: who no longer wants it lets go of
 * it. All its methods throw a UserError: with code "replaced" when the file no longer holds what was read of it.
 */
export interface GrowingRun {
  readonly run: Run;
  /** As if nothing more came. */
  readonly notices: readonly Problem[];
  /** Absent when the file does not tell. */
  readonly benchmarkId: string | undefined;
  /** Of the file, as far as it has been read. */
  readonly bytes: number;
  /** Whether there is more on disk than was read. */
  hasGrown(): Promise<boolean>;
  /**
   * Takes what was appended since into the run, from the last complete line on. The run has no end of profiling while
   * the file tells none. To be called again once it has settled. @throws also the signal's reason
   */
  readMore(options?: { readonly signal?: AbortSignal }): Promise<Growth>;
}

/** One phase's statistics, as stored. */
export interface StoredPhase {
  readonly name: string;
  readonly kind: Phase;
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly statistics: RunStatistics;
}

/** Statistics as stored. */
export interface OpenedStatistics extends OpenedBase {
  readonly kind: "statistics";
  /** Without a window in the file, `startNs` and `endNs` are 0. */
  readonly statistics: RunStatistics;
  /** What can be chosen of it; at least one. */
  readonly phases: readonly StoredPhase[];
}

/** One exposition: a table of values without time. */
export interface OpenedSnapshot extends OpenedBase {
  readonly kind: "snapshot";
  /** Of a single scrape. */
  readonly run: Run;
}

export type OpenedArtifact = OpenedSamples | OpenedStatistics | OpenedSnapshot;

export interface OpenOptions extends MemoryOptions, Reach {
  /** Files or folders of the benchmark client; absent: those beside the artifact. */
  readonly client?: readonly string[];
  /** Added to the times of the client. */
  readonly clientOffsetSeconds?: number;
  /** What is measured: the load, or all that was captured. Absent: as the file says. */
  readonly window?: WindowRule;
  /** Most series of an endpoint that are read of a JSONL or journal; by default as many as a capture takes. */
  readonly seriesLimit?: number;
  /** Names of the families that are wanted; a format whose families can be read one by one leaves out the others. */
  readonly only?: (family: string) => boolean;
  /** Share read, 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
  /**
   * Called once, when the first scrapes have been read: a run that can be shown and goes on growing until the file is
   * read. Its series keep their ids in the run that is opened in the end.
   */
  readonly onFirstSamples?: (run: Run) => void;
}

import type { ArtifactFormat, Compression } from "./names.js";

/** What to write of a run, and where. */
export interface ExportOptions {
  readonly directory: string;
  readonly prefix?: string;
  readonly formats: readonly ArtifactFormat[];
  /** Absent: not packed. */
  readonly compression?: Compression;
  /** Cells of CSV that a spreadsheet would run as formulas are neutralised. */
  readonly csvSafe?: boolean;
  /** Absent: the run's own. */
  readonly sliceDurationSeconds?: number;
  /** Exact window, nanoseconds since the epoch as decimal digits; absent: the current window. */
  readonly startNs?: string;
  readonly endNs?: string;
  /** Read every file back before any gets its name (asked for before a journal is removed). */
  readonly verify: boolean;
  /** A summary for people is written beside the files. */
  readonly summary?: boolean;
  /** A file that has one of the names is another run's: it stays, and none of these gets its name. */
  readonly keepExisting?: boolean;
}

export interface ExportedFile {
  readonly format: ArtifactFormat;
  readonly path: string;
  readonly bytes: number;
}

import type { ArtifactFormat } from "../core/artifacts/names.js";
import type { Role } from "../core/catalog/index.js";
import type {
  FileFormat,
  OffsetNs,
  Phase,
  Problem,
  ScrapeCost,
  ServerEventKind,
  StoredTotals,
  WindowRule,
} from "../core/model/index.js";
import type { StaticFact } from "../core/query/types/index.js";

/* What a run is and how it goes: a capture under way or a saved run. Times are OffsetNs relative to its origin. */

export type RunState = "capturing" | "stopping" | "stopped" | "opening" | "opened" | "following";

/** "recorded": its file has its metrics, but does not say whether it still answered at the end. */
export type EndpointState = "connecting" | "up" | "failing" | "disabled" | "recorded";

export interface EndpointStatus {
  readonly url: string;
  /** host:port plus path, without scheme and `/metrics`. */
  readonly displayName: string;
  readonly label?: string;
  readonly state: EndpointState;
  /** Time of its last answer, of a run that is over and went on without it. */
  readonly answeredUntil?: OffsetNs;
  /** Of the last scrape that answered. */
  readonly latencyMs?: number;
  /** Of a capture under way. */
  readonly cost?: ScrapeCost;
  readonly scrapes: number;
  readonly failures: number;
  /** Ticks skipped because a scrape was late. */
  readonly missedTicks: number;
  /** Names of the servers recognised by their families: "vLLM", "SGLang", … */
  readonly servers: readonly string[];
  /** What it does for a request, where some endpoints of the run compute prompts and others tokens. */
  readonly role?: Role;
  readonly families: number;
  /** Absent while it is not known: of a large file only what is asked for is read. */
  readonly series?: number;
  readonly problems: readonly Problem[];
}

/** Events of servers of one kind that lie close together. */
export interface EventsStatus {
  readonly kind: ServerEventKind;
  /** Of the first of them. */
  readonly time: OffsetNs;
  readonly count: number;
  /** Of a single event its own, else how many there are. */
  readonly label: string;
}

/** A part of a run that its window can be set to. */
export interface PhaseStatus {
  readonly name: string;
  /** idle: before or after the load that is measured. */
  readonly kind: Phase | "idle";
  /** Its statistics run from here … */
  readonly start: OffsetNs;
  /** … to here. */
  readonly end: OffsetNs;
}

export interface LoadStatus {
  readonly rule: WindowRule;
  /** "measured: 11.5 s of load out of 20.5 s captured". */
  readonly text: string;
  /** What the other rule changes: "Generation Tokens: 156 tokens/s over the load, 87.5 tokens/s over all". */
  readonly changes?: string;
  /** Whether the samples outside of it are at hand, so that all of them can be measured. */
  readonly switchable: boolean;
}

export interface RunHeader {
  readonly state: RunState;
  readonly phase: Phase;
  readonly label?: string;
  readonly benchmarkId: string;
  /** Wall clock of offset 0, milliseconds since the epoch (for hover text; the exact value is `originNs`). */
  readonly originMs: number;
  /** Decimal digits. */
  readonly originNs: string;
  /** Newest sample. */
  readonly now: OffsetNs;
  readonly profilingStart: OffsetNs;
  /** Where the warm-up ended as recorded, when a user has moved its end. */
  readonly recordedProfilingStart?: OffsetNs;
  readonly profilingEnd?: OffsetNs;
  /** Absent when a file does not tell. */
  readonly elapsedSeconds?: number;
  readonly sliceDurationSeconds: number;
  /** The stretch a user chose for all statistics; absent: the profiling phase. */
  readonly window?: { readonly start: OffsetNs; readonly end: OffsetNs };
  /** Where the load lies in all that was captured, and which of the two is measured; absent where none is known. */
  readonly load?: LoadStatus;
  /** Warm-ups and named phases, in the order of their starts; absent where there are none. */
  readonly phases?: readonly PhaseStatus[];
  /** The samples are there and at rest: slice length and window can be changed. */
  readonly adjustable: boolean;
  /** What the run can be written as. */
  readonly exportable: readonly ArtifactFormat[];
  /** The file that the run was read from. */
  readonly file?: OpenedFile;
  /** Share of the file read so far, 0 to 1, while it is being opened. */
  readonly readShare?: number;
  /** Absent when a file does not tell. */
  readonly scrapes?: number;
  /** Absent when a file does not tell. */
  readonly gaps?: number;
  /** What a capture was last written to. */
  readonly artifacts?: readonly { readonly path: string; readonly format: FileFormat; readonly bytes: number }[];
  readonly endpoints: readonly EndpointStatus[];
  /** Of totals that a store made: the instances behind them, which can be opened. */
  readonly totals?: StoredTotals;
  readonly facts: readonly StaticFact[];
  readonly marks: readonly { readonly time: OffsetNs; readonly label: string }[];
  /** In the order of time; absent: the run has none. */
  readonly events?: readonly EventsStatus[];
  /** Of the run as a whole: journal full, nothing reachable, notes of the parser. */
  readonly problems: readonly Problem[];
}

export interface OpenedFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly bytes: number;
  /** What no file of this format holds; absent when it holds all of its run. */
  readonly lacks?: string;
  /** Of its layout, when it says. */
  readonly schemaVersion?: string;
  /** The program that wrote it, when it says. */
  readonly exporter?: string;
  /** This file was asked for, and not the best one of its run. */
  readonly alone?: true;
  /** Files of the same run beside it, the richest first. */
  readonly siblings: readonly { readonly path: string; readonly format: FileFormat }[];
}

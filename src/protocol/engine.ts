import type { ExportedFile, ExportOptions } from "../core/artifacts/names.js";
import type {
  CollectOptions,
  EndpointOptions,
  OffsetNs,
  OwnLabels,
  ProvenanceOptions,
  Reachability,
  WindowRule,
} from "../core/model/index.js";
import type { LibraryEngineRequests, LibraryEvents } from "./library.js";
import type { StoreRequests } from "./stores.js";
import type { OpenedFile } from "./run-header.js";
import type { RunEvents, RunRequests, Problem } from "./run-requests.js";

/*
 * What the extension host asks of an engine: the worker that owns one run (capture, recovered journal or opened
 * artifact) with its store, journal and statistics, off the extension host's event loop.
 */

export {
  type ExportedFile,
  type ExportOptions,
  ARTIFACT_FORMATS,
  EXPORT_FORMATS,
  type ArtifactFormat,
  type Compression,
} from "../core/artifacts/names.js";
export type { CollectOptions, EndpointOptions, Reachability } from "../core/model/index.js";

export interface CaptureOptions extends CollectOptions {
  readonly endpoints: readonly EndpointOptions[];
  readonly reachabilityTimeoutMs: number;
  /** Servers of trtllm-serve whose requests and KV-cache events are read, which takes them away from other readers. */
  readonly eventServers?: readonly EndpointOptions[];
  readonly label?: string;
  readonly warmup:
    { readonly kind: "none" } | { readonly kind: "duration"; readonly seconds: number } | { readonly kind: "manual" };
  readonly sliceDurationSeconds: number;
  /** What is measured once the capture is over; absent: the load. */
  readonly window?: WindowRule;
  /** A store that gets every sample as it comes, by remote write 1.0. */
  readonly remoteWrite?: RemoteWriteOptions;
  /** File of the always-on journal; absent: no journal (only for callers that keep the run otherwise). */
  readonly journalPath?: string;
  readonly journalLimitBytes: number;
  /** What is recorded of where the run came from; absent: nothing. */
  readonly provenance?: ProvenanceOptions;
  /** Each second of the journal is waited for until it has reached the disk; absent: yes. */
  readonly journalSync?: boolean;
}

export interface RemoteWriteOptions {
  readonly store: EndpointOptions;
  /** Of all series, beside `run_id` and `label`. */
  readonly labels: OwnLabels;
}

/** What an engine opens. */
export interface OpenedSource {
  readonly path: string;
  /** Other files of its run, read in this order where it cannot be; absent: this file is asked for alone. */
  readonly instead?: readonly string[];
  /** Real path of the folder that all that is read has to lie in; absent: anywhere. */
  readonly within?: string;
}

/** Rejections carry a DescribedError; a cancelled request rejects with code "cancelled". */
export interface EngineRequests extends RunRequests, StoreRequests, LibraryEngineRequests {
  probe: {
    params: { readonly endpoints: readonly EndpointOptions[]; readonly timeoutMs: number };
    result: readonly Reachability[];
  };
  /** Probes the catalogue's (or the given) local ports. */
  discover: {
    params: { readonly ports: readonly number[]; readonly timeoutMs: number };
    result: readonly Reachability[];
  };
  /**
   * Tests the endpoints and starts at the first answer with metrics, or with all tested; rejects with code
   * "nothing-reachable" when none is reachable. The others join as they are tested.
   */
  startCapture: { params: CaptureOptions; result: readonly Reachability[] };
  /** Settles once all endpoints of the capture have been tested. */
  tested: { params: Record<string, never>; result: readonly Reachability[] };
  markProfilingStart: { params: Record<string, never>; result: null };
  /** @param time where it is not now */
  addMark: { params: { readonly label: string; readonly time?: OffsetNs }; result: null };
  /** The journal continues in another file, which must not exist, with all that it holds. Rejects when that fails. */
  moveJournal: { params: { readonly path: string }; result: null };
  retryEndpoint: { params: { readonly url: string }; result: null };
  /** Goes on with another in the place of an endpoint, such as the same with other headers; what came before stays. */
  replaceEndpoint: { params: { readonly url: string; readonly endpoint: EndpointOptions }; result: null };
  removeEndpoint: { params: { readonly url: string }; result: null };
  /** Final scrape; the run stays queryable and exportable. With why there is nothing to write, where there is not. */
  stopCapture: { params: Record<string, never>; result: Problem | null };
  /** Deletes temporary files and leaves existing ones alone on failure or cancel. */
  /** With what the files lack though the run has it. */
  export: {
    params: ExportOptions;
    result: { readonly files: readonly ExportedFile[]; readonly losses: readonly Problem[] };
  };
  /** Reads an artifact, scrape log or exposition of any format. Rejects with what was expected where. */
  open: { params: OpenedSource; result: OpenedFile };
  /**
   * Whether the opened file has been appended to since it was read; false for formats that never are. Rejects with code
   * "replaced" when it no longer holds what was read.
   */
  hasGrown: { params: Record<string, never>; result: boolean };
  /**
   * Rebuilds a run from a journal (or our own JSONL), torn end and all. A store that was being written to gets what it
   * is missing.
   */
  recover: {
    params: { readonly journalPath: string; readonly remoteWrite?: RemoteWriteOptions };
    result: { readonly scrapes: number; readonly problems: readonly Problem[] };
  };
}

export interface EngineEvents extends RunEvents, LibraryEvents {
  /** Of a long request: probing, exporting, recovering. */
  work: { readonly request: string; readonly message: string; readonly fraction?: number };
  /** One warning for the user, already worded; also in the log. */
  notice: Problem & { readonly endpointUrl?: string };
  log: { readonly level: "debug" | "info" | "warn" | "error"; readonly message: string };
}

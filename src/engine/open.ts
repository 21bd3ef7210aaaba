import { StoredRun } from "../core/query/index.js";
import type { Problem } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import { openForViewing, type Detected, type GrowingRun, type OpenedStatistics } from "../files/open/index.js";
import type { OpenedFile } from "../protocol/index.js";
import { LargeRun } from "./large-run.js";

export interface OpenContext {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string, fraction: number) => void;
  /** The first samples are there: a run that grows until the file is read. */
  readonly onFirstSamples: (run: Run, file: OpenedFile) => void;
}

/**
 * A file's content: all samples, those of single families on demand, or the statistics that a JSON or CSV artifact
 * stores.
 */
export type OpenedContent = { readonly problems: readonly Problem[]; readonly file: OpenedFile } & (
  | { readonly kind: "saved"; readonly run: Run; readonly growing?: GrowingRun }
  | { readonly kind: "large"; readonly run: LargeRun }
  | { readonly kind: "statistics"; readonly stored: StoredRun; readonly opened: OpenedStatistics }
);

/** @throws FileError with what was expected and where; the signal's reason */
export async function openFile(
  path: string,
  { signal, onProgress, onFirstSamples }: OpenContext,
): Promise<OpenedContent> {
  let detected: Detected | undefined;
  const options = {
    signal,
    onProgress: (fraction: number) => onProgress("Reading", fraction),
    onFirstSamples: (run: Run) => {
      if (detected !== undefined) onFirstSamples(run, { path, ...detected, siblings: [] });
    },
  };
  const opened = await openForViewing(path, options, (told) => (detected = told));
  const { format, bytes, siblings, lacks, notices, schemaVersion, exporter } = opened;
  // What the format lacks is said beside the files that have it.
  const file: OpenedFile = {
    path,
    format,
    bytes,
    siblings,
    ...(lacks === undefined ? {} : { lacks: lacks.reason }),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(exporter === undefined ? {} : { exporter }),
  };
  const base = { problems: notices.filter((notice) => notice !== lacks), file };
  switch (opened.kind) {
    case "statistics":
      return { ...base, kind: "statistics", stored: new StoredRun(opened.statistics), opened };
    case "families":
      return { ...base, kind: "large", run: new LargeRun(opened.families) };
    case "samples":
      return {
        ...base,
        kind: "saved",
        run: opened.run,
        ...(opened.growing === undefined ? {} : { growing: opened.growing }),
      };
    case "snapshot":
      return { ...base, kind: "saved", run: opened.run };
  }
}

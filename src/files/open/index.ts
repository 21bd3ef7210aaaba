import type { Problem } from "../../core/model/index.js";
import { FileError } from "../failure.js";
import { replayScrapeLog } from "../replay.js";
import { detectFormat } from "./detect.js";
import { openEarlierCsv, openEarlierJson } from "./earlier.js";
import { GrowingJsonl } from "./jsonl.js";
import { ParquetArtifact } from "./parquet.js";
import { siblingsOf } from "./siblings.js";
import { openExposition } from "./snapshot.js";
import { readCsvFile, readJsonFile, type ReadFile } from "./statistics.js";
import type { GrowingRun, OpenedArtifact, OpenFormat, OpenOptions } from "./types.js";

export { convertArtifact, convertibleTo } from "./convert.js";
export { detectFormat, type Detected } from "./detect.js";
export { ParquetArtifact, type ParquetFamily } from "./parquet.js";
export { distinctRuns } from "./siblings.js";
export type * from "./types.js";

/**
 * Opens any artifact, by its content: JSON, CSV, JSONL, Parquet, a journal, a scrape log, an exposition, and earlier layouts. Nothing is
 * ever written. A Parquet file is read whole; `ParquetArtifact` reads one family by family.
 * @throws FileError saying what was expected and where; the signal's reason
 */
export async function openArtifact(path: string, options: OpenOptions = {}): Promise<OpenedArtifact> {
  const { format, bytes } = await detectFormat(path);
  options.signal?.throwIfAborted();
  const opened = await openers[format](path, options).catch((error: unknown) => {
    throw tooLong(path, error);
  });
  const siblings = opened.benchmarkId === undefined ? [] : await siblingsOf(path, opened.benchmarkId);
  return { ...opened, path, format, bytes, notices: worstFirst(opened.notices), siblings };
}

export function worstFirst(notices: readonly Problem[]): readonly Problem[] {
  return [...notices].sort((a, b) => Number(a.severity === "info") - Number(b.severity === "info"));
}

/**
 * Opens a file that others may be appending to, a JSONL or a journal, to go on reading it as it grows.
 * @throws FileError, also when it is of another format or holds no scrape yet; the signal's reason
 */
export async function openGrowing(path: string, options: OpenOptions = {}): Promise<GrowingRun> {
  const { format } = await detectFormat(path);
  options.signal?.throwIfAborted();
  if (format !== "jsonl" && format !== "journal") throw new FileError(`${path} cannot be followed: only JSONL and journals are appended to.`);
  return GrowingJsonl.open(path, options).catch((error: unknown) => {
    throw tooLong(path, error);
  });
}

/** A run may be too long for one axis of time. */
function tooLong(path: string, error: unknown): unknown {
  return error instanceof RangeError ? new FileError(`${path} cannot be shown: ${error.message}.`) : error;
}

type Distributed<T> = T extends OpenedArtifact ? Omit<T, "path" | "format" | "bytes" | "siblings"> : never;
type Content = Distributed<OpenedArtifact>;

const openers: Record<OpenFormat, (path: string, options: OpenOptions) => Promise<Content>> = {
  json: async (path, options) => fromStatistics(await readJsonFile(path, options)),
  csv: async (path, options) => fromStatistics(await readCsvFile(path, options)),
  jsonl: openJsonl,
  journal: openJsonl,
  parquet: async (path, options) => {
    const artifact = await ParquetArtifact.open(path);
    try {
      const { benchmarkId, schemaVersion, exporter } = artifact.about;
      const run = await artifact.loadAll(options);
      return {
        kind: "samples",
        run,
        notices: artifact.notices,
        ...(benchmarkId === undefined ? {} : { benchmarkId }),
        ...(schemaVersion === undefined ? {} : { schemaVersion }),
        ...(exporter === undefined ? {} : { exporter }),
      };
    } finally {
      await artifact.close();
    }
  },
  "scrape-log": async (path, { signal, onProgress }) => {
    const { run, problems } = await replayScrapeLog(path, { sliceDurationSeconds: 5, ...(signal === undefined ? {} : { signal }), ...(onProgress === undefined ? {} : { onProgress }) });
    return { kind: "samples", run, notices: [...problems, { severity: "info", reason: "A scrape log does not tell where the warm-up ends: the window is the whole log." }] };
  },
  exposition: async (path) => ({ kind: "snapshot", ...(await openExposition(path)) }),
  "earlier-json": async (path, options) => fromStatistics(await openEarlierJson(path, options)),
  "earlier-csv": async (path, options) => fromStatistics(await openEarlierCsv(path, options)),
};

async function openJsonl(path: string, options: OpenOptions): Promise<Content> {
  const growing = await GrowingJsonl.open(path, options);
  const { run, notices, benchmarkId } = growing;
  run.endWithLastScrape();
  return { kind: "samples", run, growing, notices, ...(benchmarkId === undefined ? {} : { benchmarkId }) };
}

function fromStatistics({ statistics, ...rest }: ReadFile): Content {
  const { benchmarkId } = statistics;
  return { kind: "statistics", statistics, ...rest, ...(benchmarkId === "" ? {} : { benchmarkId }) };
}

import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setImmediate } from "node:timers/promises";
import { join } from "node:path";
import {
  artifactName,
  jsonlLines,
  openMetrics,
  writeCsv,
  writeJson,
  type ArtifactFormat,
  type ExportedFile,
  type ExportOptions,
} from "../core/artifacts/index.js";
import { familyUnit } from "../core/catalog/index.js";
import { epochNs, toEpoch, type RunStatistics } from "../core/model/index.js";
import { statisticsByPhase } from "../core/phases/index.js";
import { currentWindow, cutSlices, type RunWindow } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import { pendingFile, removeLeftovers, writeAll, writeText, type WriteOutcome } from "./atomic.js";
import { FileError, PartialExport } from "./failure.js";
import { makeFolder } from "./folder.js";
import { phaseFiles, removeEmptyPhaseFolders } from "./phase-export.js";
import { writePacked } from "./packed.js";
import { writeParquet } from "./parquet/write.js";
import { verifyFile } from "./verify.js";
import { VERSION } from "./version.js";

export interface ExportContext {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string, fraction?: number) => void;
}

/** How long the statistics may hold the event loop at a time. */
const HOLD_MS = 15;

/**
 * Writes a run's artifacts: each of them that can be written, on cancel none.
 * @throws FileError (code "export-failed"), PartialExport when formats failed; the signal's reason
 */
export async function exportArtifacts(
  run: Run,
  options: ExportOptions,
  { signal, onProgress }: ExportContext = {},
): Promise<readonly ExportedFile[]> {
  const { directory, prefix, formats, compression } = options;
  // Taken before anything is waited for: what was there when the export was asked for.
  const window = windowOf(run, options);
  const { scrapes } = run.store;
  await makeFolder(directory);
  const sliceSeconds = options.sliceDurationSeconds ?? run.sliceSeconds;
  // A request that cannot be met is refused whole; at the end of a capture everything is written that can be.
  if (!options.verify && (formats.includes("json") || formats.includes("csv")))
    cutSlices(Number(window.start - run.store.origin), Number(window.end - run.store.origin), sliceSeconds);
  let computing: Promise<RunStatistics> | undefined;
  // For JSON and CSV alone: the others do not fail with it.
  const statistics = () =>
    (computing ??= computed(
      statisticsByPhase(run, { window, sliceSeconds, unitOf: familyUnit }),
      "Computing statistics",
      {
        signal,
        onProgress,
      },
    ));
  const about = { version: VERSION };
  const exportTime = epochNs(BigInt(Date.now()) * 1_000_000n);
  // Of a part of the run, phases would say more than the files beside them.
  const whole = options.startNs === undefined && options.endNs === undefined && run.chosenWindow === undefined;
  let parquetRows = 0;
  const writers: Record<ArtifactFormat, (path: string) => Promise<unknown>> = {
    json: async (path) => writeText(path, writeJson(await statistics(), about), signal),
    csv: async (path) => writeText(path, writeCsv(await statistics(), about), signal),
    jsonl: (path) => writeText(path, withLineEnds(jsonlLines(run, scrapes)), signal),
    openmetrics: (path) => writeText(path, openMetrics(run, whole ? undefined : window), signal),
    parquet: async (path) => {
      const parquet = { window, sliceDurationSeconds: sliceSeconds, exporter: about, exportTime, hostname: hostname() };
      parquetRows = (await writeParquet(path, run, parquet, signal === undefined ? {} : { signal })).rows;
    },
  };
  await removeLeftovers(directory);
  const files = formats.map((format) => ({
    format,
    ...pendingFile(join(directory, artifactName(format, prefix, compression))),
  }));
  const outcomes = await writeAll(
    [
      ...files.map(({ format, ...file }, i) => ({
        ...file,
        write: async (temporary: string) => {
          onProgress?.(`Writing ${artifactName(format, prefix)}`, i / files.length);
          await writePacked(temporary, compression, writers[format], signal);
        },
        ...(options.verify
          ? {
              check: async (temporary: string) =>
                verifyFile(format, temporary, { run, statistics, parquetRows, scrapes }),
            }
          : {}),
      })),
      ...(whole && formats.includes("json") ? phaseFiles(run, { directory, sliceSeconds, compression, signal }) : []),
    ],
    signal,
  ).finally(() => removeEmptyPhaseFolders(run, directory));
  return exported(files, outcomes);
}

/** The files that were written, of outcomes in their order. @throws PartialExport when any was not */
export async function exported(
  files: readonly { readonly format: ArtifactFormat; readonly path: string }[],
  outcomes: readonly WriteOutcome[],
): Promise<readonly ExportedFile[]> {
  const failures = files.flatMap(({ format }, i) => {
    const outcome = outcomes[i];
    return outcome?.kind === "failed" ? [{ format, error: outcome.error }] : [];
  });
  // What comes after them are the phases' files, which go with JSON.
  for (const outcome of outcomes.slice(files.length))
    if (outcome.kind === "failed") failures.push({ format: "json", error: outcome.error });
  const written = await Promise.all(
    files
      .filter((_, i) => outcomes[i]?.kind === "written")
      .map(async ({ format, path }) => ({ format, path, bytes: (await stat(path)).size })),
  );
  if (failures.length > 0) throw new PartialExport(written, failures);
  return written;
}

function windowOf(run: Run, { startNs, endNs }: ExportOptions): RunWindow {
  const current = currentWindow(run);
  if (startNs === undefined && endNs === undefined) {
    // Of a capture that goes on, all formats end where it stands now.
    return run.profilingEnd === undefined ? { ...current, kind: "exact" } : current;
  }
  const start = startNs === undefined ? current.start : epochNs(BigInt(startNs));
  const end = endNs === undefined ? current.end : epochNs(BigInt(endNs));
  if (end < start)
    throw new FileError(
      `the window is empty: it ends (${end}) before it starts (${start}).`,
      undefined,
      "export-failed",
    );
  // Far from the run these are not exact, and need not be.
  const [from, to] = [Number(start - run.store.origin), Number(end - run.store.origin)];
  if (!run.store.endpoints.some((axis) => axis.times.view().some((time) => time >= from && time <= to))) {
    const last = toEpoch(run.newest, run.store.origin);
    throw new FileError(
      `the window from ${start} to ${end} holds no scrape.`,
      `The run's scrapes lie between ${run.store.origin} and ${last} (nanoseconds since the epoch).`,
      "export-failed",
    );
  }
  return { start, end, kind: "exact" };
}

async function computed<T>(
  steps: Generator<number, T>,
  message: string,
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: ExportContext["onProgress"] },
): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < HOLD_MS) continue;
    onProgress?.(message, step.value);
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  }
}

function* withLineEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield `${line}\n`;
}

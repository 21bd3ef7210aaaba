import { mkdir, rmdir, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import {
  artifactName,
  csvRowCount,
  csvText,
  EXPORT_FORMATS,
  jsonlText,
  openMetrics,
  packedName,
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  phaseStatisticsText,
  type ArtifactFormat,
  type ExportedFile,
  type ExportOptions,
} from "../../core/artifacts/index.js";
import { familyUnit } from "../../core/catalog/index.js";
import type { EpochNs } from "../../core/model/index.js";
import type { UserError } from "../../core/text/user-error.js";
import { phaseStatistics, runPhases } from "../../core/window/index.js";
import type { Run } from "../../core/store/index.js";
import { pendingFile, writeFiles, type PendingFile, type WriteOutcome } from "../atomic.js";
import { writeFileWith, writePieces, type OutputFile } from "./output-file.js";
import { writePacked } from "../packed.js";
import { writeParquet } from "../parquet/write.js";
import { statisticsPass, type PassOutcome, type PassPlan } from "./statistics-pass.js";
import { runInBackground } from "../background.js";
import { verifyFile } from "./verify.js";
import { VERSION } from "../version.js";

export interface ExportContext {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string, fraction?: number) => void;
}

/** What is written of a run, as plain data. */
export interface ExportPlan extends PassPlan {
  readonly options: ExportOptions;
  /** How many of the run's scrapes there were when the export began. */
  readonly scrapes: number;
  /** Of a part of the run, phases would say more than the files beside them. */
  readonly isWholeRun: boolean;
  readonly exportTime: EpochNs;
}

/** How an export went. */
export interface Exported {
  readonly written: readonly ExportedFile[];
  readonly failures: readonly { readonly format: ArtifactFormat; readonly error: UserError }[];
}

/** How long the statistics of a phase may hold the event loop at a time. */
const HOLD_MS = 15;

/**
 * Writes a run's artifacts on this thread: each of them that can be written, on cancel none.
 * @throws the signal's reason
 */
export async function writeRun(run: Run, plan: ExportPlan, context: ExportContext): Promise<Exported> {
  const { directory, prefix, compression, verify, keepExisting = false, ...options } = plan.options;
  // CSV comes after JSON, of whose pass its rows are.
  const formats = EXPORT_FORMATS.filter((format) => options.formats.includes(format));
  const writer = new ArtifactWriter(run, plan, context);
  const files = formats.map((format, i) => ({
    format,
    ...pendingFile(join(directory, artifactName(format, prefix, compression))),
    keepExisting,
    write: async (temporary: string) => {
      context.onProgress?.(`Writing ${artifactName(format, prefix)}`, i / formats.length);
      await writePacked(temporary, compression, (path) => writer.write(format, path), context.signal);
    },
    ...(verify ? { check: (temporary: string) => writer.check(format, temporary) } : {}),
  }));
  const phases = plan.isWholeRun && formats.includes("json") ? phaseFiles(run, plan, context.signal) : [];
  const outcomes = await writeFiles([...files, ...phases], context.signal).finally(() =>
    removeEmptyPhaseFolders(run, directory),
  );
  return exportedOf(files, outcomes);
}

/** The files that were written and those that were not, of outcomes in their order. */
export async function exportedOf(
  files: readonly { readonly format: ArtifactFormat; readonly path: string }[],
  outcomes: readonly WriteOutcome[],
): Promise<Exported> {
  const written: ExportedFile[] = [];
  const failures: { format: ArtifactFormat; error: UserError }[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    const file = files[i];
    // What comes after them are the phases' files, which go with JSON.
    if (outcome.kind === "failed") failures.push({ format: file?.format ?? "json", error: outcome.error });
    else if (file !== undefined)
      written.push({ format: file.format, path: file.path, bytes: (await stat(file.path)).size });
  }
  return { written, failures };
}

/** Writes and checks artifacts; what several of them need is computed once. */
class ArtifactWriter {
  private passed: PassOutcome | undefined;
  private parquetRows = 0;

  constructor(
    private readonly run: Run,
    private readonly plan: ExportPlan,
    private readonly context: ExportContext,
  ) {}

  async write(format: ArtifactFormat, path: string): Promise<void> {
    const { run } = this;
    const { signal } = this.context;
    const { window, sliceSeconds: sliceDurationSeconds, scrapes, isWholeRun, exportTime, csvSafe } = this.plan;
    const about = { version: VERSION };
    switch (format) {
      case "json":
        return writeFileWith(path, async (file) => void (await this.pass(file)));
      case "csv": {
        const { csv } = this.passed ?? (await this.pass(undefined));
        return writePieces(path, csvText(run.metadata, csv, about, csvSafe), signal);
      }
      case "jsonl":
        return writePieces(path, jsonlText(run, scrapes), signal);
      case "openmetrics":
        return writePieces(path, openMetrics(run, isWholeRun ? undefined : window), signal);
      case "parquet": {
        const parquet = { window, sliceDurationSeconds, exporter: about, exportTime, hostname: hostname() };
        this.parquetRows = (await writeParquet(path, run, parquet, signal === undefined ? {} : { signal })).rows;
      }
    }
  }

  /** Reads back what `write` has written. @throws UserError when it is not what it should be */
  async check(format: ArtifactFormat, path: string): Promise<void> {
    const { run, passed, parquetRows } = this;
    const { scrapes } = this.plan;
    const [series, csvRows] = [passed?.series ?? 0, csvRowCount(passed?.csv ?? [])];
    await verifyFile(format, path, { run, series, csvRows, parquetRows, scrapes });
  }

  private async pass(file: OutputFile | undefined): Promise<PassOutcome> {
    const { signal, onProgress } = this.context;
    const onShare = (share: number) => onProgress?.("Computing statistics", share);
    return (this.passed = await statisticsPass(this.run, this.plan, file, onShare, signal));
  }
}

/** The files of a run's named phases: the manifest and one of statistics each. None without such profiling. */
function phaseFiles(
  run: Run,
  { sliceSeconds, options: { directory, compression } }: ExportPlan,
  signal: AbortSignal | undefined,
): readonly (PendingFile & { readonly write: (temporary: string) => Promise<void> })[] {
  if (!run.hasNamedProfiling) return [];
  const phases = runPhases(run);
  const places = phasePlaces(phases);
  const file = (name: string, text: () => Promise<string> | string) => ({
    ...pendingFile(join(directory, packedName(name, compression))),
    write: async (temporary: string) => {
      await mkdir(dirname(temporary), { recursive: true });
      const pieces = [await text()];
      await writePacked(temporary, compression, (unpacked) => writePieces(unpacked, pieces, signal), signal);
    },
  });
  const options = { sliceSeconds, order: "seen", unitOf: familyUnit } as const;
  const turns = { holdMs: HOLD_MS, check: () => signal?.throwIfAborted() };
  return [
    ...places.flatMap((place, i) => {
      const phase = phases[i];
      if (phase === undefined) return [];
      return file(phaseFile(place.name), async () =>
        phaseStatisticsText(place, await runInBackground(phaseStatistics(run, phase, options), turns)),
      );
    }),
    file(PHASE_MANIFEST, () => phaseManifestText(places)),
  ];
}

/** Removes the folders that were made for phases whose files were not written. */
async function removeEmptyPhaseFolders(run: Run, directory: string): Promise<void> {
  if (!run.hasNamedProfiling) return;
  // One that holds something refuses.
  const folders = [...run.phases.map(({ name }) => dirname(phaseFile(name))), "phases"];
  for (const folder of folders) await rmdir(join(directory, folder)).catch(() => undefined);
}

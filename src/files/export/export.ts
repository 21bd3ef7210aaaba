import { stat, realpath, mkdir, rmdir } from "node:fs/promises";
import { join, basename, resolve, dirname } from "node:path";
import { UserError } from "../../core/text/errors.js";
import {
  artifactName,
  packedName,
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  type ArtifactFormat,
  type ExportedFile,
  type ExportOptions,
  type Compression,
} from "../../core/artifacts/index.js";
import { epochNs, toEpoch } from "../../core/model/index.js";
import { currentWindow, cutSlices, type RunWindow } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import { ArtifactWriter, type ExportContext, type ExportPlan, type FormatWriter } from "./artifact-writer.js";
import { pendingFile, writeFiles, type WriteOutcome, type PendingFile } from "../atomic.js";
import { exportBundle, ExportThread, sendRun } from "./thread.js";
import { PartialExport } from "../failure.js";
import { makeFolder } from "../folders.js";
import { runPhases } from "../../core/window/index.js";
import { writePieces } from "./output-file.js";
import { writePacked } from "../packed.js";

/**
 * Writes a run's artifacts: each of them that can be written, on cancel none.
 * @param bundle of the threads that write large runs; absent: all is written on this one
 * @throws UserError (code "export-failed"), PartialExport when formats failed; the signal's reason
 */
export async function exportArtifacts(
  run: Run,
  options: ExportOptions,
  context: ExportContext = {},
  bundle = exportBundle(),
): Promise<readonly ExportedFile[]> {
  const { signal, onProgress } = context;
  const { directory, prefix, formats, compression } = options;
  // Taken before anything is waited for: what was there when the export was asked for.
  const window = windowOf(run, options);
  const { scrapes } = run.store;
  await makeFolder(directory);
  const sliceSeconds = options.sliceDurationSeconds ?? run.sliceSeconds;
  // A request that cannot be met is refused whole; at the end of a capture everything is written that can be.
  if (sliceSeconds > 0 && !options.verify && (formats.includes("json") || formats.includes("csv")))
    cutSlices(Number(window.start - run.store.origin), Number(window.end - run.store.origin), sliceSeconds);
  const plan: ExportPlan = {
    window,
    sliceSeconds,
    scrapes,
    // Of a part of the run, phases would say more than the files beside them.
    isWholeRun: options.startNs === undefined && options.endNs === undefined && run.chosenWindow === undefined,
    exportTime: epochNs(BigInt(Date.now()) * 1_000_000n),
    compression,
    csv: formats.includes("csv"),
    csvSafe: options.csvSafe === true,
  };
  const files = formats.map((format) => ({
    format,
    ...pendingFile(join(directory, artifactName(format, prefix, compression))),
  }));
  const ordered = inWritingOrder(files);
  const phased = plan.isWholeRun && formats.includes("json") && run.hasNamedProfiling;
  const { lanes, close, onLaneEnd } = await lanesOf(run, plan, { formats, phased }, context, bundle);
  const lastLane = lanes.length - 1;
  const last = lanes[lastLane];
  try {
    const outcomes = await writeFiles(
      [
        ...ordered.map(({ format, ...file }, i) => {
          const lane = NEEDS_STATISTICS.has(format) ? 0 : (i + 1) % lanes.length;
          const writer = lanes[lane];
          return {
            ...file,
            lane,
            keepExisting: options.keepExisting === true,
            write: async (temporary: string) => {
              onProgress?.(`Writing ${artifactName(format, prefix)}`, i / files.length);
              await writer?.work({ kind: "write", format, path: temporary });
            },
            ...(options.verify
              ? { check: async (temporary: string) => writer?.work({ kind: "check", format, path: temporary }) }
              : {}),
          };
        }),
        // The last thread helps with the statistics when it is done: so they come even.
        ...(phased && last !== undefined
          ? phaseFiles(run, directory, compression, { writer: last, lane: lastLane })
          : []),
      ],
      signal,
      onLaneEnd,
    ).finally(() => removeEmptyPhaseFolders(run, directory));
    return await exported(
      files,
      files.map((file) => outcomes[ordered.indexOf(file)]).concat(outcomes.slice(files.length)),
    );
  } finally {
    await close();
  }
}

/** What lies outside of the measured load is in JSONL alone: such a run always gets one. */
export function withIdleParts(run: Run, formats: readonly ArtifactFormat[]): readonly ArtifactFormat[] {
  return run.load === undefined || run.windowRule === "all" || formats.includes("jsonl")
    ? formats
    : [...formats, "jsonl"];
}

const NEEDS_STATISTICS: ReadonlySet<ArtifactFormat> = new Set<ArtifactFormat>(["json", "csv"]);
/** What one thread writes alone comes first, the longest of all; rows of CSV come with the statistics of JSON. */
const WRITING_ORDER: readonly ArtifactFormat[] = ["parquet", "jsonl", "openmetrics", "json", "csv"];

function inWritingOrder<T extends { readonly format: ArtifactFormat }>(files: readonly T[]): readonly T[] {
  return WRITING_ORDER.flatMap((format) => files.filter((file) => file.format === format));
}

/** Series times scrapes from which on threads are worth their start of 0.2 s. */
const THREADS_FROM = 500_000;
/**
 * Scrapes of an endpoint from which on they are. What a series is stands in each thread anew, and only its cells are
 * shared: of half a million series with four scrapes, threads took more memory than the capture.
 */
const SCRAPES_FROM = 32;

interface Lanes {
  /** The first computes the statistics. */
  readonly lanes: readonly FormatWriter[];
  readonly onLaneEnd?: (lane: number) => void;
  readonly close: () => Promise<unknown>;
}

/**
 * Who writes: for a large run two threads, so that the caller's own, which may be capturing, stays free. Each writes
 * formats of its own; one computes the statistics, and the other helps it as soon as it has written what it had to.
 */
async function lanesOf(
  run: Run,
  plan: ExportPlan,
  { formats, phased }: { readonly formats: readonly ArtifactFormat[]; readonly phased: boolean },
  context: ExportContext,
  bundle: string | undefined,
): Promise<Lanes> {
  const { seriesCount, endpoints, scrapes } = run.store;
  const each = scrapes / Math.max(1, endpoints.length);
  if (bundle === undefined || each < SCRAPES_FROM || seriesCount * each < THREADS_FROM)
    return { lanes: [new ArtifactWriter(run, plan, context)], close: () => Promise.resolve() };
  const statistics = formats.some((format) => NEEDS_STATISTICS.has(format));
  const first = new ExportThread(bundle, context);
  const second = statistics || formats.length > 1 ? new ExportThread(bundle, context) : undefined;
  const threads = second === undefined ? [first] : [first, second];
  const close = () => Promise.all(threads.map((thread) => thread.close()));
  try {
    await sendRun(run, plan, threads, context.signal);
  } catch (error) {
    await close();
    throw error;
  }
  if (!statistics || second === undefined) return { lanes: threads, close };
  const help = () => second.help(first);
  if (!phased && formats.every((format) => NEEDS_STATISTICS.has(format))) help();
  return { lanes: threads, close, onLaneEnd: (lane) => (lane === 1 ? help() : undefined) };
}

/** The files that were written, of outcomes in their order. @throws PartialExport when any was not */
export async function exported(
  files: readonly { readonly format: ArtifactFormat; readonly path: string }[],
  outcomes: readonly (WriteOutcome | undefined)[],
): Promise<readonly ExportedFile[]> {
  const failures = files.flatMap(({ format }, i) => {
    const outcome = outcomes[i];
    return outcome?.kind === "failed" ? [{ format, error: outcome.error }] : [];
  });
  // What comes after them are the phases' files, which go with JSON.
  for (const outcome of outcomes.slice(files.length))
    if (outcome?.kind === "failed") failures.push({ format: "json", error: outcome.error });
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
    throw new UserError(`the window is empty: it ends (${end}) before it starts (${start}).`, undefined, {
      code: "export-failed",
    });
  // Far from the run these are not exact, and need not be.
  const [from, to] = [Number(start - run.store.origin), Number(end - run.store.origin)];
  if (!run.store.endpoints.some((axis) => axis.times.view().some((time) => time >= from && time <= to))) {
    const last = toEpoch(run.newest, run.store.origin);
    throw new UserError(
      `the window from ${start} to ${end} contains no scrape.`,
      `The run's scrapes lie between ${run.store.origin} and ${last} (nanoseconds since the epoch).`,
      { code: "export-failed" },
    );
  }
  return { start, end, kind: "exact" };
}

/**
 * Keeps the file that a run was read from from being written to.
 * @throws UserError "export-failed" where an export would replace it
 */
export async function refuseOwnFile(
  path: string,
  { directory, prefix, formats, compression }: ExportOptions,
): Promise<void> {
  const own = await placeOf(path);
  for (const format of formats) {
    const target = join(directory, artifactName(format, prefix, compression));
    if ((await placeOf(target)) !== own) continue;
    throw new UserError(
      `${target} is the file that was opened: it is never overwritten.`,
      `Choose another folder or prefix than that of ${basename(path)}.`,
      { code: "export-failed" },
    );
  }
}

/** Where a path leads to in the end: folders on the way may be links. */
function placeOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** A file of an export: who writes it, and how. */
type PhaseFile = PendingFile & { readonly lane: number; readonly write: (temporary: string) => Promise<void> };

/**
 * The files of a run's named phases: the manifest and one of statistics each.
 * @param lane of the writer, among those of the export
 * @returns what `writeFiles` takes
 */
function phaseFiles(
  run: Run,
  directory: string,
  compression: Compression | undefined,
  { writer, lane }: { readonly writer: FormatWriter; readonly lane: number },
): readonly PhaseFile[] {
  const phases = runPhases(run);
  const file = (name: string) => pendingFile(join(directory, packedName(name, compression)));
  return [
    ...phases.map(({ name }, index) => ({
      ...file(phaseFile(name)),
      lane,
      write: async (temporary: string) => {
        await mkdir(dirname(temporary), { recursive: true });
        await writer.work({ kind: "phase", index, path: temporary });
      },
    })),
    {
      ...file(PHASE_MANIFEST),
      lane,
      write: (temporary) => {
        const text = phaseManifestText(phasePlaces(phases));
        return writePacked(temporary, compression, (path) => writePieces(path, [text]));
      },
    },
  ];
}

/** Removes the folders that were made for phases whose files were not written. */
async function removeEmptyPhaseFolders(run: Run, directory: string): Promise<void> {
  if (!run.hasNamedProfiling) return;
  // One that holds something refuses.
  const folders = [...run.phases.map(({ name }) => dirname(phaseFile(name))), "phases"];
  for (const folder of folders) await rmdir(join(directory, folder)).catch(() => undefined);
}

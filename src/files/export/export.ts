import { UserError } from "../../core/text/user-error.js";
import type { ArtifactFormat, ExportedFile, ExportOptions } from "../../core/artifacts/index.js";
import { epochNs, toEpoch } from "../../core/model/index.js";
import { currentWindow, cutSlices, type RunWindow } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import { exportBundle, writeOnThread } from "./thread.js";
import { PartialExport } from "../failure.js";
import { makeFolder } from "../folder.js";
import { writeRun, type ExportContext, type Exported, type ExportPlan } from "./write-run.js";

/**
 * Writes a run's artifacts: each of them that can be written, on cancel none.
 * @param bundle of the thread that writes a large run; absent: all is written on this one
 * @throws UserError (code "export-failed"), PartialExport when formats failed; the signal's reason
 */
export async function exportArtifacts(
  run: Run,
  options: ExportOptions,
  context: ExportContext = {},
  bundle = exportBundle(),
): Promise<readonly ExportedFile[]> {
  const { directory, formats } = options;
  // Taken before anything is waited for: what was there when the export was asked for.
  const window = windowOf(run, options);
  const { scrapes } = run.store;
  await makeFolder(directory);
  const sliceSeconds = options.sliceDurationSeconds ?? run.sliceSeconds;
  // A request that cannot be met is refused whole; at the end of a capture everything is written that can be.
  if (sliceSeconds > 0 && !options.verify && (formats.includes("json") || formats.includes("csv")))
    cutSlices(Number(window.start - run.store.origin), Number(window.end - run.store.origin), sliceSeconds);
  const plan: ExportPlan = {
    options,
    window,
    sliceSeconds,
    scrapes,
    isWholeRun: options.startNs === undefined && options.endNs === undefined && run.chosenWindow === undefined,
    exportTime: epochNs(BigInt(Date.now()) * 1_000_000n),
    csv: formats.includes("csv"),
    csvSafe: options.csvSafe === true,
  };
  return writtenOf(
    bundle !== undefined && isLarge(run)
      ? await writeOnThread(bundle, run, plan, context)
      : await writeRun(run, plan, context),
  );
}

/** The files that were written. @throws PartialExport when any was not */
export function writtenOf({ written, failures }: Exported): readonly ExportedFile[] {
  if (failures.length > 0) throw new PartialExport(written, failures);
  return written;
}

/** What lies outside of the measured load is in JSONL alone: such a run always gets one. */
export function withIdleParts(run: Run, formats: readonly ArtifactFormat[]): readonly ArtifactFormat[] {
  return run.load === undefined || run.windowRule === "all" || formats.includes("jsonl")
    ? formats
    : [...formats, "jsonl"];
}

/** Series times scrapes from which on a thread is worth its start of 0.2 s. */
const THREAD_FROM = 500_000;
/**
 * Scrapes of an endpoint from which on it is. What a series is stands in the thread anew, and only its cells are
 * shared: of half a million series with four scrapes, it took more memory than the capture.
 */
const SCRAPES_FROM = 32;

/** Whether a thread writes it, so that the caller's own, which may be capturing, stays free. */
function isLarge({ store: { seriesCount, endpoints, scrapes } }: Run): boolean {
  const each = scrapes / Math.max(1, endpoints.length);
  return each >= SCRAPES_FROM && seriesCount * each >= THREAD_FROM;
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

import { basename, join } from "node:path";
import { SUMMARY_HEAD, summaryName, type ExportedFile, type ExportOptions } from "../../core/artifacts/index.js";
import { type Problem, warningOf } from "../../core/model/index.js";
import { runSummarySteps, type KnownOfRun } from "../../core/report/index.js";
import type { Run } from "../../core/store/index.js";
import { errorText, UserError } from "../../core/text/index.js";
import { pendingFile, writeFiles } from "../atomic.js";
import { runInBackground } from "../background.js";
import { headOf } from "../bytes.js";
import { writePieces } from "./output-file.js";

/** What else the thread has to do waits so long at the most. */
const HOLD_MS = 12;

export interface SummaryOptions extends Pick<ExportOptions, "directory" | "prefix">, KnownOfRun {
  /** Written of the run, named in the summary. */
  readonly files: readonly ExportedFile[];
  readonly signal?: AbortSignal;
}

/**
 * Writes a run's `summary.md` beside its artifacts, with a prefix `<prefix>_summary.md`. A file of that name that is
 * no summary of ours stays: the run's is then named after its id.
 * @returns its path, or why there is none: the artifacts are written either way
 * @throws the signal's reason
 */
export async function writeSummary(
  run: Run,
  { directory, prefix, files, signal, ...known }: SummaryOptions,
): Promise<{ readonly path: string } | { readonly problem: Problem }> {
  try {
    const named = files.map(({ path, format }) => ({ name: basename(path), format }));
    const text = await runInBackground(runSummarySteps(run, named, known), {
      holdMs: HOLD_MS,
      check: () => signal?.throwIfAborted(),
    });
    const usual = join(directory, summaryName(prefix));
    const path = (await isFree(usual)) ? usual : join(directory, `summary-${run.metadata.benchmarkId}.md`);
    const [outcome] = await writeFiles(
      [
        {
          ...pendingFile(path),
          write: (temporary) => writePieces(temporary, [text], signal),
        },
      ],
      signal,
    );
    if (outcome?.kind === "failed") throw outcome.error;
    return { path };
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: warningOf(`${summaryName(prefix)} was not written: ${errorText(error)}`) };
  }
}

/** Whether nothing has the name yet, or the summary of a run whose artifacts these have replaced. */
async function isFree(path: string): Promise<boolean> {
  try {
    return new TextDecoder().decode(await headOf(path, SUMMARY_HEAD.length, {})) === SUMMARY_HEAD;
  } catch (error) {
    return error instanceof UserError && error.system === "ENOENT";
  }
}

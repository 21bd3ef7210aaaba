import { resolve } from "node:path";
import { Command, Option } from "commander";
import { epochNs } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import { exportArtifacts, replayScrapeLog } from "../files/index.js";
import type { ArtifactFormat } from "../protocol/index.js";
import { interruptible, NOTHING_WRITTEN } from "./child.js";
import { CommandError } from "./exit.js";
import { withFolder } from "./input.js";
import { epochArgument, numberIn } from "./numbers.js";
import { DEFAULT_FORMATS, formatsArgument, prefixArgument } from "./options.js";
import { SUMMARY_KINDS, summarize, type SummaryKind } from "./summary.js";
import { noteProblem, print, startProgress } from "./terminal.js";
import { partly, printFiles } from "./written.js";

interface Flags {
  readonly out: string;
  readonly startNs?: bigint;
  readonly endNs?: bigint;
  readonly sliceDuration: number;
  readonly formats: readonly ArtifactFormat[];
  readonly prefix?: string;
  readonly summary: SummaryKind;
}

export function replayCommand(): Command {
  return new Command("replay")
    .summary("recorded scrapes into artifacts")
    .description(
      "Runs a recorded scrape log through parser, store and statistics and writes artifacts; without a window, of the whole log.",
    )
    .argument("<scrapes>", "scrape log (.jsonl or .jsonl.gz)")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .option("--start-ns <ns>", "end of the warm-up, nanoseconds since the epoch", epochArgument)
    .option("--end-ns <ns>", "end of profiling, nanoseconds since the epoch", epochArgument)
    .option(
      "--slice-duration <seconds>",
      "length of a timeslice",
      (text) => numberIn(text, { min: 0.001, max: 1e6, unit: "seconds" }),
      5,
    )
    .option("--formats <list>", "json,csv,parquet,jsonl", formatsArgument, DEFAULT_FORMATS)
    .option("--prefix <prefix>", "names files <prefix>_server_metrics.<format>", prefixArgument)
    .addOption(new Option("--summary <kind>", "what to print at the end").choices(SUMMARY_KINDS).default("none"))
    .action(async (log: string, flags: Flags) => {
      await interruptible(NOTHING_WRITTEN, async (signal) => {
        const progress = startProgress();
        const { run, problems } = await replayScrapeLog(log, {
          sliceDurationSeconds: flags.sliceDuration,
          ...(flags.startNs === undefined ? {} : { startNs: epochNs(flags.startNs) }),
          ...(flags.endNs === undefined ? {} : { endNs: epochNs(flags.endNs) }),
          onProgress: (fraction) => progress.update(fraction, "reading"),
          signal,
        }).finally(() => progress.done());
        for (const problem of problems) noteProblem(problem);
        await writeRun(run, flags, signal);
      });
    });
}

/**
 * Writes a finished run's artifacts and prints its summary and their paths. @throws CommandError when there is nothing
 * to write, or when formats failed; the signal's reason
 */
export async function writeRun(
  run: Run,
  flags: Pick<Flags, "out" | "formats" | "prefix" | "summary">,
  signal: AbortSignal,
): Promise<void> {
  if (!run.store.endpoints.some((axis) => axis.rows > axis.failures))
    throw new CommandError("no scrape of it succeeded: there is nothing to write.", 1);
  const out = resolve(flags.out);
  const progress = startProgress();
  const { files, failure } = await withFolder(out, () =>
    partly(
      exportArtifacts(
        run,
        {
          directory: out,
          ...(flags.prefix === undefined ? {} : { prefix: flags.prefix }),
          formats: flags.formats,
          verify: false,
        },
        { signal, onProgress: (message, fraction) => progress.update(fraction ?? 0, message) },
      ),
    ),
  ).finally(() => progress.done());
  const summary = summarize(run, flags.summary);
  if (summary !== "") print(summary);
  printFiles(files);
  if (failure !== undefined) throw failure;
}

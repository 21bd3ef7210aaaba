import { resolve } from "node:path";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError, messageOf } from "../../core/text/errors.js";
import { parseExact } from "../../core/artifacts/index.js";
import { epochNs, loadWindowText, type NamedPhase, scrapeLimits } from "../../core/model/index.js";
import { measureLoad, parsePhaseList } from "../../core/window/index.js";
import { answeredEndpoints, keyTiles } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import { exportArtifacts, replayScrapeLog, withIdleParts, type ReplayOptions } from "../../files/index.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { readInput } from "../input/bytes.js";
import { withLimitOptions, measuredWindowOption, type FlagsOf } from "../options/shared.js";
import { epochArgument } from "../options/numbers.js";
import {
  outputOf,
  sliceOption,
  withRunOutputOptions,
  writeSummaryFile,
  type RunOutputFlags,
} from "../options/output.js";
import { summarize, summaryOption, type SummaryKind } from "../print/summary.js";
import { noteProblem, print, withProgress } from "../print/terminal.js";
import { printFiles, writeFiles } from "../print/written.js";
import { notDone } from "../exit.js";

/** `replay`: a scrape log as artifacts. */
export function replayCommand(): CommandUnknownOpts {
  return options().action(async (log, flags) => {
    const phases = flags.phases === undefined ? undefined : await readPhaseList(flags.phases);
    await interruptible(NOTHING_WRITTEN, async (signal) => {
      const options = {
        sliceDurationSeconds: flags.sliceDuration,
        limits: scrapeLimits((option) => flags[option]),
        ...(flags.startNs === undefined ? {} : { startNs: epochNs(flags.startNs) }),
        ...(flags.endNs === undefined ? {} : { endNs: epochNs(flags.endNs) }),
        ...warmupOf(flags),
        ...(phases === undefined ? {} : { phases }),
        signal,
      };
      const { run, problems } = await withProgress("reading", (onProgress) =>
        replayScrapeLog(log, { ...options, onProgress }),
      );
      for (const problem of problems) noteProblem(problem);
      if (flags.window === "load" && !statesWindow(flags)) measureLoad(run);
      await writeRun(log, run, flags, signal);
    });
  });
}

type Flags = FlagsOf<typeof options>;

function options() {
  const command = new Command("replay")
    .summary("turn recorded scrapes into artifacts")
    .description(
      "Runs a recorded scrape log through parser, store and statistics and writes artifacts; without a window, of the load in it.",
    )
    .argument("<scrapes>", "scrape log (.jsonl or .jsonl.gz)")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .option("--start-ns <ns>", "start of profiling, nanoseconds since the epoch", epochArgument)
    .option("--end-ns <ns>", "end of profiling, nanoseconds since the epoch", epochArgument)
    .option("--warmup-start-ns <ns>", "start of a warm-up with statistics of its own", epochArgument)
    .option("--warmup-end-ns <ns>", "its end (default: the start of profiling)", epochArgument)
    .addOption(
      new Option("--phases <file>", "JSON list of named phases: name, kind, start_ns, end_ns").conflicts([
        "startNs",
        "endNs",
        "warmupStartNs",
        "warmupEndNs",
      ]),
    )
    .addOption(sliceOption().default(5))
    .addOption(measuredWindowOption())
    .addOption(summaryOption("none"));
  return withLimitOptions(withRunOutputOptions(command));
}

/** A window that is given is kept as it is. */
function statesWindow({ startNs, endNs, warmupStartNs, warmupEndNs, phases }: Flags): boolean {
  return [startNs, endNs, warmupStartNs, warmupEndNs, phases].some((given) => given !== undefined);
}

function warmupOf({ warmupStartNs, warmupEndNs }: Flags): Pick<ReplayOptions, "warmup"> {
  if (warmupStartNs === undefined && warmupEndNs === undefined) return {};
  return {
    warmup: {
      ...(warmupStartNs === undefined ? {} : { startNs: epochNs(warmupStartNs) }),
      ...(warmupEndNs === undefined ? {} : { endNs: epochNs(warmupEndNs) }),
    },
  };
}

/** @throws UserError saying what is wrong with the file, and where */
async function readPhaseList(path: string): Promise<readonly NamedPhase[]> {
  const text = new TextDecoder().decode(await readInput(path));
  try {
    return parsePhaseList(parseExact(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is not JSON" : messageOf(error);
    throw new UserError(`${path} is not a list of phases: ${reason}.`);
  }
}

/**
 * Writes a finished run's artifacts and prints its summary and their paths.
 * @param source what the run was read from, for messages
 * @throws UserError when there is nothing to write, or when formats failed; the signal's reason
 */
export async function writeRun(
  source: string,
  run: Run,
  flags: RunOutputFlags & { readonly out: string; readonly summary: SummaryKind },
  signal: AbortSignal,
): Promise<void> {
  if (answeredEndpoints(run) === 0)
    throw notDone(`no scrape of ${source} succeeded${firstFailure(run)}: there is nothing to write.`);
  const out = resolve(flags.out);
  const { files, failure } = await writeFiles(out, signal, (context) => {
    const formats = withIdleParts(run, flags.formats);
    return exportArtifacts(run, { directory: out, ...outputOf(flags), formats, verify: false }, context);
  });
  if (run.load !== undefined) print(loadWindowText(run.load, run.windowRule));
  const tiles = flags.summary === "key" || flags.summaryFile ? keyTiles(run) : undefined;
  const summary = summarize(run, flags.summary, tiles);
  if (summary !== "") print(summary);
  printFiles(files);
  await writeSummaryFile(run, files, flags, tiles === undefined ? {} : { tiles });
  if (failure !== undefined) throw failure;
}

/** Why, where the first scrape tells. */
function firstFailure(run: Run): string {
  for (const { outcome } of run.store.scrapesInOrder())
    return outcome.kind === "failed" ? ` (the first: ${outcome.error.message.replace(/\.$/, "")})` : "";
  return "";
}

import { resolve } from "node:path";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { convertArtifact, convertibleTo, lossesOf, openArtifact, selectPhase } from "../../files/open/index.js";
import type { ArtifactFormat } from "../../protocol/index.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { withFolder } from "../input/bytes.js";
import { withSeriesLimit } from "../options/limits.js";
import { epochArgument } from "../options/numbers.js";
import { clientOptions, withClientOptions } from "../options/shared.js";
import { DEFAULT_FORMATS, formatsOption, outputOf, sliceOption, withOutputOptions } from "../options/output.js";
import { noteProblem, startProgress } from "../print/terminal.js";
import { partialExport, printFiles } from "../print/written.js";

/** `export`: an artifact in other formats. */
export function exportCommand(): CommandUnknownOpts {
  const command = new Command("export")
    .summary("convert an artifact into other formats")
    .description(
      "Opens an artifact, journal or scrape log and writes it in other formats: from JSONL and Parquet all of them, from JSON CSV.",
    )
    .argument("<input>", "the file")
    .addOption(new Option("--phase <name>", "one phase only, such as warmup").conflicts(["startNs", "endNs"]))
    .option("--start-ns <ns>", "start of the window, nanoseconds since the epoch", epochArgument)
    .option("--end-ns <ns>", "end of the window, nanoseconds since the epoch", epochArgument)
    .addOption(sliceOption("the run's"))
    .addOption(formatsOption("json,csv,parquet, as far as the file gives them"))
    .option("--out <dir>", "folder for the artifacts", ".");
  return withOutputOptions(withSeriesLimit(withClientOptions(command))).action(async (input, flags) => {
    const progress = startProgress();
    try {
      const { opened, files, failure } = await interruptible(NOTHING_WRITTEN, async (signal) => {
        const whole = await openArtifact(input, {
          ...clientOptions(flags),
          seriesLimit: flags.seriesLimit,
          signal,
          onProgress: (fraction) => progress.update(fraction, "reading"),
        });
        const opened = flags.phase === undefined ? whole : selectPhase(whole, flags.phase);
        const directory = resolve(flags.out);
        const options = {
          directory,
          formats:
            flags.formats ??
            defaultFormats(convertibleTo(opened), flags.phase === undefined ? opened.format : undefined),
          verify: false,
          ...outputOf(flags),
          ...(flags.startNs === undefined ? {} : { startNs: String(flags.startNs) }),
          ...(flags.endNs === undefined ? {} : { endNs: String(flags.endNs) }),
          ...(flags.sliceDuration === undefined ? {} : { sliceDurationSeconds: flags.sliceDuration }),
        };
        const onProgress = (message: string, fraction?: number) => progress.update(fraction ?? 0, message);
        return {
          opened,
          ...(await withFolder(directory, () =>
            partialExport(convertArtifact(opened, options, { signal, onProgress })),
          )),
        };
      });
      progress.done();
      for (const problem of [
        ...opened.notices,
        ...(opened.kind === "samples"
          ? lossesOf(
              opened.run,
              files.map(({ format }) => format),
            )
          : []),
      ])
        noteProblem(problem);
      printFiles(files);
      if (failure !== undefined) throw failure;
    } finally {
      progress.done();
    }
  });
}

/** The usual ones; of a file that holds statistics, what it is not itself. @param own absent for a part of the file */
function defaultFormats(possible: readonly ArtifactFormat[], own: string | undefined): readonly ArtifactFormat[] {
  const others = DEFAULT_FORMATS.filter((format) => possible.includes(format) && format !== own);
  return possible.includes("parquet") || others.length === 0 ? DEFAULT_FORMATS : others;
}

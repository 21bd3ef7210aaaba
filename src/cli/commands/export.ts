import { resolve } from "node:path";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { convertArtifact, convertibleTo, lossesOf, openArtifact, selectPhase } from "../../files/open/index.js";
import type { ArtifactFormat } from "../../protocol/index.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { withSeriesLimit, clientOptions, withClientOptions } from "../options/shared.js";
import { epochArgument } from "../options/numbers.js";
import { DEFAULT_FORMATS, formatsOption, outputOf, sliceOption, withOutputOptions } from "../options/output.js";
import { noteProblem, withProgress } from "../print/terminal.js";
import { printFiles, writeFiles } from "../print/written.js";

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
  return withOutputOptions(withSeriesLimit(withClientOptions(command))).action((input, flags) =>
    interruptible(NOTHING_WRITTEN, async (signal) => {
      const whole = await withProgress("reading", (onProgress) =>
        openArtifact(input, { ...clientOptions(flags), seriesLimit: flags.seriesLimit, signal, onProgress }),
      );
      const opened = flags.phase === undefined ? whole : selectPhase(whole, flags.phase);
      const own = flags.phase === undefined ? opened.format : undefined;
      const directory = resolve(flags.out);
      const options = {
        directory,
        formats: flags.formats ?? defaultFormats(convertibleTo(opened), own),
        verify: false,
        ...outputOf(flags),
        ...(flags.startNs === undefined ? {} : { startNs: String(flags.startNs) }),
        ...(flags.endNs === undefined ? {} : { endNs: String(flags.endNs) }),
        ...(flags.sliceDuration === undefined ? {} : { sliceDurationSeconds: flags.sliceDuration }),
      };
      const { files, failure } = await writeFiles(directory, signal, (context) =>
        convertArtifact(opened, options, context),
      );
      const formats = files.map(({ format }) => format);
      const losses = opened.kind === "samples" ? lossesOf(opened.run, formats) : [];
      for (const problem of [...opened.notices, ...losses]) noteProblem(problem);
      printFiles(files);
      if (failure !== undefined) throw failure;
    }),
  );
}

/** The usual ones; of a file that holds statistics, what it is not itself. @param own absent for a part of the file */
function defaultFormats(possible: readonly ArtifactFormat[], own: string | undefined): readonly ArtifactFormat[] {
  const others = DEFAULT_FORMATS.filter((format) => possible.includes(format) && format !== own);
  return possible.includes("parquet") || others.length === 0 ? DEFAULT_FORMATS : others;
}

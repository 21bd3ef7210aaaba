import { Command, Option } from "commander";
import { recoverJournal } from "../files/index.js";
import type { ArtifactFormat, Compression } from "../protocol/index.js";
import { interruptible, NOTHING_WRITTEN } from "./child.js";
import { compressionArgument, CSV_SAFE, DEFAULT_FORMATS, formatsArgument, prefixArgument } from "./options.js";
import { writeRun } from "./replay.js";
import { SUMMARY_KINDS, type SummaryKind } from "./summary.js";
import { note, noteProblem } from "./terminal.js";

interface Flags {
  readonly out: string;
  readonly formats: readonly ArtifactFormat[];
  readonly prefix?: string;
  readonly compress?: Compression;
  readonly csvSafe?: boolean;
  readonly summary: SummaryKind;
}

export function recoverCommand(): Command {
  return new Command("recover")
    .summary("turn the journal of an interrupted capture into artifacts")
    .description(
      "Reads the journal that a capture leaves behind when it is killed, up to where it was cut off, and writes artifacts.",
    )
    .argument("<journal>", "the journal file")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .option("--formats <list>", "json,csv,parquet,jsonl", formatsArgument, DEFAULT_FORMATS)
    .option("--compress <how>", "compress the artifacts: gzip or zstd (Node 22.15 and later)", compressionArgument)
    .option("--csv-safe", CSV_SAFE)
    .option("--prefix <prefix>", "names files <prefix>_server_metrics.<format>", prefixArgument)
    .addOption(new Option("--summary <kind>", "what to print at the end").choices(SUMMARY_KINDS).default("key"))
    .action(async (journal: string, flags: Flags) => {
      await interruptible(NOTHING_WRITTEN, async (signal) => {
        const { run, problems } = await recoverJournal(journal, { signal });
        for (const problem of problems) noteProblem(problem);
        note(`${run.store.scrapes} scrapes recovered`);
        await writeRun(run, flags, signal);
      });
    });
}

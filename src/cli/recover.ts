import { Command } from "commander";
import { recoverJournal } from "../files/index.js";
import { interruptible, NOTHING_WRITTEN } from "./child.js";
import { DEFAULT_FORMATS, withOutputOptions, type OutputFlags } from "./output.js";
import { writeRun } from "./replay.js";
import { summaryOption, type SummaryKind } from "./summary.js";
import { note, noteProblem } from "./terminal.js";

interface Flags extends OutputFlags {
  readonly out: string;
  readonly summary: SummaryKind;
}

export function recoverCommand(): Command {
  const command = new Command("recover")
    .summary("turn the journal of an interrupted capture into artifacts")
    .description(
      "Reads the journal that a capture leaves behind when it is killed, up to where it was cut off, and writes artifacts.",
    )
    .argument("<journal>", "the journal file")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .addOption(summaryOption("key"));
  return withOutputOptions(command, DEFAULT_FORMATS).action(async (journal: string, flags: Flags) => {
    await interruptible(NOTHING_WRITTEN, async (signal) => {
      const { run, problems } = await recoverJournal(journal, { signal });
      for (const problem of problems) noteProblem(problem);
      note(`${run.store.scrapes} scrapes recovered`);
      await writeRun(run, flags, signal);
    });
  });
}

import { Command } from "commander";
import { recoverJournal } from "../../files/index.js";
import { withAuthorityOption } from "../options/access.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { underHeading } from "../options/shared.js";
import { withRunOutputOptions, type RunOutputFlags } from "../options/output.js";
import { writeRun } from "./replay.js";
import { CaptureSinks, withSinkOptions, type SinkFlags } from "../options/stores.js";
import { summaryOption, type SummaryKind } from "../print/summary.js";
import { note, noteProblem } from "../print/terminal.js";
import { noun } from "../../core/text/plural.js";

interface Flags extends RunOutputFlags, SinkFlags {
  readonly out: string;
  readonly summary: SummaryKind;
}

/** `recover`: a journal as artifacts. @param setExit gets 1 where a store still lacks samples */
export function recoverCommand(setExit: (code: number) => void): Command {
  const command = new Command("recover")
    .summary("turn the journal of an interrupted capture into artifacts")
    .description(
      "Reads the journal that a capture leaves behind when it is killed, up to where it was cut off, and writes artifacts. With --remote-write the store gets what it is missing.",
    )
    .argument("<journal>", "the journal file")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .addOption(summaryOption("key"));
  withSinkOptions(withRunOutputOptions(command));
  return underHeading("Stores:", command, () => withAuthorityOption(command)).action(
    async (journal: string, flags: Flags) => {
      const sinks = await CaptureSinks.of(flags);
      await interruptible(NOTHING_WRITTEN, async (signal) => {
        const { run, problems, written } = await recoverJournal(journal, { signal });
        for (const problem of problems) noteProblem(problem);
        note(`${run.store.scrapes} ${noun(run.store.scrapes, "scrape")} recovered`);
        await writeRun(journal, run, flags, signal);
        sinks.resume(run, written);
        if (!(await sinks.finish(run, signal))) setExit(1);
      }).finally(() => sinks.close());
    },
  );
}

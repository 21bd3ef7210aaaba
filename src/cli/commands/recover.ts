import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { recoverJournal } from "../../files/index.js";
import { withAuthorityOption } from "../options/access.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { OPTIONS } from "../options/shared.js";
import { withRunOutputOptions } from "../options/output.js";
import { writeRun } from "./replay.js";
import { CaptureSinks, withSinkOptions } from "../options/stores.js";
import { summaryOption } from "../print/summary.js";
import { note, noteProblem } from "../print/terminal.js";
import { noun } from "../../core/text/plural.js";

/** `recover`: a journal as artifacts. @param setExit gets 1 where a store still lacks samples */
export function recoverCommand(setExit: (code: number) => void): CommandUnknownOpts {
  const command = new Command("recover")
    .summary("turn the journal of an interrupted capture into artifacts")
    .description(
      "Reads the journal that a capture leaves behind when it is killed, up to where it was cut off, and writes artifacts. With --remote-write the store gets what it is missing.",
    )
    .argument("<journal>", "the journal file")
    .requiredOption("--out <dir>", "folder for the artifacts")
    .addOption(summaryOption("key"));
  return withAuthorityOption(withSinkOptions(withRunOutputOptions(command)).optionsGroup("Stores:"))
    .optionsGroup(OPTIONS)
    .action(async (journal, flags) => {
      const sinks = await CaptureSinks.of(flags);
      await interruptible(NOTHING_WRITTEN, async (signal) => {
        const { run, problems, written } = await recoverJournal(journal, { signal });
        for (const problem of problems) noteProblem(problem);
        note(`${run.store.scrapes} ${noun(run.store.scrapes, "scrape")} recovered`);
        await writeRun(journal, run, flags, signal);
        sinks.resume(run, written);
        if (!(await sinks.finish(run, signal))) setExit(1);
      }).finally(() => sinks.close());
    });
}

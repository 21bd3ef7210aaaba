import { Command, type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { runLabels } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { PUSH_JOB, RemoteWriter } from "../../stores/index.js";
import { endpointWith, withAccessOptions } from "../options/access.js";
import { openFile } from "../input/artifact.js";
import { interruptible } from "../capture/child-process.js";
import { clientOf, gatewayOf, push, reportWritten, withLabelOption } from "../options/stores.js";
import { noteProblem, withProgress } from "../print/terminal.js";

const GIVE_HEADER = "Give what it asks for with --header 'Authorization: Bearer $TOKEN'.";

/** `remote-write`: a saved run into a store. */
export function remoteWriteCommand(setExit: (code: number) => void): CommandUnknownOpts {
  return withLabelOption(withAccessOptions(new Command("remote-write")))
    .summary("send a saved run to a Prometheus-compatible store")
    .description("Writes every sample of an artifact, with its time, to a store that takes remote write 1.0.")
    .argument("<artifact>", "JSONL, Parquet, a journal or a scrape log")
    .requiredOption("--url <url>", "where the store takes remote writes (without a path: /api/v1/write)")
    .action(async (file, flags) => {
      const run = await runOf(file);
      const client = clientOf("--url", await endpointWith(flags.url, flags));
      const writer = new RemoteWriter(client, run, runLabels(run.metadata, flags.remoteWriteLabel), {
        onProblem: noteProblem,
        credentials: GIVE_HEADER,
      });
      const report = await interruptible("interrupted: only a part was written.", async (signal) => {
        const report = await withProgress("writing", (onProgress) => writer.finish(signal, onProgress));
        signal.throwIfAborted();
        return report;
      }).finally(() => client.close());
      if (!reportWritten(report, client.url)) setExit(1);
    });
}

/** `push`: the summary of a saved run into a Pushgateway. */
export function pushCommand(): CommandUnknownOpts {
  return withAccessOptions(new Command("push"))
    .summary("push the summary of a saved run to a Pushgateway")
    .description("Pushes the statistics of a run to a Pushgateway as gauges, grouped by job and run.")
    .argument("<artifact>", "JSONL, Parquet, a journal or a scrape log")
    .requiredOption("--pushgateway <url>", "address of the Pushgateway")
    .option("--job <name>", "job of the grouping key", jobArgument, PUSH_JOB)
    .action(async (file, flags) => {
      const run = await runOf(file);
      const client = gatewayOf(await endpointWith(flags.pushgateway, flags));
      await interruptible("interrupted: nothing was pushed.", (signal) =>
        push(client, run, { signal, job: flags.job, credentials: GIVE_HEADER }),
      ).finally(() => client.close());
    });
}

function jobArgument(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("The job needs a name.");
  return text;
}

/** @throws UserError for a file without samples */
async function runOf(file: string): Promise<Run> {
  const opened = await openFile(file);
  if (opened.kind !== "samples")
    throw new UserError(`${file} contains no samples.`, "Use the Parquet or JSONL file of the same run.");
  return opened.run;
}

import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { documentMarkdown, UserError } from "../../core/text/index.js";
import { SWEEP_LATENCIES, SWEEP_STATISTICS, sweepJson, sweepDocument } from "../../core/sweep/index.js";
import { sweepFolder } from "../../files/index.js";
import { readFolder } from "../input/memory.js";
import { documentText } from "../print/document.js";
import { note, print } from "../print/terminal.js";

/** `sweep`: throughput against latency over a folder of runs. */
export function sweepCommand(): CommandUnknownOpts {
  return new Command("sweep")
    .summary("throughput against latency over a folder of runs")
    .description(
      "Reads a folder of runs at several loads (AIPerf's sweep, or one folder per run) and prints throughput against latency: one series for each configuration, its knee, the Pareto frontier and 95 % intervals.",
    )
    .argument("<folder>", "the folder that holds the runs")
    .addOption(new Option("--latency <metric>", "which latency (default: request-latency)").choices(SWEEP_LATENCIES))
    .addOption(new Option("--statistic <name>", "which statistic of it (default: avg)").choices(SWEEP_STATISTICS))
    .addOption(new Option("--json", "print JSON").conflicts("markdown"))
    .option("--markdown", "print Markdown")
    .action(async (folder, { json, markdown, latency, statistic }) => {
      const shown = {
        ...(latency === undefined ? {} : { latency }),
        ...(statistic === undefined ? {} : { statistic }),
      };
      const sweep = await readFolder("reading", (reading) => sweepFolder(folder, { ...shown, ...reading }));
      for (const { path, reason } of json === true ? sweep.skipped : [])
        note(`warning: ${path} is left out: ${reason}`);
      if (sweep.series.length === 0) throw new UserError(`no run in ${folder} has a throughput and a latency.`);
      print(
        json === true
          ? JSON.stringify({ folder, ...sweepJson(sweep) }, null, 2)
          : markdown === true
            ? documentMarkdown(sweepDocument(sweep))
            : documentText(sweepDocument(sweep)),
      );
    });
}

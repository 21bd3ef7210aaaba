import { Command, Option } from "commander";
import { familyUnit } from "../core/catalog/index.js";
import {
  insightSlices,
  insightsJson,
  insightsMarkdown,
  insightsOf,
  insightsText,
  mattersForInsights,
} from "../core/insights/index.js";
import { NS_PER_SECOND, type RunStatistics } from "../core/model/index.js";
import { complete, currentWindow, runStatistics } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import type { OpenedArtifact } from "../files/open/index.js";
import { openFile } from "./artifact.js";
import { CommandError } from "./exit.js";
import { print } from "./terminal.js";

interface Flags {
  readonly json?: true;
  readonly markdown?: true;
}

export function insightsCommand(): Command {
  return new Command("insights")
    .summary("what limits the server in a run, with the evidence")
    .description("Looks at a run as an expert would and prints its findings, the weightiest first.")
    .argument("<artifact>", "an artifact, journal or scrape log")
    .addOption(new Option("--json", "print JSON").conflicts("markdown"))
    .option("--markdown", "print Markdown")
    .action(async (path: string, flags: Flags) => {
      const insights = insightsOf(statisticsOf(await openFile(path)));
      print(
        flags.json === true
          ? JSON.stringify(insightsJson(insights), null, 2)
          : flags.markdown === true
            ? insightsMarkdown(insights)
            : insightsText(insights),
      );
    });
}

/** Statistics of a run in the slices that findings are told from. */
export function insightStatistics(run: Run): RunStatistics {
  const { start, end } = currentWindow(run);
  const sliceSeconds = insightSlices(Number(end - start) / NS_PER_SECOND);
  return complete(runStatistics(run, { unitOf: familyUnit, sliceSeconds, only: mattersForInsights }));
}

function statisticsOf(opened: OpenedArtifact): RunStatistics {
  switch (opened.kind) {
    case "samples":
      return insightStatistics(opened.run);
    case "statistics":
      return opened.statistics;
    case "snapshot":
      throw new CommandError(`${opened.path} is a single scrape: findings need a run.`, 2);
  }
}

import { Command, Option } from "commander";
import { insightsJson, insightsMarkdown, insightsOf, insightStatistics, insightsText } from "../core/insights/index.js";
import type { RunStatistics } from "../core/model/index.js";
import { complete } from "../core/stats/index.js";
import type { OpenedArtifact } from "../files/open/index.js";
import { openFile } from "./artifact.js";
import { CommandError } from "./exit.js";
import { withClientOptions, type ClientFlags } from "./options.js";
import { print } from "./terminal.js";

interface Flags extends ClientFlags {
  readonly json?: true;
  readonly markdown?: true;
}

export function insightsCommand(): Command {
  return withClientOptions(new Command("insights"))
    .summary("what limits the server in a run, with the evidence")
    .description("Looks at a run as an expert would and prints its findings, the weightiest first.")
    .argument("<artifact>", "an artifact, journal or scrape log")
    .addOption(new Option("--json", "print JSON").conflicts("markdown"))
    .option("--markdown", "print Markdown")
    .action(async (path: string, flags: Flags) => {
      const insights = insightsOf(statisticsOf(await openFile(path, flags)));
      print(
        flags.json === true
          ? JSON.stringify(insightsJson(insights), null, 2)
          : flags.markdown === true
            ? insightsMarkdown(insights)
            : insightsText(insights),
      );
    });
}

function statisticsOf(opened: OpenedArtifact): RunStatistics {
  switch (opened.kind) {
    case "samples":
      return complete(insightStatistics(opened.run));
    case "statistics":
      return opened.statistics;
    case "snapshot":
      throw new CommandError(`${opened.path} is a single scrape: findings need a run.`, 2);
  }
}

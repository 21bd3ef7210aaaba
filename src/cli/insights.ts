import { Command, Option } from "commander";
import { clientServerJson, clientServerMarkdown } from "../core/client/index.js";
import { insightsJson, insightsMarkdown, insightsOf, insightStatistics, insightsText } from "../core/insights/index.js";
import type { RunStatistics } from "../core/model/index.js";
import { complete } from "../core/stats/index.js";
import type { OpenedArtifact } from "../files/open/index.js";
import { openFile } from "./artifact.js";
import { clientServerOf, clientServerText } from "./client-server.js";
import { CommandError } from "./exit.js";
import { withClientOptions, type ClientFlags } from "./options.js";
import { print } from "./terminal.js";

interface Flags extends ClientFlags {
  readonly json?: true;
  readonly markdown?: true;
}

export function insightsCommand(): Command {
  return withClientOptions(new Command("insights"))
    .summary("find what limits the server in a run, with evidence")
    .description("Prints what an expert would notice in a run, the most important finding first.")
    .argument("<artifact>", "an artifact, journal or scrape log")
    .addOption(new Option("--json", "print JSON").conflicts("markdown"))
    .option("--markdown", "print Markdown")
    .action(async (path: string, flags: Flags) => {
      const opened = await openFile(path, flags);
      const insights = insightsOf(statisticsOf(opened));
      const rows = clientServerOf(opened);
      print(
        flags.json === true
          ? JSON.stringify({ ...insightsJson(insights), client_server: clientServerJson(rows) }, null, 2)
          : (flags.markdown === true
              ? [insightsMarkdown(insights), clientServerMarkdown(rows)]
              : [insightsText(insights), clientServerText(rows)]
            )
              .filter((text) => text !== "")
              .join("\n\n"),
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

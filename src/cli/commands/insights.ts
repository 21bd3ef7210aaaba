import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { documentMarkdown, UserError } from "../../core/text/index.js";
import { clientServerDocument, clientServerJson, clientServerSteps } from "../../core/client/index.js";
import { conceptOf } from "../../core/catalog/index.js";
import {
  changeResults,
  changesOf,
  findingsDocument,
  findingsText,
  insightsJson,
  insightsText,
  marksJson,
  fineStatistics,
  movesWith,
  movesWithJson,
  movesWithText,
  runInsights,
} from "../../core/insights/index.js";
import { complete } from "../../core/stats/index.js";
import type { OpenedArtifact } from "../../files/open/index.js";
import { openFile } from "../input/artifact.js";
import { familyChoice, withClientOptions, withThresholdOption } from "../options/shared.js";
import { documentText } from "../print/document.js";
import { print } from "../print/terminal.js";

/** `insights`: the findings of a run, or what moves with a family. */
export function insightsCommand(): CommandUnknownOpts {
  return withClientOptions(withThresholdOption(new Command("insights")))
    .summary("find what limits the server in a run, with evidence")
    .description("Prints what an expert would notice in a run, the most important finding first.")
    .argument("<artifact>", "an artifact, journal or scrape log")
    .addOption(new Option("--json", "print JSON").conflicts("markdown"))
    .option("--markdown", "print Markdown")
    .option("--checked", "list what was looked for, and what this run cannot show")
    .option("--moves-with <family>", "print what moves with this family, and at what lag, instead of findings")
    .action(async (path, flags) => {
      const opened = await openFile(path, flags);
      if (flags.movesWith !== undefined) return print(movesWithOf(opened, flags.movesWith, flags.json === true));
      if (opened.kind === "snapshot") throw noRun(opened);
      const insights = complete(runInsights(opened, { thresholds: flags.threshold }));
      const rows = complete(clientServerSteps(opened.kind === "samples" ? opened.run : opened.statistics));
      if (flags.json === true) {
        const json = { ...insightsJson(insights), client_server: clientServerJson(rows), marks: marksOf(opened) };
        return print(JSON.stringify(json, null, 2));
      }
      const beside = clientServerDocument(rows);
      if (flags.markdown === true)
        return print(documentMarkdown([...findingsDocument(findingsText(insights)), ...beside]));
      print(insightsText(insights, { checked: flags.checked === true }));
      if (beside.length > 0) print(`\n${documentText(beside)}`);
    });
}

/** @throws UserError when the run has no such family */
function movesWithOf(opened: OpenedArtifact, name: string, json: boolean): string {
  if (opened.kind === "snapshot") throw noRun(opened);
  const statistics = opened.kind === "samples" ? complete(fineStatistics(opened.run)) : opened.statistics;
  const { families } = statistics;
  const includes = familyChoice([name]);
  const family = families.find((one) => one.name === name) ?? families.find((one) => includes(one.name));
  if (family === undefined)
    throw new UserError(`${opened.path} has no family ${name}.`, "show lists the families of a file.");
  const moves = movesWith(statistics, family.name);
  return json ? JSON.stringify(movesWithJson(moves), null, 2) : movesWithText(moves);
}

/** Changes of level and outliers of what servers have in common; none where samples are not at hand. */
function marksOf(opened: OpenedArtifact) {
  if (opened.kind !== "samples") return [];
  const { run } = opened;
  const keys = [...run.store.seriesKeys()].filter(({ family }) => conceptOf(family.name) !== undefined);
  const families = [...new Set(keys.map(({ family }) => family.name))].sort();
  return families.flatMap((name) => {
    const own = keys.filter(({ family }) => family.name === name);
    return marksJson(name, changesOf(complete(changeResults(run, own))));
  });
}

function noRun({ path }: OpenedArtifact): UserError {
  return new UserError(`${path} is a single scrape: findings need a run.`);
}

import { Command } from "commander";
import { writeJson } from "../core/artifacts/index.js";
import { familyUnit, shownUnit } from "../core/catalog/index.js";
import { METRIC_TYPES, type RunStatistics } from "../core/model/index.js";
import { runEntries, statisticsTable, storedEntries, StoredRun, type ResultEntry } from "../core/query/index.js";
import { statisticsByPhase } from "../core/phases/index.js";
import { complete } from "../core/stats/index.js";
import { VERSION } from "../files/index.js";
import { openArtifact, selectPhase, type OpenedArtifact } from "../files/open/index.js";
import { CommandError } from "./exit.js";
import { snapshotText } from "./snapshot.js";
import { statisticsText } from "./summary.js";
import { noteProblem, print, startProgress } from "./terminal.js";

interface Flags {
  readonly family?: string;
  readonly phase?: string;
  readonly json?: boolean;
}

export function showCommand(): Command {
  return new Command("show")
    .summary("the statistics of an artifact")
    .description("Opens an artifact, journal, scrape log or exposition and prints its statistics, one line a series.")
    .argument("<input>", "the file")
    .option("--family <name>", "one family only")
    .option("--phase <name>", "one phase only, such as warmup")
    .option("--json", "print JSON, as the JSON artifact writes it")
    .action(async (input: string, flags: Flags) => {
      const progress = startProgress();
      const opened = await openArtifact(input, {
        onProgress: (fraction) => progress.update(fraction, "reading"),
      }).finally(() => progress.done());
      for (const notice of opened.notices) noteProblem(notice);
      print(textOf(flags.phase === undefined ? opened : selectPhase(opened, flags.phase), flags));
    });
}

function textOf(opened: OpenedArtifact, { family, json }: Flags): string {
  refuseUnknown(opened, family);
  if (opened.kind === "snapshot") return snapshotText(opened.run, json === true, family);
  if (json === true)
    return jsonOf(
      opened.kind === "samples" ? complete(statisticsByPhase(opened.run, { unitOf: familyUnit })) : opened.statistics,
      family,
    );
  const entries: readonly ResultEntry[] = [
    ...(opened.kind === "samples" ? runEntries(opened.run) : storedEntries(new StoredRun(opened.statistics))),
  ].filter(({ key }) => family === undefined || key.family.name === family);
  const units = new Map(entries.map(({ key }) => [key.family.name, shownUnit(key.family)]));
  const tables = METRIC_TYPES.map((type) => complete(statisticsTable(entries, { type }))).filter(
    (table) => table.rows.length > 0,
  );
  return tables.length === 0
    ? "No series."
    : tables
        .map((table) => `${table.type.toUpperCase()}\n${statisticsText(table, (name) => units.get(name))}`)
        .join("\n\n");
}

function jsonOf(statistics: RunStatistics, family: string | undefined): string {
  const families = statistics.families.filter(({ name }) => family === undefined || name === family);
  return [...writeJson({ ...statistics, families }, { version: VERSION })].join("");
}

function refuseUnknown(opened: OpenedArtifact, family: string | undefined): void {
  const names =
    opened.kind === "statistics"
      ? opened.statistics.families.map(({ name }) => name)
      : opened.run.store.families().map(({ name }) => name);
  if (family === undefined || names.includes(family)) return;
  const near = names.filter((name) => name.includes(family)).slice(0, 5);
  throw new CommandError(
    `${opened.path} has no family ${family}.`,
    2,
    near.length > 0 ? `It has ${near.join(", ")}.` : `It has ${names.length} others; without --family all are shown.`,
  );
}

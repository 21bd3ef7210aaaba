import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { writeJson } from "../../core/artifacts/index.js";
import { familyUnit, objectiveApplies, type Objective } from "../../core/catalog/index.js";
import { clientServerDocument, clientServerSteps } from "../../core/client/index.js";
import type { RunStatistics } from "../../core/model/index.js";
import { runEntries, sliceAttainment, sloReport, StoredRun, type ResultEntry } from "../../core/query/index.js";
import { statisticsByPhase } from "../../core/window/index.js";
import { complete } from "../../core/stats/index.js";
import { VERSION } from "../../files/index.js";
import { openArtifact, selectPhase, type OpenedArtifact } from "../../files/open/index.js";
import {
  withSeriesLimit,
  append,
  clientOptions,
  familyChoice,
  namesIn,
  withClientOptions,
  type FlagsOf,
} from "../options/shared.js";
import { objectivesArgument, sloJson, sloText } from "./slo.js";
import { noteOtherNumbers } from "../input/artifact.js";
import { STATISTIC_NAMES } from "../arguments.js";
import { statisticsTables } from "../print/summary.js";
import { documentText } from "../print/document.js";
import { snapshotText } from "../print/snapshot.js";
import { terminalWidth } from "../print/table.js";
import { noteProblem, print, withProgress } from "../print/terminal.js";

/** `show`: the statistics of a file, one line per series. */
export function showCommand(): CommandUnknownOpts {
  return options().action(async (input, flags) => {
    const opened = await withProgress("reading", (onProgress) =>
      openArtifact(input, { ...clientOptions(flags), seriesLimit: flags.seriesLimit, onProgress }),
    );
    for (const notice of opened.notices) noteProblem(notice);
    noteOtherNumbers(opened);
    print(textOf(flags.phase === undefined ? opened : selectPhase(opened, flags.phase), flags));
  });
}

function options() {
  return withSeriesLimit(withClientOptions(new Command("show")))
    .summary("print the statistics of an artifact")
    .description("Opens an artifact, journal, scrape log or exposition and prints its statistics, one line per series.")
    .argument("<input>", "the file")
    .option("--family <pattern>", "these families only, such as 'vllm:*latency*' (repeatable)", append)
    .option("--statistics <list>", "these statistics only, such as avg,p99", statisticsArgument)
    .option("--wide", "all statistics, however long the lines")
    .option("--phase <name>", "one phase only, such as warmup")
    .option(
      "--slo <list>",
      "the share of observations at or below thresholds in the metric's unit, such as ttft=0.5,itl=0.05; with --json only these",
      objectivesArgument,
    )
    .option("--json", "print JSON, as the JSON artifact writes it");
}

/** `avg,p99`. @throws InvalidArgumentError naming those there are */
function statisticsArgument(text: string): readonly string[] {
  const there = STATISTIC_NAMES.join(", ");
  return namesIn(text, STATISTIC_NAMES, (name) => `There is no statistic "${name}"; there are ${there}.`);
}

function textOf(
  opened: OpenedArtifact,
  { family: patterns, json, slo, statistics, wide }: FlagsOf<typeof options>,
): string {
  const includes = patterns === undefined ? () => true : familyChoice(patterns);
  if (patterns !== undefined) refuseUnknown(opened, patterns, includes);
  if (opened.kind === "snapshot") return snapshotText(opened.run, json === true, includes);
  const everything = (): readonly ResultEntry[] => [
    ...runEntries(opened.kind === "samples" ? opened.run : new StoredRun(opened.statistics)),
  ];
  if (json === true && slo !== undefined) return sloJson(...attainment(everything(), slo));
  if (json === true)
    return jsonOf(
      opened.kind === "samples" ? complete(statisticsByPhase(opened.run, { unitOf: familyUnit })) : opened.statistics,
      includes,
    );
  const all = everything();
  const tables = statisticsTables(
    all.filter(({ key }) => includes(key.family.name)),
    { statistics, width: wide === true ? undefined : terminalWidth() },
  );
  if (tables === "") return "No series.";
  const measured = opened.kind === "samples" ? opened.run : opened.statistics;
  const clientServer =
    patterns === undefined ? documentText(clientServerDocument(complete(clientServerSteps(measured)))) : "";
  return [
    tables,
    ...(clientServer === "" ? [] : [clientServer]),
    ...(slo === undefined ? [] : [sloText(...attainment(all, slo))]),
  ].join("\n\n");
}

/** Each series is measured once. */
function attainment(entries: readonly ResultEntry[], objectives: readonly Objective[]) {
  const measured = entries.flatMap((entry): ResultEntry[] => {
    if (!objectives.some((objective) => objectiveApplies(entry.key.family.name, objective))) return [];
    const result = entry.result();
    return [{ ...entry, result: () => result }];
  });
  const report = sloReport(measured, objectives);
  return [report, report.attained.map((objective) => sliceAttainment(measured, objective))] as const;
}

function jsonOf(statistics: RunStatistics, includes: (family: string) => boolean): string {
  const families = statistics.families.filter(({ name }) => includes(name));
  return [...writeJson({ ...statistics, families }, { version: VERSION })].join("");
}

function refuseUnknown(
  opened: OpenedArtifact,
  patterns: readonly string[],
  includes: (family: string) => boolean,
): void {
  const names =
    opened.kind === "statistics"
      ? opened.statistics.families.map(({ name }) => name)
      : opened.run.store.families().map(({ name }) => name);
  if (names.some(includes)) return;
  const near = names.filter((name) => patterns.some((pattern) => name.includes(pattern))).slice(0, 5);
  throw new UserError(
    `${opened.path} has no family ${patterns.join(" or ")}.`,
    near.length > 0 ? `It has ${near.join(", ")}.` : `It has ${names.length} others; without --family all are shown.`,
  );
}

import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  decide,
  DefinitionError,
  experimentDocument,
  experimentStatus,
  ofSameCells,
  parseDefinition,
  withEarlierRuns,
  folderOf,
  guardsOf,
  judgedName,
  measureRun,
  type DecidedExperiment,
  type ExperimentDefinition,
  type RunRecord,
  type PlannedRun,
} from "../core/experiment/index.js";
import { UserError } from "../core/text/index.js";
import { reportOfExperiment } from "../engine/report/index.js";
import { textOf } from "../files/bytes.js";
import { VERSION } from "../files/index.js";
import type { MemoryOptions } from "../files/memory.js";
import { readNamedText, type Reach } from "../files/opener.js";
import type { ReadExperiment } from "../protocol/experiment.js";
import type { Report } from "../protocol/index.js";
import { readJournal, type Recorded } from "./journal.js";
import { artifactName } from "../core/artifacts/index.js";
import { sourceOf } from "../core/compare/index.js";
import { openArtifact } from "../files/open/index.js";
import { plural } from "../core/text/plural.js";

/** Of a file that others name. */
const FILE_LIMIT = 1024 ** 2;

/** An experiment, and what the runs so far say. */
export interface RecordedExperiment extends DecidedExperiment {
  /** Where its runs lie. Absolute. */
  readonly out: string;
  /** That its runs were made by another plan, and what `run` does about it; absent of those of this one. */
  readonly otherPlan?: string;
}

/**
 * Reads an experiment's file, its journal, and what is judged of its runs.
 * @param out folder of its runs; absent: as `runsFolderOf` has it
 * @throws UserError naming file and line
 */
export async function readExperiment(
  file: string,
  { out, ...reading }: { readonly out?: string | undefined } & Reach & MemoryOptions = {},
): Promise<RecordedExperiment> {
  const definition = await readDefinition(file, reading);
  const folder = runsFolderOf(file, out);
  const before = await readJournal(folder, reading);
  const changed = changedPlan(folder, definition, before);
  const runs = await measuredRuns(definition, before?.runs ?? [], folder, reading);
  const decision = decide(definition, runs);
  // Those beside it are read only while its own runs do not tell.
  const isTold = runs.length > 0 && decision.primary.every(({ detectable }) => detectable !== undefined);
  const earlier = isTold ? [] : await earlierRuns(definition, folder, reading);
  return {
    definition,
    out: folder,
    runs,
    decision: withEarlierRuns(definition, decision, earlier),
    ...(changed === "" ? {} : { otherPlan: `${changed} \`experiment run --anew\` sets them aside and begins anew.` }),
  };
}

/** Runs of the same cells in the experiments beside this one. What is wrong with those is told where they are read. */
async function earlierRuns(definition: ExperimentDefinition, out: string, reach: Reach): Promise<readonly RunRecord[]> {
  const beside = await readdir(dirname(out)).catch(() => []);
  const journals = await Promise.all(
    beside.map((name) => readJournal(join(dirname(out), name), reach).catch(() => undefined)),
  );
  return journals.flatMap((journal, i) =>
    journal === undefined || beside[i] === basename(out)
      ? []
      : ofSameCells(definition, journal.definition, journal.runs),
  );
}

/** @throws UserError naming file and line */
export async function readDefinition(file: string, reach: Reach = {}): Promise<ExperimentDefinition> {
  const text = reach.within === undefined ? await readNamedText(file) : await textOf(file, FILE_LIMIT, reach);
  try {
    return parseDefinition(text);
  } catch (error) {
    if (error instanceof DefinitionError) throw new UserError(`${file}, ${error.message}`);
    throw error;
  }
}

/** Where the runs of an experiment's file lie: in the folder chosen, else beside it, by its name without its ending. */
export function runsFolderOf(file: string, out?: string): string {
  const name = basename(file).replace(/(?:\.experiment)?\.(?:ya?ml|json)$/i, "");
  return resolve(out ?? join(dirname(file), name === basename(file) ? `${name}-runs` : name));
}

/** What programs and pages read of an experiment. */
export function statusOf(recorded: RecordedExperiment): ReadExperiment {
  const { out, otherPlan } = recorded;
  return { out, ...experimentStatus(recorded), ...(otherPlan === undefined ? {} : { otherPlan }) };
}

/** The experiment for a reader without this program. @param file the experiment's */
export function experimentReport(file: string, recorded: RecordedExperiment): Report {
  const versions = [
    ["Server Metrics", VERSION],
    ["Node.js", process.version],
    ["System", `${process.platform} ${process.arch}`],
  ] as const;
  const document = experimentDocument(recorded, versions, recorded.otherPlan);
  return reportOfExperiment({ file, experiment: statusOf(recorded), running: "no", showPlan: false }, document);
}

/**
 * Runs with what is judged of them: metrics that came into the file after a run was made are read from its artifacts.
 * @param out folder of the experiment
 * @throws UserError when those cannot be read
 */
export async function measuredRuns(
  definition: ExperimentDefinition,
  runs: readonly RunRecord[],
  out: string,
  reading: Reach & MemoryOptions = {},
): Promise<readonly RunRecord[]> {
  const judged = [definition.primary, ...guardsOf(definition)];
  const measured: RunRecord[] = [];
  for (const run of runs) {
    const missing = run.problems.length > 0 ? [] : judged.filter((one) => !(judgedName(one) in run.values));
    if (missing.length === 0) {
      measured.push(run);
      continue;
    }
    const label = folderOf(run.step);
    const opened = await openArtifact(join(out, label, artifactName("parquet")), reading);
    const source = sourceOf(
      opened.kind === "statistics"
        ? { kind: "statistics", label, statistics: opened.statistics }
        : { kind: "samples", label, run: opened.run },
    );
    const values = measureRun({ source, clients: opened.clients ?? [] }, missing);
    measured.push({ ...run, values: { ...run.values, ...values } });
  }
  return measured;
}

/**
 * That runs of an earlier plan are not like those to come: a sentence, "" where they are. They count as long as their
 * configuration, their load and what is common to all were the same; metrics, repeats, budget and seed may change.
 */
function changedPlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): string {
  if (before === undefined) return "";
  const runs = before.runs.filter(({ problems }) => problems.length === 0);
  const changed = new Set(runs.flatMap(({ step }) => changesOf(before.definition, definition, step)));
  return changed.size === 0
    ? ""
    : `${plural(runs.length, "run")} in ${out} ${runs.length === 1 ? "was" : "were"} made by another plan: ${[...changed].join(", ")} changed.`;
}

/** Folders of the runs that do not count and would be others by now: whoever changed the plan has mended something. */
export function replacedRuns(definition: ExperimentDefinition, before: Recorded | undefined): readonly string[] {
  return (before?.runs ?? []).flatMap(({ step, problems }) =>
    before !== undefined && problems.length > 0 && changesOf(before.definition, definition, step).length > 0
      ? [folderOf(step)]
      : [],
  );
}

/** What a step's run would be made with that it was not. */
function changesOf(old: ExperimentDefinition, definition: ExperimentDefinition, step: PlannedRun): readonly string[] {
  const named = <T extends { readonly name: string }>(list: readonly T[], name: string) =>
    list.find((own) => own.name === name);
  const parts: readonly (readonly [what: string, part: (one: ExperimentDefinition) => unknown])[] = [
    ["what is common to all", ({ reset, endpoints, interval }) => [reset, endpoints, interval]],
    [step.configuration, ({ configurations }) => named(configurations, step.configuration)],
    [step.load, ({ loads }) => named(loads, step.load)],
    ["search", ({ search }) => search],
  ];
  return parts.flatMap(([what, part]) =>
    JSON.stringify(part(old)) === JSON.stringify(part(definition)) ? [] : [what],
  );
}

/** @throws UserError that says which runs would not be like those to come */
export function requireSamePlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): void {
  const changed = changedPlan(out, definition, before);
  if (changed !== "")
    throw new UserError(changed, "Give --anew to set them aside and begin anew, or choose another --out.", {
      code: "changed-plan",
    });
}

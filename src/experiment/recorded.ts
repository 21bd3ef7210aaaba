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
  type Decision,
  type ExperimentDefinition,
  type RunRecord,
} from "../core/experiment/index.js";
import { UserError } from "../core/text/index.js";
import { reportOfExperiment } from "../engine/report/index.js";
import { textOf } from "../files/bytes.js";
import { VERSION } from "../files/index.js";
import type { MemoryOptions } from "../files/memory.js";
import { readNamedText, type Reach } from "../files/opener.js";
import type { ReadExperiment } from "../protocol/experiment.js";
import type { Report } from "../protocol/index.js";
import { changedPlan } from "./changed-plan.js";
import { readJournal } from "./journal.js";
import { measuredRuns } from "./measured-runs.js";

/** Of a file that others name. */
const FILE_LIMIT = 1024 ** 2;

/** An experiment, and what the runs so far say. */
export interface RecordedExperiment {
  readonly definition: ExperimentDefinition;
  /** Where its runs lie. Absolute. */
  readonly out: string;
  readonly runs: readonly RunRecord[];
  readonly decision: Decision;
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
export function statusOf({ out, definition, decision, runs, otherPlan }: RecordedExperiment): ReadExperiment {
  return {
    out,
    ...experimentStatus(definition, decision, runs),
    ...(otherPlan === undefined ? {} : { otherPlan }),
  };
}

/** The experiment for a reader without this program. @param file the experiment's */
export function experimentReport(file: string, recorded: RecordedExperiment): Report {
  const { definition, decision, runs, otherPlan } = recorded;
  const versions = [
    ["Server Metrics", VERSION],
    ["Node.js", process.version],
    ["System", `${process.platform} ${process.arch}`],
  ] as const;
  const document = experimentDocument(definition, decision, runs, versions, otherPlan);
  return reportOfExperiment({ file, experiment: statusOf(recorded), running: "no", showPlan: false }, document);
}

import { SeededRandom } from "../math/index.js";
import type { ExperimentDefinition, ServerConfiguration } from "./definition.js";
import type { MetricValues } from "./measure.js";

/** One run to be made: a configuration under a load, in a block. */
export interface PlannedRun {
  readonly load: string;
  readonly configuration: string;
  /** From 1. */
  readonly block: number;
  /** 2 of a run that is made once more, since the first was not valid. */
  readonly attempt: 1 | 2;
  /** Of a search: what `${level}` of the load is. */
  readonly level?: number;
}

/** A run that was made, as the experiment's journal keeps it. */
export interface RunRecord {
  readonly step: PlannedRun;
  /** Why it does not count; empty of a valid run. */
  readonly problems: readonly string[];
  readonly values: MetricValues;
  /** What the servers said of themselves: versions and settings. */
  readonly facts?: Readonly<Record<string, string>>;
  /** From the start of its server to the end. */
  readonly seconds: number;
}

/** The folder of a step's run, below the experiment's. The same for the same step, and for no other. */
export function folderOf({ load, configuration, block, attempt, level }: PlannedRun): string {
  const cell = level === undefined ? load : `${load}-${level}`;
  return `runs/${cell}/${String(block).padStart(2, "0")}-${configuration}${attempt === 2 ? "-again" : ""}`;
}

/** A cell's run of a block that counts; undefined where none does yet. */
export function validRun(
  runs: readonly RunRecord[],
  { load, configuration, block, level }: Omit<PlannedRun, "attempt">,
): RunRecord | undefined {
  return runs.find(
    ({ step, problems }) =>
      problems.length === 0 &&
      step.load === load &&
      step.configuration === configuration &&
      step.block === block &&
      step.level === level,
  );
}

/** What those of the runs that count say of a metric. @param name as `judgedName` has it */
export function validValues(runs: readonly RunRecord[], name: string): readonly number[] {
  return runs.flatMap(({ problems, values }) => {
    const value = values[name];
    return problems.length > 0 || value === undefined || typeof value === "string" ? [] : [value.value];
  });
}

/** Runs of another experiment as runs of this one: those with the same commands for server and load. */
export function ofSameCells(
  { configurations, loads }: ExperimentDefinition,
  other: ExperimentDefinition,
  runs: readonly RunRecord[],
): readonly RunRecord[] {
  const placeOf = ({ server, endpoints }: Partial<ServerConfiguration>) => JSON.stringify([server, endpoints]);
  return runs.flatMap((run) => {
    const { step } = run;
    const theirs = placeOf(other.configurations.find(({ name }) => name === step.configuration) ?? {});
    const command = other.loads.find(({ name }) => name === step.load)?.command;
    const configuration = configurations.find((one) => placeOf(one) === theirs)?.name;
    const load = loads.find((one) => one.command === command)?.name;
    return configuration === undefined || load === undefined
      ? []
      : [{ ...run, step: { ...step, configuration, load } }];
  });
}

/**
 * The configurations in the order of a block, drawn for it alone: what drifts between its runs favours none. The same
 * file gives the same order.
 */
export function orderOf(
  { configurations, seed }: ExperimentDefinition,
  load: string,
  block: number,
): readonly string[] {
  return new SeededRandom(hashOf(`${seed} ${load} ${block}`)).shuffled(configurations.map(({ name }) => name));
}

/** Blocks of a comparison one after the other, every load within each. */
export function* stepsOf(definition: ExperimentDefinition): Generator<PlannedRun> {
  for (let block = 1; block <= definition.repeats.max; block++)
    for (const { name: load } of definition.loads)
      for (const configuration of orderOf(definition, load, block)) yield { load, configuration, block, attempt: 1 };
}

/** Those runs that did not count are made once more, in the same order. */
export function repeatsOf(runs: readonly RunRecord[]): readonly PlannedRun[] {
  const made = new Set(runs.map(({ step }) => folderOf(step)));
  return runs.flatMap(({ step, problems }) => {
    const again = { ...step, attempt: 2 as const };
    return problems.length > 0 && step.attempt === 1 && !made.has(folderOf(again)) ? [again] : [];
  });
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

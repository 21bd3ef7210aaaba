import {
  decide,
  folderOf,
  judgedName,
  parseDefinition,
  type Decision,
  type ExperimentDefinition,
  type RunRecord,
  type PlannedRun,
  type MetricValue,
} from "../../src/core/experiment/index.js";

/** An experiment of two configurations, a and b, under one load. @param more lines of its file */
export function twoConfigurations(more = ""): ExperimentDefinition {
  return parseDefinition(`question: Is b better than a?
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a }, { name: b }]
loads: [{ name: load, command: sleep 1 }]
primary: { metric: ttft, statistic: avg, relevant: 3% }
${more}`);
}

/** A run of a step with these values; invalid with a problem. */
export function runOf(
  definition: ExperimentDefinition,
  step: PlannedRun,
  value: number | MetricValue,
  problem?: string,
): RunRecord {
  return {
    step,
    problems: problem === undefined ? [] : [problem],
    values: { [judgedName(definition.primary)]: typeof value === "number" ? { value, error: 0 } : value },
    seconds: 10,
  };
}

export interface Simulated {
  readonly decision: Decision;
  readonly runs: readonly RunRecord[];
}

/** Makes an experiment's runs at once, each as `make` says, until it is over. @param runs that were made before */
export function simulated(
  definition: ExperimentDefinition,
  make: (step: PlannedRun) => RunRecord,
  runs: readonly RunRecord[] = [],
): Simulated {
  let made = runs;
  for (;;) {
    const decision = decide(definition, made);
    if (typeof decision.next === "string") return { decision, runs: made };
    made = [...made, make(decision.next)];
  }
}

/** What a run is, for order and completeness. */
export function outline(runs: readonly RunRecord[]): readonly string[] {
  return runs.map(({ step, problems }) => `${folderOf(step)} ${problems.join(" ")}`);
}

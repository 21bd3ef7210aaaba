import { readdirSync } from "node:fs";
import path from "node:path";
import { sourceOf } from "../../src/core/compare/index.js";
import {
  judgedName,
  measureRun,
  type ExperimentDefinition,
  type RunRecord,
  type PlannedRun,
  type MetricValues,
} from "../../src/core/experiment/index.js";
import type { Run } from "../../src/core/store/index.js";
import { runOf, simulated, twoConfigurations, type Simulated } from "./experiments.js";
import { normal } from "./histogram-simulation.js";
import { simulateServing } from "./simulated-serving.js";
import { WORKLOADS } from "./served-pairs.js";
import { seededRandom } from "./random.js";
import { realRun } from "./real-runs.js";

/** What is judged. */
export const METRICS = ["ttft avg", "ttft p99", "queue-time avg"] as const;
export type JudgedMetric = (typeof METRICS)[number];

/** How a number of experiments ended. */
export interface Ends {
  readonly equivalent: number;
  readonly better: number;
  readonly worse: number;
  readonly undecided: number;
  /** On average. */
  readonly blocks: number;
  readonly of: number;
}

function definitionOf(judged: JudgedMetric, more = ""): ExperimentDefinition {
  const definition = twoConfigurations(more);
  const [metric = "", statistic] = judged.split(" ");
  const name = statistic === "p99" ? "p99" : "avg";
  return { ...definition, primary: { ...definition.primary, metric, statistic: { kind: "plain", name } } };
}

function endsOf(experiments: readonly Simulated[]): Ends {
  const states = experiments.map(({ decision }) => decision.primary[0]?.state);
  const count = (state: string) => states.filter((one) => one === state).length;
  const blocks = experiments.reduce((sum, { decision }) => sum + (decision.primary[0]?.differences.length ?? 0), 0);
  return {
    equivalent: count("equivalent"),
    better: count("better"),
    worse: count("worse"),
    undecided: count("undecided"),
    blocks: blocks / experiments.length,
    of: experiments.length,
  };
}

function valuesOf(run: Run): MetricValues {
  const source = sourceOf({ kind: "samples", label: "", run });
  return measureRun(
    { source, clients: [] },
    METRICS.map((one) => definitionOf(one).primary),
  );
}

/** Simulated servers: vLLM under a steady load, SGLang under bursts, TensorRT-LLM. */
export const SIMULATED = ["steady", "sglang", "trt"] as const;

/** The judged metrics of runs of one simulated server on a simulated clock, each with another seed. */
export function simulatedPool(name: (typeof SIMULATED)[number], size: number): readonly MetricValues[] {
  return Array.from({ length: size }, (_, seed) => valuesOf(simulateServing(seed + 1, WORKLOADS[name] ?? {}).run));
}

/** As `simulatedPool`, of the repeats that were recorded of a real server. @param prefix "A" or "B" */
export async function realPool(directory: string, prefix: string): Promise<readonly MetricValues[]> {
  const names = readdirSync(directory)
    .filter((name) => name.startsWith(prefix))
    .sort();
  return Promise.all(names.map(async (name) => valuesOf(await realRun(path.join(directory, name)))));
}

/** Experiments whose runs are drawn from pools, none twice in one experiment. */
export function drawnExperiments(
  { a, b }: { readonly a: readonly MetricValues[]; readonly b: readonly MetricValues[] },
  experiments: number,
  metric: JudgedMetric,
): Ends {
  const most = a === b ? Math.floor(a.length / 2) : Math.min(a.length, b.length);
  const max = Math.min(12, most);
  const definition = definitionOf(metric, `repeats: { min: ${Math.min(3, max)}, max: ${max} }`);
  return endsOf(
    Array.from({ length: experiments }, (_, e) => {
      const order = { a: shuffled(a, e), b: a === b ? shuffled(a, e).reverse() : shuffled(b, e + 1e6) };
      return simulated(definition, (step) =>
        record(definition, step, order[step.configuration === "a" ? "a" : "b"][step.block - 1]),
      );
    }),
  );
}

function record(definition: ExperimentDefinition, step: PlannedRun, values: MetricValues | undefined): RunRecord {
  const value = values?.[judgedName(definition.primary)];
  return { step, problems: typeof value === "string" ? [value] : [], values: values ?? {}, seconds: 1 };
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return list
    .map((one) => ({ one, key: random() }))
    .sort((x, y) => x.key - y.key)
    .map(({ one }) => one);
}

/**
 * Experiments of runs whose truth is known: b's values are a's times a factor, runs vary by a share (lognormal).
 * @param max blocks
 */
export function knownExperiments(
  { factor, spread, max }: { readonly factor: number; readonly spread: number; readonly max: number },
  experiments: number,
): Ends {
  const definition = definitionOf("ttft avg", `repeats: { min: 3, max: ${max} }`);
  return endsOf(
    Array.from({ length: experiments }, (_, e) => {
      const random = seededRandom(e);
      return simulated(definition, (step) =>
        runOf(definition, step, (step.configuration === "b" ? factor : 1) * Math.exp(spread * normal(random))),
      );
    }),
  );
}

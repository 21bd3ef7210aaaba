import {
  compareRuns,
  type ComparedRun,
  type Comparison,
  type ComparisonOptions,
  type RunSet,
} from "../../src/core/compare/index.js";
import type { RunStatistics } from "../../src/core/model/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { normal, seeded } from "./histogram-simulation.js";
import { RunBuilder, type TestSample } from "./run-builder.js";

/** How long the runs are. */
export const SECONDS = 300;

/** A run of 300 s, scraped every second: `samples` gives what an endpoint shows at each. */
export function built(
  samples: (second: number, random: () => number) => readonly TestSample[],
  { seed = 1, urls = ["http://a:1/metrics"], seconds = SECONDS, warmup = 5, sliceSeconds = 5 } = {},
): Run {
  const builder = new RunBuilder(sliceSeconds);
  const random = seeded(seed);
  for (let second = 0; second <= seconds; second++)
    for (const url of urls) builder.scrape(second, samples(second, random), url);
  return builder.window(warmup, seconds).run;
}

export const samplesOf = (run: Run, label = "run"): ComparedRun => ({ kind: "samples", label, run });
export const set = (label: string, ...runs: readonly Run[]): RunSet => ({
  label,
  runs: runs.map((run, i) => samplesOf(run, `${label}${i}`)),
});
export const statisticsOf = (run: Run): RunStatistics => complete(runStatistics(run, { unitOf: () => undefined }));

export function compared(a: Run, b: Run, options: ComparisonOptions = {}): Comparison {
  return complete(compareRuns(set("A", a), [set("B", distinct(b))], options));
}

/** Builders give all runs one id; two files of the same id and window are the same run. */
export function distinct(run: Run): Run {
  Object.assign(run.metadata, { benchmarkId: crypto.randomUUID() });
  return run;
}

export const noisy =
  (name: string, mean: number, labels: Record<string, string> = {}) =>
  (_: number, random: () => number): TestSample[] => [{ name, labels, value: mean + 0.02 * mean * normal(random) }];
export const cellOf = (comparison: Comparison, family: string, quantity?: string) =>
  comparison.rows.find((row) => row.family === family && (quantity === undefined || row.quantity === quantity))
    ?.cells[0];

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  drawnExperiments,
  knownExperiments,
  realPool,
  simulatedPool,
  METRICS,
  SIMULATED,
  type Ends,
} from "../support/experiment-truth.js";
import { realDirectory } from "../support/real-runs.js";

const POOL = 200;

/** How experiments end whose truth is known; the table of docs/experiments.md. @param args experiments of each row */
export async function run([count = "1000"]: string[]): Promise<void> {
  const experiments = Number(count);
  console.log("| what | equivalent | better | worse | undecided | blocks |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const server of SIMULATED) {
    const pool = simulatedPool(server, POOL);
    for (const metric of METRICS)
      print(`A/A, simulated ${server}, ${metric}`, drawnExperiments({ a: pool, b: pool }, experiments, metric));
  }
  print(
    "10 % slower, runs vary by 4 %, until decided",
    knownExperiments({ factor: 1.1, spread: 0.04, max: 60 }, experiments),
  );
  print(
    "equal, blocks vary by 2 %, up to 12",
    knownExperiments({ factor: 1, spread: 0.02 / Math.SQRT2, max: 12 }, experiments),
  );
  print(
    "3 % slower, blocks vary by 2 %, up to 12",
    knownExperiments({ factor: 1.03, spread: 0.02 / Math.SQRT2, max: 12 }, experiments),
  );
  const directory = join(realDirectory(), "repeats");
  if (!existsSync(directory)) return;
  const [a, b] = [await realPool(directory, "A"), await realPool(directory, "B")];
  for (const metric of METRICS) {
    print(`A/A, recorded vLLM, ${metric}`, drawnExperiments({ a, b: a }, experiments, metric));
    print(`A/B, recorded vLLM (3 blocks), ${metric}`, drawnExperiments({ a, b }, experiments, metric));
  }
}

function print(what: string, { equivalent, better, worse, undecided, blocks, of }: Ends): void {
  const share = (n: number) => `${((100 * n) / of).toFixed(1)} %`;
  console.log(
    `| ${what} | ${share(equivalent)} | ${share(better)} | ${share(worse)} | ${share(undecided)} | ${blocks.toFixed(1)} |`,
  );
}

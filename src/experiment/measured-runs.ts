import { join } from "node:path";
import { artifactName } from "../core/artifacts/index.js";
import { sourceOf } from "../core/compare/index.js";
import {
  folderOf,
  guardsOf,
  judgedName,
  measureRun,
  type ExperimentDefinition,
  type RunRecord,
} from "../core/experiment/index.js";
import type { MemoryOptions } from "../files/memory.js";
import { openArtifact } from "../files/open/index.js";
import type { Reach } from "../files/opener.js";

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

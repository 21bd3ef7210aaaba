import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArtifactName } from "../../core/artifacts/index.js";
import {
  comparedRun,
  earlierRunsOf,
  type ComparedRun,
  type ComparisonOptions,
  type EarlierRuns,
  type RunSet,
} from "../../core/compare/index.js";
import { complete } from "../../core/stats/index.js";
import { openArtifact } from "../../files/open/index.js";
import { splitPhase } from "./artifact.js";

/** Nobody named these files: only so many are read, the newest, none of them large. */
const MAX_RUNS = 20;
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * Earlier runs of the baseline's configuration that lie where it does: beside its file, or in folders beside its
 * folder. What cannot be read there is no run. Of sets of repeats, and of phases, there are none.
 * @param path of the baseline, as given
 */
export async function earlierRuns(
  path: string,
  sets: readonly RunSet[],
  options: ComparisonOptions,
): Promise<EarlierRuns | undefined> {
  const { path: given, phase } = await splitPhase(path);
  const [[baseline, ...more] = [], [candidate, ...others] = []] = sets.map(({ runs }) => runs);
  if (
    phase !== undefined ||
    sets.length > 2 ||
    baseline === undefined ||
    candidate === undefined ||
    more.length + others.length > 0
  )
    return undefined;
  const file = resolve(given);
  const files = await statisticsBeside(file);
  const runs: ComparedRun[] = [];
  for (const other of files.filter((one) => one !== file)) {
    const opened = await openArtifact(other, {}).catch(() => undefined);
    if (opened?.kind === "statistics") runs.push(comparedRun(labelOf(other), opened));
  }
  return complete(earlierRunsOf(baseline, candidate, runs, options));
}

/** JSON files of runs, the newest first. */
async function statisticsBeside(file: string): Promise<string[]> {
  const folder = dirname(file);
  const siblings = await readdir(dirname(folder), { withFileTypes: true }).catch(() => []);
  const folders = siblings.filter((entry) => entry.isDirectory()).map(({ name }) => join(dirname(folder), name));
  const found: { readonly path: string; readonly changed: number }[] = [];
  for (const place of new Set([folder, ...folders])) {
    for (const name of await readdir(place).catch(() => [])) {
      if (parseArtifactName(name)?.format !== "json" || !name.endsWith(".json") || name.startsWith(".")) continue;
      const info = await stat(join(place, name)).catch(() => undefined);
      if (info?.isFile() === true && info.size <= MAX_BYTES)
        found.push({ path: join(place, name), changed: info.mtimeMs });
    }
  }
  return found
    .sort((a, b) => b.changed - a.changed)
    .slice(0, MAX_RUNS)
    .map(({ path }) => path);
}

function labelOf(path: string): string {
  const { prefix } = parseArtifactName(basename(path)) ?? {};
  return prefix ?? basename(dirname(path));
}

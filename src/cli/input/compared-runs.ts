import { UserError } from "../../core/text/errors.js";
import {
  comparedRun,
  earlierRunsOf,
  type ComparedRun,
  type RunSet,
  type ComparisonOptions,
  type EarlierRuns,
} from "../../core/compare/index.js";
import { configuredLabel, type WindowRule } from "../../core/model/index.js";
import { shortLabels, type Named } from "../../engine/comparison/labels.js";
import { MAX_CANDIDATES } from "../../protocol/comparison.js";
import { NEXT_SET } from "../arguments.js";
import { openFile, requireDifferentFiles, splitPhase, withPhase } from "./artifact.js";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArtifactName } from "../../core/artifacts/index.js";
import { complete } from "../../core/stats/index.js";
import { openArtifact } from "../../files/open/index.js";

/** Phases that the sets are compared by; absent: whole runs. */
interface PhaseFlags {
  readonly phase?: string;
  readonly baselinePhase?: string;
  /** What is measured of every run; absent: as each file says. */
  readonly window?: WindowRule;
}

/**
 * Opens what `compare` is given: files in sets of repeats, the baseline first.
 * @returns the sets, and the names of their files in the order given
 * @throws UserError
 */
export async function openSets(
  args: readonly string[],
  flags: PhaseFlags,
): Promise<{ readonly names: readonly string[]; readonly sets: readonly RunSet[] }> {
  const sets = await phasesOf(setsOf(withOwnPhases(args, flags)), flags);
  const paths = sets.flat();
  await requireDifferentFiles(paths);
  const opened: ComparedRun[] = [];
  for (const path of paths) opened.push(await openRun(path, flags));
  const names = await namesOf(paths, opened);
  const runs = opened.map((run, i): ComparedRun => ({ ...run, label: names[i] ?? run.label }));
  return {
    names,
    sets: sets.map((set): RunSet => {
      const own = set.flatMap((path) => runs[paths.indexOf(path)] ?? []);
      return { label: own.map(({ label }) => label).join(", "), runs: own };
    }),
  };
}

/** One file with two phases is compared with itself. */
function withOwnPhases(args: readonly string[], { phase, baselinePhase }: PhaseFlags): readonly string[] {
  const [only] = args;
  return args.length === 1 && only !== undefined && phase !== undefined && baselinePhase !== undefined
    ? [only, only]
    : args;
}

async function phasesOf(sets: readonly string[][], { phase, baselinePhase }: PhaseFlags): Promise<string[][]> {
  return Promise.all(
    sets.map((set, i) => Promise.all(set.map((path) => withPhase(path, i === 0 ? (baselinePhase ?? phase) : phase)))),
  );
}

/**
 * What is given as sets of repeats. Without a border, the first file is the baseline and every other a candidate of
 * its own.
 * @throws UserError
 */
export function setsOf(args: readonly string[]): string[][] {
  const sets: string[][] = [[]];
  for (const argument of args) {
    if (argument === NEXT_SET) sets.push([]);
    else sets.at(-1)?.push(argument);
  }
  if (sets.some((set) => set.length === 0))
    throw new UserError("a set of runs is empty.", "Write: compare A1 A2 A3 -- B1 B2 B3");
  const result = sets.length > 1 ? sets : (sets[0] ?? []).map((path) => [path]);
  if (result.length < 2) throw new UserError("a comparison needs a baseline and at least one other run.");
  if (result.length > MAX_CANDIDATES + 1)
    throw new UserError(
      `a baseline can be compared with up to ${MAX_CANDIDATES} others, not ${result.length - 1}.`,
      "Put repeats of a run into a set with --.",
    );
  return result;
}

async function openRun(path: string, { window }: PhaseFlags): Promise<ComparedRun> {
  const opened = await openFile(path, window === undefined ? {} : { window });
  if (opened.kind === "snapshot")
    throw new UserError(`${path} is a single scrape: a comparison needs several scrapes.`);
  return comparedRun(path, opened);
}

/** Labels where runs have them, else the shortest ends of their paths that tell them apart; phases by their names. */
async function namesOf(paths: readonly string[], runs: readonly ComparedRun[]): Promise<readonly string[]> {
  const parts = await Promise.all(paths.map(splitPhase));
  const files = new Map(
    parts.map(({ path }, i): [string, Named] => {
      const run = runs[i];
      const label = run === undefined ? undefined : labelOf(run);
      return [path, { path, ...(label === undefined ? {} : { label }) }];
    }),
  );
  const short = shortLabels([...files.values()]);
  const nameOf = new Map([...files.keys()].map((path, i) => [path, short[i] ?? path]));
  return parts.map(({ path, phase }) => `${nameOf.get(path) ?? path}${phase === undefined ? "" : `#${phase}`}`);
}

/** What the run calls itself. */
function labelOf(compared: ComparedRun): string | undefined {
  return compared.kind === "samples" ? compared.run.metadata.label : configuredLabel(compared.statistics.inputConfig);
}

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
    if (opened?.kind === "statistics") runs.push(comparedRun(labelOfFile(other), opened));
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

function labelOfFile(path: string): string {
  const { prefix } = parseArtifactName(basename(path)) ?? {};
  return prefix ?? basename(dirname(path));
}

import { UserError } from "../../core/text/user-error.js";
import { comparedRun, type ComparedRun, type RunSet } from "../../core/compare/index.js";
import { configuredLabel, type WindowRule } from "../../core/model/index.js";
import { shortLabels, type Named } from "../../engine/comparison/labels.js";
import { MAX_CANDIDATES } from "../../protocol/comparison.js";
import { NEXT_SET } from "../arguments.js";
import { openFile, requireDifferentFiles, splitPhase, withPhase } from "../input/artifact.js";

/** Phases that the sets are compared by; absent: whole runs. */
export interface PhaseFlags {
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

import { basename, dirname, join } from "node:path";
import {
  ARTIFACT_FORMATS,
  isArtifact,
  parseArtifactName,
  RICHEST_FIRST,
  unpackedName,
  type ReadableFormat,
} from "../../core/artifacts/index.js";
import { groupBy } from "../../core/model/index.js";
import { inspectParquet } from "../parquet/file.js";
import { headOf, type ReadOptions } from "../bytes.js";
import { Neighbours } from "./neighbours.js";
import type { SiblingFile } from "./types.js";

const HEAD = 8 * 1024;
/** Files looked at in one folder at the most. */
const LIMIT = 200;

/** Files in the same folder that tell the same benchmark id. One that cannot be read is none. */
export async function siblingsOf(
  path: string,
  benchmarkId: string,
  beside: Neighbours,
): Promise<readonly SiblingFile[]> {
  const own = basename(path);
  const stem = unpackedName(own).replace(/\.[^.]+$/, "");
  // Of a folder of many runs those named like this one come first.
  const candidates = beside
    .named(isArtifact, "info")
    .toSorted((a, b) => Number(b.startsWith(stem)) - Number(a.startsWith(stem)))
    .slice(0, LIMIT);
  const ids = await beside.look(candidates, benchmarkIdOf);
  return candidates
    .flatMap((name, i): SiblingFile[] => {
      const format = formatOf(name);
      return format !== undefined && ids[i] === benchmarkId ? [{ path: beside.path(name), format }] : [];
    })
    .sort((a, b) => rank(a) - rank(b));
}

/**
 * Of files that hold the same run the richest alone; all others in their order. They lie in one folder and have one
 * benchmark id. One that tells none, such as AIPerf's JSONL, belongs to the run of its name's stem.
 */
export async function distinctRuns(paths: readonly string[]): Promise<readonly string[]> {
  const folders = await Promise.all(
    [...groupBy([...new Set(paths)], dirname)].map(async ([folder, own]) => {
      const names = own.map((path) => basename(path));
      // One that is alone is a run whatever it tells.
      const beside = await Neighbours.in(folder, {});
      const ids = await beside.look(names.length === 1 ? [] : names, benchmarkIdOf);
      return own.map((path, i) => {
        const format = formatOf(path);
        const id = ids[i];
        return {
          path,
          stem: join(folder, parseArtifactName(basename(path))?.stem ?? basename(path)),
          run: id === undefined ? undefined : `${folder}\n${id}`,
          rank: format === undefined ? 0 : RICHEST_FIRST.indexOf(format),
        };
      });
    }),
  );
  const told = new Map(folders.flat().map((file) => [file.path, file]));
  const files = [...new Set(paths)].flatMap((path) => told.get(path) ?? []);
  const runsOfStem = new Map<string, Set<string>>();
  for (const { stem, run } of files) {
    if (run !== undefined) runsOfStem.set(stem, (runsOfStem.get(stem) ?? new Set()).add(run));
  }
  const runOf = ({ path, stem, run }: (typeof files)[number]): string => {
    if (run !== undefined) return run;
    const [only = stem, another] = runsOfStem.get(stem) ?? [];
    return another === undefined ? only : path;
  };
  const richest = new Map<string, (typeof files)[number]>();
  for (const file of files) {
    const run = runOf(file);
    const best = richest.get(run);
    if (best === undefined || file.rank < best.rank) richest.set(run, file);
  }
  return [...richest.values()].map(({ path }) => path);
}

function formatOf(path: string): ReadableFormat | undefined {
  return ARTIFACT_FORMATS.find((format) => unpackedName(path).toLowerCase().endsWith(`.${format}`));
}

function rank({ format }: SiblingFile): number {
  return RICHEST_FIRST.findIndex((one) => one === format);
}

/** Reads only as much as it takes. */
async function benchmarkIdOf(path: string, reading: ReadOptions): Promise<string | undefined> {
  const format = formatOf(path);
  if (format === undefined) return undefined;
  if (format === "parquet") return (await inspectParquet(path, reading)).metadata.get("aiperf.benchmark_id");
  const head = new TextDecoder().decode(await headOf(path, HEAD, reading));
  const match = format === "csv" ? /^# benchmark_id:\s*(\S+)/m.exec(head) : /"benchmark_id"\s*:\s*"([^"]+)"/.exec(head);
  return match?.[1];
}

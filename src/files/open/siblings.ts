import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  ARTIFACT_FORMATS,
  isArtifact,
  parseArtifactName,
  RICHEST_FIRST,
  unpackedName,
  type ReadableFormat,
} from "../../core/artifacts/index.js";
import { inspectParquet } from "../parquet/file.js";
import { headOf } from "../bytes.js";
import type { SiblingFile } from "./types.js";

const HEAD = 8 * 1024;
/** Files looked at in one folder at the most. */
const LIMIT = 200;

/** Files in the same folder that tell the same benchmark id. One that cannot be read is none. */
export async function siblingsOf(path: string, benchmarkId: string): Promise<readonly SiblingFile[]> {
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => []);
  const own = basename(path);
  const stem = unpackedName(own).replace(/\.[^.]+$/, "");
  // Of a folder of many runs those named like this one come first.
  const candidates = names
    .filter((name) => name !== own && isArtifact(name))
    .sort((a, b) => Number(b.startsWith(stem)) - Number(a.startsWith(stem)));
  const found = await Promise.all(
    candidates.slice(0, LIMIT).map(async (name): Promise<SiblingFile[]> => {
      const file = join(directory, name);
      const format = formatOf(name);
      const id = format === undefined ? undefined : await benchmarkIdOf(file, format).catch(() => undefined);
      return format !== undefined && id === benchmarkId ? [{ path: file, format }] : [];
    }),
  );
  return found.flat().sort((a, b) => rank(a) - rank(b));
}

/**
 * Of files that hold the same run the richest alone; all others in their order. They lie in one folder and have one
 * benchmark id. One that tells none, such as AIPerf's JSONL, belongs to the run of its name's stem.
 */
export async function distinctRuns(paths: readonly string[]): Promise<readonly string[]> {
  const inFolder = countBy([...new Set(paths)], dirname);
  const files = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const folder = dirname(path);
      const format = formatOf(path);
      const alone = inFolder.get(folder) === 1;
      const id = alone || format === undefined ? undefined : await benchmarkIdOf(path, format).catch(() => undefined);
      return {
        path,
        stem: join(folder, parseArtifactName(basename(path))?.stem ?? basename(path)),
        run: id === undefined ? undefined : `${folder}\n${id}`,
        rank: format === undefined ? 0 : RICHEST_FIRST.indexOf(format),
      };
    }),
  );
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

function countBy<T>(values: readonly T[], key: (value: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(key(value), (counts.get(key(value)) ?? 0) + 1);
  return counts;
}

function formatOf(path: string): ReadableFormat | undefined {
  return ARTIFACT_FORMATS.find((format) => unpackedName(path).toLowerCase().endsWith(`.${format}`));
}

function rank({ format }: SiblingFile): number {
  return RICHEST_FIRST.findIndex((one) => one === format);
}

/** Reads only as much as it takes. */
async function benchmarkIdOf(path: string, format: ReadableFormat): Promise<string | undefined> {
  if (format === "parquet") return (await inspectParquet(path)).metadata.get("aiperf.benchmark_id");
  const head = new TextDecoder().decode(await headOf(path, HEAD));
  const match = format === "csv" ? /^# benchmark_id:\s*(\S+)/m.exec(head) : /"benchmark_id"\s*:\s*"([^"]+)"/.exec(head);
  return match?.[1];
}

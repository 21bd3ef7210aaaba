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
  const files = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const format = formatOf(path);
      const alone = !paths.some((other) => other !== path && dirname(other) === dirname(path));
      const id = alone || format === undefined ? undefined : await benchmarkIdOf(path, format).catch(() => undefined);
      return {
        path,
        stem: join(dirname(path), parseArtifactName(basename(path))?.stem ?? basename(path)),
        run: id === undefined ? undefined : `${dirname(path)}\n${id}`,
        rank: format === undefined ? 0 : RICHEST_FIRST.indexOf(format),
      };
    }),
  );
  const runOf = ({ path, stem, run }: (typeof files)[number]): string => {
    if (run !== undefined) return run;
    const others = new Set(files.flatMap((file) => (file.stem === stem ? (file.run ?? []) : [])));
    const [only = stem] = others;
    return others.size > 1 ? path : only;
  };
  return [...new Set(files.map(runOf))].flatMap((run) => {
    const [richest] = files.filter((file) => runOf(file) === run).sort((a, b) => a.rank - b.rank);
    return richest === undefined ? [] : [richest.path];
  });
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

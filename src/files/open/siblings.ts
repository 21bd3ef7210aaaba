import { basename, dirname, join } from "node:path";
import {
  ARTIFACT_FORMATS,
  FASTEST_FIRST,
  isArtifact,
  parseArtifactName,
  rankOf,
  RICHEST_FIRST,
  unpackedName,
  type ReadableFormat,
} from "../../core/artifacts/index.js";
import { type Problem, warningOf, noteOf } from "../../core/model/index.js";
import { groupBy } from "../../core/math/index.js";
import { inspectParquet } from "../parquet/file.js";
import { headOf, type ReadOptions } from "../bytes.js";
import { statsOf } from "../opener.js";
import { Neighbours } from "./neighbours.js";
import type { SiblingFile } from "./types.js";

const HEAD = 8 * 1024;
/** Files looked at in one folder at the most. */
const LIMIT = 200;

/** Of a run's file, what lies beside it. */
export interface RelatedFiles {
  /** Other files of the same run, the richest first. */
  readonly siblings: readonly SiblingFile[];
  /** What of the folder is of other runs. */
  readonly notices: readonly Problem[];
}

/**
 * Another prefix is another window of a run, or another run: only files of this one's are looked at, of a file that is
 * not named as an artifact all.
 * @param benchmarkId as the file tells it
 */
export async function siblingsOf(
  path: string,
  benchmarkId: string | undefined,
  neighbours: Neighbours,
): Promise<RelatedFiles> {
  const own = basename(path);
  const stem = parseArtifactName(own)?.stem;
  const artifacts = neighbours.named(isArtifact, "info");
  const candidates = stem === undefined ? artifacts.slice(0, LIMIT) : artifacts.filter((name) => stemOf(name) === stem);
  const [, ...names] = (await ofRun(own, benchmarkId, candidates, neighbours)).names;
  return {
    siblings: sortedFiles(names, RICHEST_FIRST, neighbours),
    notices:
      stem === undefined
        ? []
        : notesOn(
            artifacts.filter((name) => !names.includes(name)),
            stem,
          ),
  };
}

/**
 * Which of these files beside one are of its run, after itself, and the benchmark id that they tell.
 * @param ownId as the file tells it
 */
async function ofRun(own: string, ownId: string | undefined, others: readonly string[], neighbours: Neighbours) {
  const names = [own, ...others];
  const ids = [ownId, ...(await neighbours.look(others, benchmarkIdOf))];
  const runs = runsByName(names, ids);
  const run = runs.get(own);
  return { names: names.filter((name) => runs.get(name) === run), id: ids.find((id) => id === run) };
}

function notesOn(others: readonly string[], stem: string): readonly Problem[] {
  const alike = others.filter((name) => stemOf(name) === stem);
  const prefixes = [...new Set(others.filter((name) => stemOf(name) !== stem).map(stemOf))];
  return [
    ...alike.map((name): Problem =>
      warningOf(
        `${name} beside this file is of another run: its benchmark id differs. Nothing is read from it.`,
        "Move the files of one of the two runs to another folder.",
      ),
    ),
    ...(prefixes.length === 0
      ? []
      : [
          noteOf(
            `The folder also holds files of other runs: ${prefixes.slice(0, 3).join(", ")}${prefixes.length > 3 ? ` and ${prefixes.length - 3} more` : ""}.`,
          ),
        ]),
  ];
}

/** The files of one run in one folder. */
export interface RunFiles {
  /** The run's benchmark id; the folder with the stem of the names where no file tells one. */
  readonly id: string;
  /** The prefix of the names, else the folder's name; of a file that is not named as an artifact its own name. */
  readonly name: string;
  /** The best to view the run from first. */
  readonly paths: readonly string[];
}

/** From so many bytes on, a JSONL takes long to read; of a Parquet only what is asked for is read. */
const LARGE_JSONL = 512 * 1024 ** 2;

/**
 * The files of the run that a file belongs to, that one included. They have one prefix, and none tells another
 * benchmark id. A file that is not named as an artifact stands for itself.
 */
export async function runFilesOf(path: string, options: ReadOptions = {}): Promise<RunFiles> {
  const [folder, own] = [dirname(path), basename(path)];
  const named = parseArtifactName(own);
  if (named === undefined) return { id: path, name: own, paths: [path] };
  const neighbours = await Neighbours.in(folder, options, own);
  const others = neighbours.named((name) => parseArtifactName(name)?.stem === named.stem, "info");
  // Somebody has named this one: it may be a link.
  const ownId = await benchmarkIdOf(path, options).catch(() => undefined);
  const { names, id = `${folder}/${named.stem}` } = await ofRun(own, ownId, others, neighbours);
  const jsonl = names.find((one) => formatOf(one) === "jsonl");
  const info =
    jsonl === undefined ? undefined : await statsOf(neighbours.path(jsonl), neighbours.reading).catch(() => undefined);
  const order = (info?.size ?? 0) >= LARGE_JSONL ? FASTEST_SAMPLES_FIRST : RICHEST_FIRST;
  return {
    id,
    name: named.prefix ?? basename(folder),
    paths: sortedFiles(names, order, neighbours).map((file) => file.path),
  };
}

/** Of the files of one run the one whose statistics are had soonest: its JSON, else samples, a CSV last. */
export function quickestFile<File extends { readonly path: string }>(files: readonly File[]): File | undefined {
  const rank = ({ path }: File) => rankOf(basename(path), FASTEST_FIRST);
  return files.toSorted((a, b) => rank(a) - rank(b))[0];
}

const FASTEST_SAMPLES_FIRST: readonly ReadableFormat[] = ["parquet", "jsonl", "json", "csv"];

/**
 * Of files that hold the same run the richest alone; all others in their order. They lie in one folder and have one
 * benchmark id. One that tells none, such as AIPerf's JSONL, belongs to the run of its name's stem.
 */
export async function distinctRuns(paths: readonly string[]): Promise<readonly string[]> {
  const runs = new Map<string, string>();
  for (const [folder, own] of groupBy([...new Set(paths)], dirname)) {
    const names = own.map((path) => basename(path));
    // One that is alone is a run whatever it tells.
    const neighbours = await Neighbours.in(folder, {});
    const ids = await neighbours.look(names.length === 1 ? [] : names, benchmarkIdOf);
    const found = runsByName(names, ids);
    for (const path of own) runs.set(path, join(folder, found.get(basename(path)) ?? ""));
  }
  const richest = new Map<string, string>();
  const rank = (path: string) => RICHEST_FIRST.findIndex((format) => format === formatOf(path));
  for (const path of new Set(paths)) {
    const run = runs.get(path) ?? path;
    const best = richest.get(run);
    if (best === undefined || rank(path) < rank(best)) richest.set(run, path);
  }
  return [...richest.values()];
}

/** The run of each file of one folder: its benchmark id, else that of the only run of its stem, else the stem. */
function runsByName(names: readonly string[], ids: readonly (string | undefined)[]): ReadonlyMap<string, string> {
  const told = names.map((name, i) => ({ name, stem: stemOf(name), id: ids[i] }));
  const ofStem = groupBy(told, ({ stem }) => stem);
  return new Map(
    told.map(({ name, stem, id }) => {
      const [only, another] = new Set(ofStem.get(stem)?.flatMap((one) => one.id ?? []));
      return [name, id ?? (another === undefined ? (only ?? stem) : name)];
    }),
  );
}

function stemOf(name: string): string {
  return parseArtifactName(name)?.stem ?? name;
}

function sortedFiles(names: readonly string[], order: readonly ReadableFormat[], neighbours: Neighbours) {
  return order.flatMap((format) =>
    names
      .filter((name) => formatOf(name) === format)
      .map((name): SiblingFile => ({ path: neighbours.path(name), format })),
  );
}

function formatOf(path: string): ReadableFormat | undefined {
  return ARTIFACT_FORMATS.find((format) => unpackedName(path).toLowerCase().endsWith(`.${format}`));
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

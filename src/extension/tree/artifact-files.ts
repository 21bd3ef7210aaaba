import path from "node:path";
import { parseArtifactName, rankOf, RICHEST_FIRST } from "../../core/artifacts/names.js";
import { groupBy } from "../../core/math/index.js";

export interface ArtifactFile {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly bytes: number;
}

/** The files of one folder: a run, or several written side by side with a prefix each. */
export interface ArtifactRun {
  readonly directory: string;
  readonly modified: number;
  readonly files: readonly ArtifactFile[];
}

/** By folder, the newest first; within one by name. */
export function groupArtifacts(files: readonly ArtifactFile[]): readonly ArtifactRun[] {
  return [...groupBy(files, (file) => path.dirname(file.path))]
    .map(([directory, group]) => ({
      directory,
      modified: Math.max(...group.map(({ modified }) => modified)),
      files: group.sort((a, b) => (a.path < b.path ? -1 : 1)),
    }))
    .sort((a, b) => b.modified - a.modified || (a.directory < b.directory ? -1 : 1));
}

/** The files of one run, recognised by their names: those of a folder that have one prefix. */
export interface RunInFolder {
  /** The prefix, else the folder's name. */
  readonly name: string;
  readonly directory: string;
  readonly modified: number;
  /** The richest first. */
  readonly files: readonly ArtifactFile[];
}

/** The runs of all folders, the newest first. */
export function newestRuns(folders: readonly ArtifactRun[]): readonly RunInFolder[] {
  return folders.flatMap(namedRuns).sort((a, b) => b.modified - a.modified);
}

/** The runs of a folder. */
export function namedRuns({ directory, files }: ArtifactRun): readonly RunInFolder[] {
  const byPrefix = groupBy(files, (file) => parseArtifactName(path.basename(file.path))?.prefix);
  const rank = (file: ArtifactFile) => rankOf(path.basename(file.path), RICHEST_FIRST);
  return [...byPrefix].map(([prefix, own]) => ({
    name: prefix ?? path.basename(directory),
    directory,
    modified: Math.max(...own.map(({ modified }) => modified)),
    files: own.sort((a, b) => rank(a) - rank(b)),
  }));
}

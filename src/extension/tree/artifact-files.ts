import path from "node:path";
import {
  ARTIFACT_FORMATS,
  isArtifact,
  parseArtifactName,
  RICHEST_FIRST,
  unpackedName,
} from "../../core/artifacts/names.js";

const ENDINGS = ["", ".gz", ".zst"].flatMap((packed) => ARTIFACT_FORMATS.map((format) => `${format}${packed}`));

/** The files that a run is kept in, wherever they lie. No empty alternatives: the workbench's search knows none. */
export const ARTIFACT_GLOB = `**/{server_metrics_export,*_server_metrics}.{${ENDINGS.join(",")}}`;

/** Whether a file's name, without its folder, is one of those. */
export function isArtifactName(name: string): boolean {
  return isArtifact(name);
}

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
  const byFolder = new Map<string, ArtifactFile[]>();
  for (const file of files) {
    const directory = path.dirname(file.path);
    const group = byFolder.get(directory);
    if (group === undefined) byFolder.set(directory, [file]);
    else group.push(file);
  }
  return [...byFolder]
    .map(([directory, group]) => ({
      directory,
      modified: Math.max(...group.map(({ modified }) => modified)),
      files: group.sort((a, b) => (a.path < b.path ? -1 : 1)),
    }))
    .sort((a, b) => b.modified - a.modified || (a.directory < b.directory ? -1 : 1));
}

/** The files of one run, recognised by their names: those of a folder that have one prefix. */
export interface NamedRun {
  /** The prefix, else the folder's name. */
  readonly name: string;
  readonly directory: string;
  readonly modified: number;
  /** The richest first. */
  readonly files: readonly ArtifactFile[];
}

/** The runs of a folder. */
export function namedRuns({ directory, files }: ArtifactRun): readonly NamedRun[] {
  const byStem = new Map<string, ArtifactFile[]>();
  for (const file of files) {
    const { stem } = parseArtifactName(path.basename(file.path)) ?? { stem: path.parse(unpackedName(file.path)).name };
    byStem.set(stem, [...(byStem.get(stem) ?? []), file]);
  }
  const rank = (file: ArtifactFile) => {
    const format = parseArtifactName(path.basename(file.path))?.format;
    return format === undefined ? -1 : RICHEST_FIRST.indexOf(format);
  };
  return [...byStem].map(([stem, own]) => ({
    name: stem === "server_metrics_export" ? path.basename(directory) : stem.replace(/_server_metrics$/, ""),
    directory,
    modified: Math.max(...own.map(({ modified }) => modified)),
    files: own.sort((a, b) => rank(a) - rank(b)),
  }));
}

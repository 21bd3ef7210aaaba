import path from "node:path";

/** The files that a run is kept in, wherever they lie. */
export const ARTIFACT_GLOB = "**/{server_metrics_export,*_server_metrics}.{json,csv,jsonl,parquet}";

/** Whether a file's name, without its folder, is one of those. */
export function isArtifactName(name: string): boolean {
  return /^(server_metrics_export|.*_server_metrics)\.(json|csv|jsonl|parquet)$/.test(name);
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

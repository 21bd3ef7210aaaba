import path from "node:path";
import { readdir } from "node:fs/promises";
import type { ComparedSource } from "../../protocol/comparison.js";
import type { Captures } from "../capture/captures.js";
import { isArtifactName, namedRuns } from "../tree/artifact-files.js";

/**
 * The capture of this window as something to compare: the journal of one that runs, the artifacts of one that was written, else the
 * journal it is kept in. Undefined without one.
 */
export async function captureSource({ active, latest }: Captures): Promise<ComparedSource | undefined> {
  if (latest === undefined) return undefined;
  const { journalPath, directory, startedAt } = latest;
  const label = latest.label ?? `capture of ${startedAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
  if (active === latest && journalPath !== undefined) return { path: journalPath, label, live: true };
  const written = directory === undefined ? undefined : await richestIn(directory);
  const kept = written ?? journalPath;
  return kept === undefined ? undefined : { path: kept, label };
}

async function richestIn(directory: string): Promise<string | undefined> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter(isArtifactName).map((name) => ({ path: path.join(directory, name), modified: 0, bytes: 0 }));
  return namedRuns({ directory, modified: 0, files })[0]?.files[0]?.path;
}

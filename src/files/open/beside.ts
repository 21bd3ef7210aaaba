import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isArtifact } from "../../core/artifacts/index.js";

const READ = /\.(?:jsonl?|ya?ml|csv)(?:\.gz|\.zst)?$/i;
/** Of the client's side, too raw to be read. */
export const TOO_RAW = /(?:_raw\.jsonl|\.pytorch\.json|inputs\.json)/i;

/**
 * Files that opening a run may read besides the one it is given: the client's results, telemetry of GPUs, and the
 * statistics of phases. By their names; of other artifacts only the beginning is read.
 */
export async function filesBeside(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => name !== basename(path) && READ.test(name) && !TOO_RAW.test(name) && !isArtifact(name))
    .map((name) => join(dirname(path), name));
}

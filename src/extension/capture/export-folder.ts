import path from "node:path";
import { isThere } from "../../files/folders.js";

/**
 * A folder to propose for an export: the run's or opened file's own, or a new one in it when one of the names is taken
 * there. What has once been recorded is not replaced by what is derived from it.
 */
export async function exportFolder(own: string, names: readonly string[]): Promise<string> {
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? own : path.join(own, number === 1 ? "export" : `export-${number}`);
    if ((await existingNames(candidate, names)).length === 0) return candidate;
  }
}

/** Those of the names that a folder has already. */
export async function existingNames(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const taken = await Promise.all(names.map((name) => isThere(path.join(folder, name))));
  return names.filter((_, i) => taken[i]);
}

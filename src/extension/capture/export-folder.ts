import { access } from "node:fs/promises";
import path from "node:path";

/**
 * A folder to export an opened file's run to: the file's own, or a new one in it when one of the names is taken there.
 * What has once been recorded is not replaced by what is derived from it.
 */
export async function exportFolder(file: string, names: readonly string[]): Promise<string> {
  const own = path.dirname(file);
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? own : path.join(own, number === 1 ? "export" : `export-${number}`);
    const taken = await Promise.all(names.map((name) => exists(path.join(candidate, name))));
    if (!taken.includes(true)) return candidate;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

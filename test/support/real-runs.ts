import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const DEFAULT = fileURLToPath(new URL("../../../shared/truth", import.meta.url));

/**
 * A suite on recorded runs of real servers (`TRUTH_DIR`, else `../shared/truth` beside the repository); `define` may
 * read the folder to register its tests. Without the runs there is one test that says so: skipped.
 */
export function describeReal(name: string, define: (directory: string) => void): void {
  const directory = join(process.env["TRUTH_DIR"] ?? DEFAULT, "real");
  describe(name, () => {
    if (existsSync(join(directory, "README.md"))) define(directory);
    else it.skip(`skipped: no recorded runs at ${process.env["TRUTH_DIR"] ?? "../shared/truth"}/real`, () => {});
  });
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const DEFAULT = fileURLToPath(new URL("../../../shared/truth/real", import.meta.url));

/**
 * A suite on the recorded runs of real servers (`TRUTH_DIR/real`, else `../shared/truth/real` beside the repository).
 * Without them there is one test that says so: skipped, or with CI=true failed.
 */
export function describeReal(name: string, define: (directory: string) => void): void {
  const { TRUTH_DIR: truth, CI } = process.env;
  const directory = truth === undefined ? DEFAULT : join(truth, "real");
  describe(name, () => {
    if (existsSync(join(directory, "README.md"))) {
      define(directory);
      return;
    }
    it(`skipped: no recorded runs at ${directory}`, ({ skip }) => {
      if (CI === "true") throw new Error("the recorded runs are missing; point TRUTH_DIR at the folder above them");
      skip("no recorded runs");
    });
  });
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const DEFAULT = fileURLToPath(new URL("../../../shared/conformance", import.meta.url));

/**
 * The conformance data's folder (`CONFORMANCE_DIR`, else `../shared/conformance` beside the repository); undefined when
 * it is not there.
 */
export function conformanceDir(): string | undefined {
  const directory = process.env["CONFORMANCE_DIR"] ?? DEFAULT;
  return existsSync(join(directory, "README.md")) ? directory : undefined;
}

/**
 * A suite on the conformance data; `define` registers its tests and may read `directory` to do so.
 * Without the data there is one test that says so: skipped, or with CI=true failed.
 */
export function describeConformance(name: string, define: (directory: string) => void): void {
  const directory = conformanceDir();
  if (directory !== undefined) {
    describe(name, () => define(directory));
    return;
  }
  const missing = `skipped: no conformance data at ${process.env["CONFORMANCE_DIR"] ?? "../shared/conformance"}`;
  describe(name, () => {
    it(missing, ({ skip }) => {
      if (process.env["CI"] === "true") throw new Error("the conformance data is missing; point CONFORMANCE_DIR at it");
      skip(missing);
    });
  });
}

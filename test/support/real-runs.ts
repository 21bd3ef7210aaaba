import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";
import { replayScrapeLog } from "../../src/files/index.js";
import { epochNs } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

const DEFAULT = fileURLToPath(new URL("../../../shared/truth", import.meta.url));

/** Where the recorded runs of real servers lie, if they do. */
export function realDirectory(): string {
  return join(process.env["TRUTH_DIR"] ?? DEFAULT, "real");
}

/**
 * A suite on the recorded runs of real servers (`TRUTH_DIR/real`, else `../shared/truth/real` beside the repository);
 * `define` may read the folder to register its tests. Without them there is one test that says so: skipped, or with
 * CI=true failed.
 */
export function describeReal(name: string, define: (directory: string) => void): void {
  const { CI } = process.env;
  const directory = realDirectory();
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

/** A recorded run in the window of its load. @param folder with `scrapes.jsonl.gz` and `window.json` */
export async function realRun(folder: string): Promise<Run> {
  // The numbers are too large for JSON.parse.
  const window = readFileSync(join(folder, "window.json"), "utf8");
  const bound = (key: string) => epochNs(BigInt(new RegExp(`"${key}": *"?([0-9]+)`).exec(window)?.[1] ?? NaN));
  const { run } = await replayScrapeLog(join(folder, "scrapes.jsonl.gz"), {
    sliceDurationSeconds: 1,
    startNs: bound("start_ns"),
    endNs: bound("end_ns"),
  });
  return run;
}

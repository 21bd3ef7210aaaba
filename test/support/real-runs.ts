import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";
import { replayScrapeLog } from "../../src/files/index.js";
import { epochNs } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

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

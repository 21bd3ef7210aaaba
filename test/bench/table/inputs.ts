import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { epochNs } from "../../../src/core/model/index.js";
import { recordedWindow } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { writeParquet } from "../../../src/files/parquet/write.js";

/** Names the folder of one bench's inputs to the processes that measure. */
export const INPUTS_VARIABLE = "SERVER_METRICS_BENCH_INPUTS";

/** A folder of its own. In a process that measures it is deleted with that process. */
export const temporaryFolder = () => mkdtemp(join(tmpdir(), "server-metrics-bench-"));

/**
 * A file that tasks read: made once, for all rows and processes of one bench.
 * @param name the same for the same content
 * @returns its path
 */
export async function inputFile(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const folder = process.env[INPUTS_VARIABLE] ?? (await temporaryFolder());
  const path = join(folder, name);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, randomUUID());
  await make(unfinished);
  await rename(unfinished, path);
  return path;
}

/** A run as the bench's Parquet rows write and read it. */
export const writeRun = (path: string, run: Run) =>
  writeParquet(path, run, {
    window: recordedWindow(run),
    sliceDurationSeconds: 5,
    exporter: { version: "0" },
    exportTime: epochNs(0n),
    hostname: "bench",
  });

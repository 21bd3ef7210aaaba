import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect } from "vitest";
import { recordDemo, type DemoOptions } from "../../src/demo/index.js";
import { runCli } from "./cli.js";

/** Long enough for about 100 slices; a scrape a second is enough for each. */
const RECORDED = { durationSeconds: 720, intervalMs: 1000 };

/**
 * A folder for the tests of a file, with demo runs in it, each with its artifacts in a folder of its own.
 * @param runs by name
 */
export function recordedRuns(runs: Readonly<Record<string, DemoOptions>>) {
  let dir: string;
  const at = (name: string) => path.join(dir, name);
  async function record(name: string, options: DemoOptions): Promise<void> {
    const lines: string[] = [];
    await recordDemo({ ...RECORDED, ...options }, (line) => void lines.push(`${line}\n`));
    await writeFile(at(`${name}.jsonl.gz`), gzipSync(lines.join("")));
    const replayed = await runCli([
      "replay",
      at(`${name}.jsonl.gz`),
      "--out",
      at(name),
      "--formats",
      "json,csv,parquet,jsonl",
    ]);
    expect(replayed.code, replayed.stderr).toBe(0);
  }
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-compare-"));
    for (const [name, options] of Object.entries(runs)) await record(name, options);
  }, 600_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const artifact = (name: string, format: string) => path.join(dir, name, `server_metrics_export.${format}`);
  return { at, artifact };
}

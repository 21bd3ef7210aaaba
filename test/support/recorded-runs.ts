import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { runCli } from "./cli.js";

/** Compact: the runs are long enough for about 100 slices. */
export const DURATION = ["--duration", "720"];

/**
 * A folder for the tests of a file, with demo runs in it, each with its artifacts in a folder of its own.
 * @param runs options of `demo --record` by name
 */
export function recordedRuns(runs: Readonly<Record<string, readonly string[]>>) {
  let dir: string;
  const at = (name: string) => path.join(dir, name);
  async function record(name: string, ...options: readonly string[]): Promise<void> {
    const recorded = await runCli(["demo", "--record", at(`${name}.jsonl.gz`), ...DURATION, ...options]);
    expect(recorded.stderr + String(recorded.code)).toMatch(/0$/);
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
    for (const [name, options] of Object.entries(runs)) await record(name, ...options);
  }, 600_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const artifact = (name: string, format: string) => path.join(dir, name, `server_metrics_export.${format}`);
  return { at, artifact };
}

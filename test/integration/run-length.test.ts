import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { RunBuilder } from "../support/run-builder.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-length-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it.each([0, 10])("a run is as long from each of its formats, after a warm-up of %d s", async (warmup) => {
  const builder = new RunBuilder();
  for (let second = 0; second <= 120; second++)
    builder.scrape(second, [{ name: "vllm:num_requests_running", value: second % 7 }]);
  const { run } = builder.window(warmup, 118);
  const directory = path.join(dir, String(warmup));
  await exportArtifacts(run, { directory, formats: ["json", "csv", "jsonl", "parquet"], verify: true });
  const lengths: (number | undefined)[] = [];
  for (const format of ["json", "jsonl", "parquet", "csv"]) {
    const engine = engineInThread();
    await engine.call("open", { path: path.join(directory, `server_metrics_export.${format}`) });
    lengths.push((await engine.call("snapshot", {})).header.elapsedSeconds);
    engine.dispose();
  }
  // A CSV does not tell when its run began or ended.
  expect(lengths).toEqual([118 - warmup, 118 - warmup, 118 - warmup, undefined]);
});

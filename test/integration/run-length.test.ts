import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { describeConformance } from "../support/conformance.js";
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
  // A CSV does not tell when its run began or ended.
  expect(await lengths(directory)).toEqual([118 - warmup, 118 - warmup, 118 - warmup, undefined]);
});

describeConformance("AIPerf's files of one run", (conformance) => {
  it.each([
    "runs/vllm-basic/expected",
    "runs/sglang/expected",
    "runs/mixed-fleet/expected",
    "runs/edge/expected",
    "runs-1.1/vllm-basic/expected",
    "runs-1.1/mixed-fleet/expected-untagged",
    "runs-1.1/phases-with-gap/expected",
  ])("%s: the JSON tells what JSONL and Parquet do not", async (name) => {
    const directory = await unpacked(path.join(conformance, name));
    const [json = NaN, jsonl, parquet] = await lengths(directory);
    // AIPerf's JSON tells the end to the microsecond.
    expect(jsonl).toBeCloseTo(json, 5);
    expect(parquet).toBeCloseTo(json, 5);
  });
});

/** Of a run's files, by format. */
async function lengths(directory: string): Promise<(number | undefined)[]> {
  const lengths: (number | undefined)[] = [];
  for (const format of ["json", "jsonl", "parquet", "csv"]) {
    const engine = engineInThread();
    await engine.call("open", { path: path.join(directory, `server_metrics_export.${format}`) });
    lengths.push((await engine.call("describe", {})).header.elapsedSeconds);
    engine.dispose();
  }
  return lengths;
}

/** A copy with every file plain. */
async function unpacked(directory: string): Promise<string> {
  const copy = await mkdtemp(path.join(dir, "unpacked-"));
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(copy, path.relative(directory, from));
    if (entry.isDirectory()) await mkdir(to, { recursive: true });
    else if (entry.name.endsWith(".gz"))
      await pipeline(createReadStream(from), createGunzip(), createWriteStream(to.slice(0, -".gz".length)));
    else await copyFile(from, to);
  }
  return copy;
}

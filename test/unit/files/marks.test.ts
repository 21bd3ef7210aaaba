import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { epochNs, marksOf, type Mark } from "../../../src/core/model/index.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { lossesOf, openArtifact } from "../../../src/files/open/index.js";
import { ORIGIN, RunBuilder, SECOND } from "../../support/run-builder.js";

const MARKS: readonly Mark[] = [
  { time: epochNs(ORIGIN + BigInt(2 * SECOND)), label: "concurrency 8" },
  { time: epochNs(ORIGIN + BigInt(4 * SECOND)), label: "concurrency 16" },
];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-marks-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function marksIn(path: string): Promise<readonly Mark[]> {
  const opened = await openArtifact(path);
  return opened.kind === "statistics" ? marksOf(opened.statistics.inputConfig) : opened.run.marks;
}

it("marks are in every file of a run that has a configuration, once, and stay there when it is written again", async () => {
  const builder = new RunBuilder().window(0, 6);
  for (let second = 0; second <= 6; second++) builder.scrape(second, [{ name: "requests", value: second }]);
  const { run } = builder;
  for (const mark of MARKS) run.addMark(mark);
  const formats = ["json", "jsonl", "parquet"] as const;
  await exportArtifacts(run, { directory: join(directory, "first"), formats, verify: true });
  for (const format of formats)
    expect(await marksIn(join(directory, "first", `server_metrics_export.${format}`)), format).toEqual(MARKS);
  for (const format of ["jsonl", "parquet"] as const) {
    const opened = await openArtifact(join(directory, "first", `server_metrics_export.${format}`));
    if (opened.kind !== "samples") throw new Error("no samples");
    await exportArtifacts(opened.run, { directory: join(directory, format), formats, verify: true });
    for (const written of formats)
      expect(await marksIn(join(directory, format, `server_metrics_export.${written}`)), written).toEqual(MARKS);
  }
});

it("marks are said to be in none of the files when those are CSV", () => {
  const { run } = new RunBuilder();
  expect(lossesOf(run, ["csv"])).toEqual([]);
  for (const mark of MARKS) run.addMark(mark);
  expect(lossesOf(run, ["csv", "openmetrics"]).map(({ reason }) => reason)).toEqual([
    "The run's marks are in none of these files.",
  ]);
  expect(lossesOf(run, ["csv", "json"])).toEqual([]);
});

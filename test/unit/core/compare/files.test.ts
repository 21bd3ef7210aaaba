import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../../../src/core/text/errors.js";
import type { ArtifactFormat } from "../../../../src/core/artifacts/index.js";
import { compareRuns, type ComparedRun, type Comparison } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { exportArtifacts } from "../../../../src/files/export/export.js";
import { openArtifact, type OpenedArtifact } from "../../../../src/files/open/index.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "server-metrics-compare-files-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Writes a run of 200 s of these gauges in one format and gives the file's path. */
async function artifact(
  name: string,
  families: readonly string[],
  format: ArtifactFormat,
  seed = 1,
  warmup = 5,
): Promise<string> {
  const builder = new RunBuilder();
  const random = seeded(seed);
  for (let second = 0; second <= 200; second++)
    builder.scrape(
      second,
      families.map((family) => ({ name: family, value: 50 + normal(random) })),
    );
  Object.assign(builder.run.metadata, { benchmarkId: crypto.randomUUID() });
  const [file] = await exportArtifacts(builder.window(warmup, 200).run, {
    directory,
    prefix: name,
    formats: [format],
    verify: false,
  });
  if (file === undefined) throw new Error("nothing was written");
  return file.path;
}

function compared(...opened: readonly OpenedArtifact[]): Comparison {
  const sets = opened.map((one) => {
    if (one.kind === "snapshot") throw new Error("a snapshot is not a run");
    const label = path.basename(one.path);
    const run: ComparedRun =
      one.kind === "samples"
        ? { kind: "samples", label, run: one.run }
        : { kind: "statistics", label, statistics: one.statistics };
    return { label, runs: [run] };
  });
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) throw new Error("nothing to compare");
  return complete(compareRuns(baseline, candidates));
}

function refusal(...opened: readonly OpenedArtifact[]): string {
  try {
    compared(...opened);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error("they were compared");
}

const FORMATS: readonly ArtifactFormat[] = ["parquet", "jsonl", "json", "csv"];

describe.each(FORMATS)("files of %s", (format) => {
  it("of which one is another server's have no family in common, and are refused with both their servers", async () => {
    const vllm = await openArtifact(await artifact(`vllm-${format}`, ["vllm:num_requests_running"], format));
    const sglang = await openArtifact(await artifact(`sglang-${format}`, ["sglang:num_grammar_queue_reqs"], format));
    expect(refusal(vllm, sglang)).toBe(
      `These runs have no metric family in common: ${path.basename(vllm.path)} holds vLLM, ${path.basename(sglang.path)} holds SGLang.`,
    );
  });

  it("of no known server are recognised by a family", async () => {
    const a = await openArtifact(await artifact(`apples-${format}`, ["apples"], format));
    const b = await openArtifact(await artifact(`pears-${format}`, ["pears"], format));
    expect(refusal(a, b)).toBe(
      `These runs have no metric family in common: ${path.basename(a.path)} holds apples, ${path.basename(b.path)} holds pears.`,
    );
  });

  it("of which one holds no metrics are refused by its name", async () => {
    const full = await openArtifact(await artifact(`full-${format}`, ["app:level"], format));
    const empty = await openArtifact(await artifact(`empty-${format}`, [], format));
    expect(refusal(full, empty)).toBe(`${path.basename(empty.path)} holds no metrics: there is nothing to compare.`);
    expect(refusal(empty, full)).toBe(`${path.basename(empty.path)} holds no metrics: there is nothing to compare.`);
  });

  it("warn of a warm-up that was not taken off, where the file tells, and of no other", async () => {
    const opened = async (name: string, warmup: number) =>
      openArtifact(await artifact(`${name}-${format}`, ["app:level"], format, 1, warmup));
    const comparison = compared(await opened("warm", 5), await opened("cold", 0));
    const warned = comparison.warnings
      .filter(({ kind }) => kind === "warm-up")
      .map(({ message }) => message.split(":")[0]);
    expect(warned).toEqual(format === "csv" ? [] : [`cold-${format}_server_metrics.${format}`]);
    expect(comparison.baseline.runs[0]!.warmupSeconds).toEqual(format === "csv" ? undefined : 5);
  });

  it("that hold the same run twice are compared, and said to be the same", async () => {
    const file = await artifact(`twice-${format}`, ["app:level"], format);
    const { warnings, rows } = compared(await openArtifact(file), await openArtifact(file));
    const same = warnings.find(({ kind }) => kind === "same-run");
    expect(same?.severity).toBe("incomparable");
    expect(same?.message).toMatch(/are the same run \(benchmark id [-0-9a-f]{36}\): there is nothing to compare/);
    expect(rows.map(({ cells }) => cells[0]?.verdict)).toEqual(["cannot-tell"]);
  });
});

describe("a file that is cut off", () => {
  it("says so, and what it still holds is compared", async () => {
    const whole = await artifact("whole", ["app:level"], "jsonl", 1);
    const other = await artifact("other", ["app:level"], "jsonl", 2);
    const text = await readFile(other, "utf8");
    const cut = path.join(directory, "cut.jsonl");
    await writeFile(cut, text.slice(0, Math.floor(text.length * 0.6)));
    const opened = await openArtifact(cut);
    expect(opened.notices[0]?.reason).toMatch(/^Line \d+, the last one, is cut off: everything before it is shown\.$/);
    const { rows, warnings } = compared(await openArtifact(whole), opened);
    expect(rows.find(({ family }) => family === "app:level")?.cells[0]?.candidate.value).toBeCloseTo(50, 0);
    expect(warnings).toContainEqual(expect.objectContaining({ kind: "length", severity: "caution" }));
  });

  it("is refused when nothing can be read without its end: a Parquet file", async () => {
    const whole = await artifact("whole-columns", ["app:level"], "parquet");
    const cut = path.join(directory, "cut.parquet");
    const bytes = await readFile(whole);
    await writeFile(cut, bytes.subarray(0, bytes.length >> 1));
    await expect(openArtifact(cut)).rejects.toThrow(
      /cut\.parquet cannot be read as Parquet: its last four bytes .* it was cut short, or is not a Parquet file/,
    );
  });
});

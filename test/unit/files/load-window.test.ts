import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resultsOf } from "../../../src/engine/index.js";
import { familyUnit } from "../../../src/core/catalog/index.js";
import { complete, runStatistics, type RunWindow } from "../../../src/core/stats/index.js";
import type { RunStatistics } from "../../../src/core/model/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { findLoad, measureLoad, runPhases } from "../../../src/core/window/index.js";
import { readClientFiles } from "../../../src/files/open/client.js";
import { openArtifact } from "../../../src/files/open/index.js";
import { replayScrapeLog } from "../../../src/files/replay.js";
import { describeReal } from "../../support/real-runs.js";

async function replayed(folder: string): Promise<Run> {
  return (await replayScrapeLog(join(folder, "scrapes.jsonl.gz"), { sliceDurationSeconds: 5 })).run;
}

/** Total and rate of a family's counters in the current window. */
function counted(run: Run, name: string, window?: RunWindow) {
  const { families } = complete(
    runStatistics(run, { unitOf: familyUnit, ...(window === undefined ? {} : { window }) }),
  );
  const family = families.find((one) => one.name === name);
  if (family?.type !== "counter") throw new Error(`no counter ${name}`);
  return family.series.reduce(
    ({ total, rate }, { stats }) => ({ total: total + stats.total, rate: rate + (stats.rate ?? 0) }),
    { total: 0, rate: 0 },
  );
}

/** Count and sum of every histogram's series that observed anything. */
function observations({ families }: RunStatistics): Map<string, { readonly count: number; readonly sum: number }> {
  return new Map(
    families.flatMap(({ name, type, series }) =>
      type !== "histogram" || name.startsWith("client:")
        ? []
        : series.flatMap(({ kind, labels, stats }) =>
            kind !== "histogram" || stats.count === 0
              ? []
              : [[`${name} ${JSON.stringify(labels)}`, { count: stats.count, sum: stats.sum ?? NaN }] as const],
          ),
    ),
  );
}

describeReal("the load's window of recorded runs", (directory) => {
  const FINISHED = "vllm:request_success";
  const TOKENS = "vllm:generation_tokens";

  it.each([
    ["guidellm-0.8.1", "benchmarks.json", 84, 126],
    ["vllm-bench-0.32", "openai-infqps-concurrency8-tiny-20261126-105130.json", 60, 156.35],
  ])("is the client's in a run of %s: its requests, its rate", async (folder, file, requests, rate) => {
    const from = join(directory, "client-window", folder);
    const { run } = await samplesOf(join(from, "server_metrics_export.parquet"));
    const { results } = await readClientFiles([join(from, file)]);
    const load = findLoad(run, results);
    if (load === undefined) throw new Error("no load found");
    run.measureLoad(load);
    expect(load).toMatchObject({ by: "client", mayBeOff: 0 });
    expect(counted(run, FINISHED).total).toBe(requests);
    expect(Math.abs(counted(run, TOKENS).rate / rate - 1)).toBeLessThan(0.03);
    // Without the file the servers tell: right within two intervals.
    const found = findLoad(run);
    if (found === undefined) throw new Error("no activity found");
    run.measureLoad(found);
    expect(found.by).toBe("activity");
    expect(counted(run, FINISHED).total).toBe(requests);
    const seconds = load.seconds ?? NaN;
    expect(Math.abs(counted(run, TOKENS).rate / rate - 1)).toBeLessThan((2 * 0.333) / seconds + 0.03);
  });

  it("has AIPerf's 150 requests and 5,861 tokens, not those of its warm-up", async () => {
    const folder = join(directory, "aiperf", "aip8");
    const run = await replayed(folder);
    const found = await resultsOf(
      { args: ["--artifact-dir", join(folder, "aiperf")], cwd: folder, started: 0 },
      folder,
      () => undefined,
    );
    const load = measureLoad(run, found);
    expect(load).toMatchObject({ by: "client", tool: "AIPerf", mayBeOff: 0 });
    expect(counted(run, FINISHED).total).toBe(150);
    expect(counted(run, TOKENS).total).toBe(5861);
    const { rate } = counted(run, FINISHED);
    expect(Math.abs(rate / (150 / 31.52) - 1)).toBeLessThan(0.02);
    // Its warm-up is a phase before it.
    const [warmup] = runPhases(run);
    expect(warmup?.kind).toBe("warmup");
    expect(counted(run, FINISHED, warmup?.window).total).toBe(8);
    // Every histogram has the observations that AIPerf's own file of this run tells.
    const theirs = await openArtifact(join(folder, "aiperf", "server_metrics_export.json"));
    if (theirs.kind !== "statistics") throw new Error("AIPerf's file holds no statistics");
    const observed = observations(theirs.statistics);
    expect(observed.size).toBeGreaterThan(15);
    const own = observations(complete(runStatistics(run, { unitOf: familyUnit })));
    for (const [series, { count, sum }] of observed) {
      expect([series, own.get(series)?.count]).toEqual([series, count]);
      expect(Math.abs((own.get(series)?.sum ?? NaN) - sum), series).toBeLessThanOrEqual(1e-6 * Math.abs(sum));
    }
  });

  it.each(readdirSync(join(directory, "vllm")))("is the load's by activity alone in vllm/%s", async (name) => {
    const folder = join(directory, "vllm", name);
    const run = await replayed(folder);
    const load = findLoad(run);
    if (load === undefined) throw new Error("no activity found");
    run.measureLoad(load);
    const { start_ns: start, end_ns: end } = JSON.parse(
      readFileSync(join(folder, "window.json"), "utf8").replace(/(\d{16,})/g, '"$1"'),
    ) as { start_ns: string; end_ns: string };
    const truth = JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")) as Record<
      string,
      readonly { readonly count: number; readonly sum: number }[]
    >;
    const [observed] = truth["vllm:request_generation_tokens"] ?? [];
    expect([counted(run, FINISHED).total, counted(run, TOKENS).total]).toEqual([observed?.count, observed?.sum]);
    expect(load.mayBeOff).toBe(0);
    expect(Math.abs(Number(load.start - BigInt(start)) / 1e9)).toBeLessThan(0.7);
    expect(Math.abs(Number(load.end - BigInt(end)) / 1e9)).toBeLessThan(0.7);
  });
});

async function samplesOf(path: string) {
  const opened = await openArtifact(path);
  if (opened.kind !== "samples") throw new Error(`${path} has no samples`);
  return opened;
}

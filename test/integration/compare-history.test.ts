import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeCsv, writeJson } from "../../src/core/artifacts/index.js";
import { epochNs, type RunStatistics } from "../../src/core/model/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import { runCli } from "../support/cli.js";
import { jsonlLines } from "../support/jsonl-lines.js";
import { RunBuilder } from "../support/run-builder.js";

const E2E = "vllm:e2e_request_latency_seconds";
const HOUR = 3_600_000_000_000n;

/** A run in which a request takes so many seconds on average, so many hours after the first. */
function recorded(hour: number, seconds: number, commits: readonly string[] = []): RunStatistics {
  const builder = new RunBuilder().window(0, 20);
  for (let second = 0; second <= 20; second++) {
    const n = 10 * second;
    builder.scrape(second, [
      { name: E2E, buckets: { "1": n / 2, "10": n, "+Inf": n }, sum: seconds * n, count: n },
      { name: "vllm:num_requests_running", type: "gauge", value: 8 + (hour % 3) },
    ]);
  }
  const statistics = complete(runStatistics(builder.run, { unitOf: () => undefined }));
  const moved = (time: bigint) => epochNs(time + BigInt(hour) * HOUR);
  return {
    ...statistics,
    benchmarkId: `00000000-0000-4000-8000-0000000000${String(hour).padStart(2, "0")}`,
    startNs: moved(statistics.startNs),
    endNs: moved(statistics.endNs),
    inputConfig: {
      label: `night ${hour}`,
      ...(commits.length > 0 && { provenance: { git: { commit: commits[hour] } } }),
    },
  };
}

let dir: string;

/** Folders whose names say nothing of the order. */
async function record(name: string, levels: readonly number[], commits: readonly string[] = []): Promise<string> {
  const folder = path.join(dir, name);
  for (const [hour, level] of levels.entries()) {
    const run = path.join(folder, `run-${(hour * 7) % 11}`);
    await mkdir(run, { recursive: true });
    const statistics = recorded(hour, level + 0.02 * ((hour * 5) % 3), commits);
    const text = [...writeJson(statistics, { version: "0" })].join("");
    const packed = hour === 3;
    await writeFile(path.join(run, `server_metrics_export.json${packed ? ".gz" : ""}`), packed ? gzipSync(text) : text);
  }
  return folder;
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-history-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Told {
  readonly runs: readonly { readonly label: string }[];
  readonly courses: readonly {
    readonly family: string;
    readonly quantity: string;
    readonly values: readonly number[];
    readonly steps: readonly { readonly at: number; readonly verdict: string; readonly share: number }[];
  }[];
  readonly gate: { readonly exitCode: number };
}

describe("compare --history", () => {
  it("orders the runs by time, finds and draws where a metric changed for good, and fails on the newest step", async () => {
    const folder = await record("slower", [2, 2, 2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6]);
    const json = await runCli(["compare", "--history", folder, "--json", "--fail-on", "worse"]);
    expect(json.code, json.stderr).toBe(1);
    const { runs, courses, gate } = JSON.parse(json.stdout) as Told;
    expect(runs.map(({ label }) => label)).toEqual(Array.from({ length: 10 }, (_, i) => `night ${i}`));
    const average = courses.find(({ family, quantity }) => family === E2E && quantity === "avg");
    expect(average?.values[0]).toBeCloseTo(2, 9);
    expect(average?.steps).toMatchObject([{ at: 6, verdict: "worse" }]);
    expect(average?.steps[0]?.share).toBeCloseTo(0.3, 1);
    expect(gate.exitCode).toBe(1);
    const text = await runCli(["compare", "--history", folder, "--markdown", "--fail-on", "worse"]);
    expect(text.stderr).toMatch(
      /^Gate failed: .*Request latency \(vllm:e2e_request_latency_seconds\) avg.* got worse in the newest step\.$/m,
    );
    expect(text.stdout).toMatch(/## History of 10 runs/);
    expect(text.stdout).toMatch(/\| avg \| [▁▂▃▄]+\\\|[▅▆▇█]+ \| 2\.6.* s \| night 6: 2\.0.* s → 2\.6.* s, \+/);
    // Without --fail-on it is a report.
    expect((await runCli(["compare", "--history", folder])).code).toBe(0);
  });

  it("gates by the newest step alone: one that was mended since passes", async () => {
    const folder = await record("mended", [2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6, 1.9, 1.9, 1.9]);
    const { code, stdout, stderr } = await runCli(["compare", "--history", folder, "--fail-on", "worse"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Gate passed/m)]);
    expect(stdout).toMatch(/night 4: .* worse .*night 8: .* better/);
  });

  it("lists the commits between the runs on both sides of a step", async () => {
    const git = async (...words: readonly string[]) =>
      (
        await promisify(execFile)("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...words], {
          cwd: dir,
        })
      ).stdout.trim();
    await git("init");
    const commits: string[] = [];
    for (let i = 0; i < 10; i++) {
      await git("commit", "--allow-empty", "-m", `change ${i}`);
      commits.push(await git("rev-parse", "HEAD"));
    }
    const folder = await record("committed", [2, 2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6, 2.6], commits);
    const { stdout } = await runCli(["compare", "--history", folder]);
    expect(stdout).toMatch(/\n\nCommits before night 5\n- [0-9a-f]{7,} change 5\n$/);
    const markdown = await runCli(["compare", "--history", folder, "--markdown"]);
    expect(markdown.stdout).toMatch(/### Commits before night 5\n\n- [0-9a-f]{7,} change 5/);
    const json = await runCli(["compare", "--history", folder, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      commits: [{ at: 5, commits: [stdout.trimEnd().split("\n").at(-1)?.slice(2)] }],
    });
  });

  it("says when there are too few runs to judge, and takes no files beside the folder", async () => {
    const folder = await record("few", [2, 2, 3]);
    const few = await runCli(["compare", "--history", folder, "--fail-on", "worse"]);
    expect([few.code, few.stderr]).toEqual([3, expect.stringMatching(/^Gate not checked: 3 runs/m)]);
    expect((await runCli(["compare", "--history", folder, "x.json"])).code).toBe(2);
    expect((await runCli(["compare", "--history", path.join(dir, "none")])).code).toBe(2);
  });
});

describe("intervals of percentiles", () => {
  it("stand beside the estimates in JSON, inside the bucket, and not in CSV", () => {
    const statistics = recorded(0, 2);
    const file = JSON.parse([...writeJson(statistics, { version: "0" })].join("")) as {
      metrics: Record<string, { series: { stats: Record<string, number | readonly [number, number]> }[] }>;
    };
    const stats = file.metrics[E2E]?.series[0]?.stats ?? {};
    const [low, high] = stats["p99_interval"] as readonly [number, number];
    expect([low >= 1, low <= Number(stats["p99_estimate"]), high >= Number(stats["p99_estimate"]), high <= 10]).toEqual(
      [true, true, true, true],
    );
    expect([...writeCsv(statistics, { version: "0" })].join("")).not.toContain("interval");
  });

  it("reads an average that its server calls a counter as the average that it is", async () => {
    const busy = "llamacpp:n_busy_slots_per_decode";
    const folder = path.join(dir, "llama");
    for (const hour of [0, 1]) {
      const builder = new RunBuilder().window(3600 * hour, 3600 * hour + 20);
      // It falls, and nothing restarted.
      for (let second = 0; second <= 20; second++)
        builder.scrape(3600 * hour + second, [{ name: busy, type: "counter", value: 4 - second / 10 }]);
      const run = path.join(folder, `run-${hour}`);
      await mkdir(run, { recursive: true });
      const lines = jsonlLines(builder.run).join("\n").replaceAll(builder.run.metadata.benchmarkId, `run ${hour}`);
      await writeFile(path.join(run, "server_metrics_export.jsonl"), `${lines}\n`);
    }
    const { code, stdout, stderr } = await runCli(["compare", "--history", folder, "--json", "--metrics", busy]);
    expect(code, stderr).toBe(0);
    const { courses } = JSON.parse(stdout) as Told;
    expect(courses.map(({ family, quantity }) => [family, quantity])).toEqual([[busy, "avg"]]);
    for (const value of courses[0]?.values ?? []) expect(value).toBeCloseTo(3, 9);
  });
});

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS, artifactName } from "../../src/core/artifacts/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { runCli } from "../support/cli.js";
import { query } from "../support/duckdb.js";
import { ORIGIN, RunBuilder } from "../support/run-builder.js";

let directory: string;
const path = (...names: string[]) => join(directory, ...names);
const input = (format: (typeof ARTIFACT_FORMATS)[number]) => path("in", artifactName(format));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-open-cli-"));
  const builder = new RunBuilder();
  for (let i = 0; i < 31; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", value: i * 2 },
      { name: "wait_seconds", buckets: { "0.5": i, "1": 2 * i, "+Inf": 3 * i }, sum: i / 2, count: 3 * i },
      { name: "load", value: i },
    ]);
  }
  await exportArtifacts(builder.window(4.5, 30).run, {
    directory: path("in"),
    formats: ARTIFACT_FORMATS,
    verify: false,
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function exported(...args: string[]) {
  const out = await mkdtemp(path("out-"));
  return { out, ...(await runCli(["export", ...args, "--out", out])) };
}

const jsonOf = async (file: string) =>
  JSON.parse(await readFile(file, "utf8")) as {
    benchmark_id: string;
    summary: { start_time: string; end_time: string };
    metrics: Record<string, { series: { stats: Record<string, number>; timeslices?: unknown[] }[] }>;
  };

describe("the export command", () => {
  it("converts JSONL and Parquet into all formats, which open again", async () => {
    for (const format of ["jsonl", "parquet"] as const) {
      const { code, stdout, out } = await exported(
        input(format),
        "--formats",
        "json,csv,jsonl,parquet",
        "--prefix",
        "again",
      );
      expect(code).toBe(0);
      expect((await readdir(out)).sort()).toEqual([
        "again_server_metrics.csv",
        "again_server_metrics.json",
        "again_server_metrics.jsonl",
        "again_server_metrics.parquet",
      ]);
      expect(stdout.trim().split("\n")).toHaveLength(4);
      const [first, second] = [await jsonOf(input("json")), await jsonOf(join(out, "again_server_metrics.json"))];
      expect(second.benchmark_id).toBe(first.benchmark_id);
      expect(second.metrics["jobs"]?.series[0]?.stats["total"]).toBe(first.metrics["jobs"]?.series[0]?.stats["total"]);
      const [row] = await query(
        `select count(*) as n from '${join(out, "again_server_metrics.parquet")}' where metric_name = 'load'`,
      );
      expect(row?.["n"]).toBe(26n);
    }
  });

  it("moves the window and changes the slices", async () => {
    const second = (n: number) => String(ORIGIN + BigInt(n) * 1_000_000_000n);
    const { code, out } = await exported(
      input("parquet"),
      "--formats",
      "json",
      "--start-ns",
      second(10),
      "--end-ns",
      second(20),
      "--slice-duration",
      "2.5",
    );
    expect(code).toBe(0);
    const { metrics, summary } = await jsonOf(join(out, "server_metrics_export.json"));
    expect(metrics["load"]?.series[0]?.stats).toMatchObject({ min: 10, max: 20, avg: 15 });
    expect(metrics["jobs"]?.series[0]?.stats).toMatchObject({ total: 22, rate: 2 });
    expect(metrics["jobs"]?.series[0]?.timeslices).toHaveLength(4);
    expect(Date.parse(summary.end_time) - Date.parse(summary.start_time)).toBe(10_000);
  });

  it("says nothing of what no file of a format holds", async () => {
    for (const format of ["json", "csv", "parquet", "jsonl"] as const)
      expect((await runCli(["show", input(format)])).stderr).toBe("");
  });

  it("says of a CSV without other files of its run that its numbers may be others than theirs", async () => {
    const alone = join(directory, "alone", "server_metrics_export.csv");
    await mkdir(dirname(alone));
    await copyFile(input("csv"), alone);
    for (const command of [["show"], ["insights"], ["check", "--assert", "jobs total > 1"]])
      expect((await runCli([...command, alone])).stderr).toMatch(
        /restarted .* are AIPerf's \(last minus first value\)/,
      );
  });

  it("says what a JSONL made of a Parquet file lacks, and of how many series", async () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 21; i++)
      builder.scrape(i, [
        { name: "jobs", type: "counter", value: i < 12 ? 100 + i : i - 12 },
        { name: "load", value: i === 9 ? NaN : i },
        { name: "calm", value: i },
      ]);
    const restarted = path("restarted");
    await exportArtifacts(builder.window(4.5, 20).run, {
      directory: restarted,
      formats: ["parquet", "jsonl"],
      verify: false,
    });
    const lossy = await exported(join(restarted, artifactName("parquet")), "--formats", "json,jsonl");
    expect(lossy.stderr).toMatch(/warning: The JSONL holds .* how many samples of 1 series were no numbers/);
    const whole = await exported(join(restarted, artifactName("jsonl")), "--formats", "json,jsonl");
    expect(whole.stderr).not.toContain("warning");
    const jobs = async (out: string) =>
      (await jsonOf(join(out, artifactName("json")))).metrics["jobs"]?.series[0]?.stats;
    expect(await jobs(lossy.out)).toEqual(await jobs(whole.out));
  });

  it("refuses a window without a scrape, saying where they are, and leaves no folder", async () => {
    const out = path("empty-window");
    const { code, stderr } = await runCli(["export", input("jsonl"), "--out", out, "--start-ns", "1", "--end-ns", "2"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `the window from 1 to 2 contains no scrape. The run's scrapes lie between ${ORIGIN} and ${ORIGIN + 30_000_000_000n}`,
    );
    await expect(readdir(out)).rejects.toThrow(/ENOENT/);
  });

  it("makes CSV of JSON, the same as beside it, and says why not more", async () => {
    const { code, out } = await exported(input("json"));
    expect(code).toBe(0);
    expect(await readdir(out)).toEqual(["server_metrics_export.csv"]);
    expect(await readFile(join(out, "server_metrics_export.csv"), "utf8")).toBe(await readFile(input("csv"), "utf8"));
    const parquet = await exported(input("json"), "--formats", "parquet");
    expect(parquet.code).toBe(2);
    expect(parquet.stderr).toContain("cannot be written as parquet: it holds statistics, no samples.");
    const window = await exported(input("json"), "--formats", "csv", "--slice-duration", "3");
    expect([window.code, window.stderr.includes("its window and slice length cannot be changed")]).toEqual([2, true]);
    expect((await exported(input("csv"))).code).toBe(2);
  });

  it("never takes the place of what it reads", async () => {
    const before = await readFile(input("jsonl"));
    const { code, stderr } = await runCli(["export", input("jsonl"), "--formats", "jsonl", "--out", path("in")]);
    expect([code, stderr.includes("is the file that was opened: it is never overwritten")]).toEqual([2, true]);
    expect((await readFile(input("jsonl"))).equals(before)).toBe(true);
  });

  it.each([
    [["--start-ns", "200", "--end-ns", "100"], "the window is empty"],
    [["--start-ns", "soon"], "is not a time in nanoseconds"],
    [["--slice-duration", "-1"], "is not a number of seconds"],
    [["--formats", "xlsx"], "is not a list of formats"],
  ])("refuses %j in one line", async (args, message) => {
    const { code, stderr } = await exported(input("jsonl"), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
  });
});

describe("show", () => {
  it("prints the same statistics of all formats, one line per series", async () => {
    const shown = await Promise.all(
      ARTIFACT_FORMATS.map((format) => runCli(["show", input(format), "--family", "jobs"])),
    );
    for (const { code, stdout } of shown) {
      expect(code).toBe(0);
      expect(stdout.split("\n")[0]).toBe("COUNTER");
      expect(stdout).toMatch(/jobs\s+a:1\s+52\s+2\/s/);
    }
    const { stdout } = await runCli(["show", input("parquet")]);
    for (const name of ["jobs", "wait_seconds", "load"]) expect(stdout).toContain(name);
  });

  it("prints JSON as the artifact writes it", async () => {
    const { code, stdout } = await runCli(["show", input("jsonl"), "--json", "--family", "load"]);
    expect(code).toBe(0);
    const { metrics } = JSON.parse(stdout) as { metrics: object };
    expect(metrics).toEqual({ load: (await jsonOf(input("json"))).metrics["load"] });
  });

  it("prints an exposition's values", async () => {
    await writeFile(path("one.prom"), "# TYPE g gauge\ng 3\n# TYPE c counter\nc_total 4\n");
    const { code, stdout } = await runCli(["show", path("one.prom")]);
    expect([code, stdout]).toEqual([0, "Gauge     g 3\nCounter   c 4\n"]);
  });

  it.each([
    ["missing.json", undefined, "there is no such file or folder"],
    ["bad.parquet", "PAR1 and no more than that", "should be PAR1"],
    ["nothing.jsonl", "", "is empty"],
  ])("says in one line what is wrong with %s, and ends with 2", async (name, content, message) => {
    if (content !== undefined) await writeFile(path(name), content);
    const { code, stdout, stderr } = await runCli(["show", path(name)]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("takes patterns and names with _total for families", async () => {
    for (const pattern of ["jobs_total", "j*", "{jobs,nothing}"]) {
      const { code, stdout } = await runCli(["show", input("json"), "--family", pattern]);
      expect([pattern, code]).toEqual([pattern, 0]);
      expect(stdout).toMatch(/jobs\s+a:1\s+52\s/);
      expect(stdout).not.toContain("wait_seconds");
    }
  });

  it("says how certain percentiles are, and what share met objectives", async () => {
    const { stdout } = await runCli(["show", input("jsonl"), "--slo", "jobs=0.5,nothing=1"]);
    expect(stdout).toMatch(/^SLO ATTAINMENT$/m);
    expect(stdout).toContain("nothing: no histogram of this run measures it.");
    const wrong = await runCli(["show", input("jsonl"), "--slo", "ttft"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("such as ttft=0.5");
  });

  it("shows the statistics that are asked for, and the others where the terminal is wide enough", async () => {
    const chosen = await runCli(["show", input("json"), "--statistics", "avg,p99"]);
    expect(chosen.code).toBe(0);
    expect(chosen.stdout.match(/^METRIC\s+ENDPOINT\s+avg\s+p99$/gm)).toHaveLength(2);
    expect(chosen.stdout).not.toContain("COUNTER");

    const narrow = { env: { COLUMNS: "60" } };
    const fitted = await runCli(["show", input("json")], narrow);
    expect(Math.max(...fitted.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(fitted.stdout).toContain("--wide");
    const wide = await runCli(["show", input("json"), "--wide"], narrow);
    expect(wide.stdout).toBe((await runCli(["show", input("json")])).stdout);

    const wrong = await runCli(["show", input("json"), "--statistics", "p98"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('There is no statistic "p98"; there are avg,');
  });

  it("counts the lines that are none, however many, and names the first of them", async () => {
    const good = (await readFile(input("jsonl"), "utf8")).trimEnd();
    await writeFile(path("rubbish.jsonl"), `${good}\n${"x\n".repeat(200_000)}`);
    const { code, stderr } = await runCli(["show", path("rubbish.jsonl")]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/200000 lines could not be read and were skipped: line \d+: it is not a JSON object/);
    expect(stderr).toContain("and 199990 more");
    expect(stderr.length).toBeLessThan(4000);
  });

  it("names families like the one that is not there", async () => {
    const { code, stderr } = await runCli(["show", input("json"), "--family", "wait"]);
    expect(code).toBe(2);
    expect(stderr).toContain("has no family wait. It has wait_seconds.");
  });
});

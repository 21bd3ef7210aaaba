import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { at, writePhasedRun } from "../support/phased-run.js";
import { RunBuilder } from "../support/run-builder.js";
import { runCli } from "../support/cli.js";

const pack = (bytes: Buffer, packed: boolean) => (packed ? gzipSync(bytes) : bytes);

/** What a phase of `show --json` says of the counter. */
function totalOf(json: string): number | undefined {
  const { metrics } = JSON.parse(json) as { metrics: Record<string, { series: { stats: { total: number } }[] }> };
  return metrics["c"]?.series[0]?.stats.total;
}

describe("phases of a run on the command line", () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const artifact = (format: string) => file(`server_metrics_export.${format}`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-metrics-phases-cli-"));
    await writePhasedRun(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(["server_metrics_export.jsonl", "server_metrics_export.json", "phase_manifest.json"])(
    "show --phase, of %s",
    async (name) => {
      const totals: (number | undefined)[] = [];
      for (const phase of ["warmup", "low", "HIGH"]) {
        const { code, stdout } = await runCli(["show", file(name), "--phase", phase, "--json"]);
        expect(code).toBe(0);
        totals.push(totalOf(stdout));
      }
      expect(totals).toEqual([5, 300, 600]);
    },
  );

  it("names the phases there are when it has no such one", async () => {
    const { code, stderr } = await runCli(["show", artifact("json"), "--phase", "middle"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("has no phase middle");
    expect(stderr).toContain("warmup, low, high");
  });

  it("says what is wrong with a log, a list of phases and a warm-up that it cannot use", async () => {
    const list = file("list.json");
    const log = file("log.jsonl");
    const scrape = (t: number) =>
      `{"url": "http://a/metrics", "t_ns": ${t}, "latency_ns": 1, "status": 200, "content_type": "text/plain", "body": "g ${t}\\n"}\n`;
    await writeFile(log, scrape(1_765_000_000_000_000_000) + scrape(1_765_000_001_000_000_000));
    const replay = (...options: string[]) => runCli(["replay", ...options, "--out", file("replayed")]);
    const artifactAsLog = await replay(artifact("jsonl"));
    expect([artifactAsLog.code, artifactAsLog.stderr]).toEqual([
      2,
      expect.stringMatching(/is not a scrape log: line 1: "url" is missing.*\. It is a run's JSONL: show, export/),
    ]);
    await writeFile(list, "x\n");
    const noJson = await replay(log, "--phases", list);
    expect([noJson.code, noJson.stderr]).toEqual([
      2,
      expect.stringContaining("is not a list of phases: it is not JSON."),
    ]);
    const early = await replay(log, "--warmup-end-ns", "5");
    expect(early.code, early.stderr).toBe(0);
    expect(early.stderr).toMatch(/warning: The warm-up given for .* is empty/);
    expect(await readFile(file("replayed/server_metrics_export.json"), "utf8")).not.toContain("warmup_metrics");
  });

  it("profiling begins with the end of a warm-up where no start is given", async () => {
    const log = file("begins.jsonl");
    const scrape = (second: number) =>
      `{"url": "http://a/metrics", "t_ns": ${1_765_000_000 + second}000000000, "latency_ns": 1, "status": 200, "content_type": "text/plain", "body": "# TYPE c counter\\nc ${second}\\n"}\n`;
    await writeFile(log, Array.from({ length: 11 }, (_, second) => scrape(second)).join(""));
    const out = file("begun");
    const { code, stderr } = await runCli(["replay", log, "--warmup-end-ns", "1765000004500000000", "--out", out]);
    expect([code, stderr]).toEqual([0, ""]);
    const shown = (phase: string) =>
      runCli(["show", join(out, "server_metrics_export.json"), "--phase", phase, "--json"]);
    expect(totalOf((await shown("warmup")).stdout)).toBe(4);
    expect(totalOf((await shown("profiling")).stdout)).toBe(6);
  });

  it("opens the reference's folder as one run, though its JSONL has no id and others are packed", async () => {
    const other = await mkdtemp(join(tmpdir(), "server-metrics-one-run-"));
    try {
      for (const format of ["json", "csv", "parquet"]) {
        const name = `server_metrics_export.${format}`;
        const packed = format !== "parquet";
        await writeFile(join(other, packed ? `${name}.gz` : name), pack(await readFile(artifact(format)), packed));
      }
      const lines = (await readFile(artifact("jsonl"), "utf8")).split("\n").filter((line) => !line.includes('"event"'));
      await writeFile(join(other, "server_metrics_export.jsonl.gz"), gzipSync(lines.join("\n")));
      const { code, stderr, stdout } = await runCli(["show", other, "--json"]);
      expect(code, stderr).toBe(0);
      expect(totalOf(stdout)).toBeGreaterThan(0);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  it("says where servers observed more requests than the load generator sent in a phase", async () => {
    const other = await mkdtemp(join(tmpdir(), "server-metrics-surplus-"));
    try {
      const builder = new RunBuilder();
      for (let i = 0; i <= 20; i++)
        builder.scrape(i, [
          {
            name: "vllm:e2e_request_latency_seconds",
            buckets: { "1": 2 * i, "+Inf": 2 * i },
            sum: i,
            count: 2 * i,
          },
        ]);
      const { run } = builder.window(0.5, 20);
      run.putPhase({ name: "warmup", kind: "warmup", start: at(0.5), end: at(5.4) });
      run.putPhase({ name: "low", kind: "profiling", start: at(5.5), end: at(20) });
      await exportArtifacts(run, { directory: other, formats: ["json"], verify: true });
      const path = join(other, "phase_manifest.json");
      const surpluses = async (low: number) => {
        const manifest = JSON.parse(await readFile(path, "utf8")) as {
          phases: { phase_name: string; total_request_count: number }[];
        };
        for (const phase of manifest.phases) phase.total_request_count = phase.phase_name === "low" ? low : 1000;
        await writeFile(path, JSON.stringify(manifest));
        const { notices } = await openArtifact(join(other, "server_metrics_export.json"));
        return notices.filter(({ reason }) => reason.includes("the load generator sent")).map(({ reason }) => reason);
      };
      expect(await surpluses(30)).toEqual([]);
      expect(await surpluses(28)).toEqual([
        expect.stringMatching(/^Phase low: vllm:e2e_request_latency_seconds had 30 observations.* sent 28 requests/),
      ]);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  it("opens one phase's own file", async () => {
    const { stdout } = await runCli(["show", file("phases/low/server_metrics.json"), "--json"]);
    expect(totalOf(stdout)).toBe(300);
  });

  it("export --phase writes that phase alone, and says of a warm-up that it is one", async () => {
    const out = file("exported");
    for (const phase of ["high", "warmup"]) {
      const { code } = await runCli([
        "export",
        artifact("jsonl"),
        "--phase",
        phase,
        "--formats",
        "json,csv",
        "--out",
        out,
      ]);
      expect(code).toBe(0);
      const text = await readFile(join(out, "server_metrics_export.json"), "utf8");
      expect(totalOf(text)).toBe(phase === "high" ? 600 : 5);
      expect(text).not.toContain("warmup_metrics");
      expect(text).toContain(`"metrics_phase": "${phase === "high" ? "profiling" : "warmup"}"`);
    }
  });

  it.each([
    ["FILE#PHASE", (path: string) => [`${path}#low`, `${path}#high`]],
    ["--baseline-phase and --phase", (path: string) => [path, "--baseline-phase", "low", "--phase", "high"]],
  ])("compares one phase of a run with another: %s", async (_, argumentsOf) => {
    const { code, stdout } = await runCli(["compare", ...argumentsOf(artifact("jsonl")), "--json"]);
    expect(code).toBe(0);
    const { rows, warnings } = JSON.parse(stdout) as {
      rows: { quantity: string; baseline: { value: number }; cells: { candidate: { value: number } }[] }[];
      warnings: { kind: string }[];
    };
    expect(warnings.map(({ kind }) => kind)).not.toContain("same-run");
    const rate = rows.find(({ quantity }) => quantity === "rate");
    expect(rate?.baseline.value).toBeCloseTo(10, 0);
    expect(rate?.cells[0]?.candidate.value).toBeCloseTo(20, 0);
  });

  it("refuses a manifest whose paths leave its folder, also through a link", async () => {
    const other = file("hostile");
    await mkdir(join(other, "phases/low"), { recursive: true });
    await copyFile(artifact("json"), join(other, "server_metrics_export.json"));
    const manifest = (path: string) =>
      JSON.stringify({
        phases: [{ phase_name: "low", phase_kind: "profiling", start_ns: 1, end_ns: 2, server_metrics_json: path }],
        schema_version: 1,
      });
    await symlink(file("phases/low/server_metrics.json"), join(other, "phases/low/server_metrics.json"));
    const link = "phases/low/server_metrics.json";
    for (const path of ["../phases/low/server_metrics.json", artifact("json"), link]) {
      const reason = path === link ? "server_metrics.json is a link: it was not read" : "lies outside its folder";
      await writeFile(join(other, "phase_manifest.json"), manifest(path));
      const direct = await runCli(["show", join(other, "phase_manifest.json")]);
      expect(direct.code).not.toBe(0);
      expect(direct.stderr).toContain(reason);
      const beside = await runCli(["show", join(other, "server_metrics_export.json"), "--json"]);
      expect(beside.code).toBe(0);
      expect(beside.stderr).toContain(reason);
      expect(totalOf(beside.stdout)).toBe(915);
    }
  });
});

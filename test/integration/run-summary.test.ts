import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";

let directory: string;
let log: string;
const file = (...names: string[]) => path.join(directory, ...names);
const replay = (out: string, ...options: string[]) =>
  runCli(["replay", log, "--out", file(out), "--formats", "json,parquet", ...options]);
const summaryIn = (...names: string[]) => readFile(file(...names), "utf8");

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "server-metrics-summary-"));
  log = file("log.jsonl");
  await runCli(["demo", "--scenario", "saturated", "--duration", "60", "--record", log]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("the summary beside a run's artifacts", () => {
  it("says what ran, what the findings are and the figures that show prints", async () => {
    const { code, stdout } = await replay("run", "--summary", "key");
    expect(code).toBe(0);
    expect(stdout).toContain(file("run", "summary.md"));
    const text = await summaryIn("run", "summary.md");
    const { benchmark_id: id } = JSON.parse(await summaryIn("run", "server_metrics_export.json")) as Record<
      string,
      string
    >;
    expect(text.split("\n")[0]).toBe(`<!-- server-metrics run ${id} -->`);
    expect(text).toContain("| localhost:8000 | vLLM | 88 | 181 |");
    const insights = await runCli(["insights", file("run", "server_metrics_export.json"), "--json"]);
    const { findings } = JSON.parse(insights.stdout) as { findings: { title: string; text: string }[] };
    expect(findings.length).toBeGreaterThan(0);
    for (const { title, text: finding } of findings) {
      expect(text).toContain(`### ${title}`);
      expect(text).toContain(finding);
    }
    const [, figure] = /Time to first token +\S+ +p99_estimate +(≥? ?[\d.]+ m?s)/.exec(stdout) ?? [];
    expect(text).toContain(`| Time to first token | p99\\_estimate | ${figure}`);
    expect(text).toContain("`server_metrics_export.parquet`: every sample");
    expect(text).not.toContain("server_metrics_export.csv");
  });

  it("is written anew with its run, beside a file of that name that is somebody's own, and not where it is not wanted", async () => {
    await replay("run");
    expect((await readdir(file("run"))).filter((name) => name.endsWith(".md"))).toEqual(["summary.md"]);
    await mkdir(file("own"));
    await writeFile(file("own", "summary.md"), "# Mine\n");
    const { stdout } = await replay("own");
    expect(await summaryIn("own", "summary.md")).toBe("# Mine\n");
    const own = (await readdir(file("own"))).find((name) => /^summary-[0-9a-f-]{36}\.md$/.test(name)) ?? "";
    expect(stdout).toContain(file("own", own));
    expect(await summaryIn("own", own)).toContain("## Findings");
    await replay("without", "--no-summary-file");
    expect(await readdir(file("without"))).toEqual(["server_metrics_export.json", "server_metrics_export.parquet"]);
  });

  it("has the prefix of its run, so that several runs share a folder", async () => {
    await replay("two", "--prefix", "a");
    await replay("two", "--prefix", "b.json");
    expect((await readdir(file("two"))).filter((name) => name.endsWith(".md")).sort()).toEqual([
      "a_summary.md",
      "b_summary.md",
    ]);
    expect(await summaryIn("two", "b_summary.md")).toContain("`b_server_metrics.json`");
  });
});

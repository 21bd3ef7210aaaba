import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { serverRun, simulatedRequests } from "../support/client-run.js";
import { runCli, startCli, until } from "../support/cli.js";
import { peakOf, startedBy } from "../support/peak.js";

const MIB = 1024;
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-memory-"));
  await writeFile(
    file("families.jsonl"),
    lines((i) => `{"f${i}":[{"value":${i}}]}`, 40_000),
  );
  // An object of two bytes takes fifty.
  await writeFile(
    file("line.jsonl.gz"),
    gzipSync(`${lines(() => `{"f":[{"value":1}]}`, 1)}${lines(() => `{"f":[${"{},".repeat(4_500_000)}{}]}`, 1)}`),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function lines(metrics: (i: number) => string, count: number): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `{"endpoint_url":"http://a/metrics","timestamp_ns":${1_763_800_000_000_000_000n + BigInt(i) * 1_000_000n},"endpoint_latency_ns":1,"metrics":${metrics(i)}}\n`,
  ).join("");
}

describe.runIf(process.platform === "linux")("a command that reads a hostile file", () => {
  it.each([
    ["show", "families.jsonl"],
    ["show", "line.jsonl.gz"],
    ["recover", "line.jsonl.gz"],
    ["export", "line.jsonl.gz"],
  ])("stays within its memory and says so: %s %s", async (command, name) => {
    const out = command === "show" ? [] : ["--out", file("out")];
    const { peak, code, stdout, stderr } = await peakOf(
      startCli([command, file(name), ...out, "--memory-limit", "200"]),
    );
    expect(stderr).toContain(`${name} needs more than 200 MiB of memory, so the command was ended.`);
    expect(stderr).toContain("--memory-limit");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    // Memory is looked at every 15 ms.
    expect(peak / MIB).toBeLessThan(300);
    expect(await readdir(folder)).not.toContain("out");
  });

  it.each([
    ["show", []],
    ["check", ["--assert", "f avg < 5"]],
  ])("counts what it reads beside a small artifact: %s", async (command, options) => {
    const inside = await mkdtemp(file("beside-"));
    const artifact = join(inside, "server_metrics_export.jsonl");
    await writeFile(
      artifact,
      lines((i) => `{"f":[{"value":${i}}]}`, 5),
    );
    const benchmarks = `{"metadata":{"guidellm_version":"0.3.0"},"benchmarks":[${"{},".repeat(4_500_000)}{}]}`;
    await writeFile(join(inside, "benchmarks.json.gz"), gzipSync(benchmarks));
    const { peak, code, stderr } = await peakOf(startCli([command, artifact, ...options, "--memory-limit", "200"]));
    expect(stderr).toContain("needs more than 200 MiB of memory, so the command was ended.");
    expect(code).toBe(2);
    expect(peak / MIB).toBeLessThan(300);
  });

  it("gets no more for what lies beside it", async () => {
    const inside = await mkdtemp(file("large-"));
    const labels = Array.from({ length: 4_000_000 }, (_, i) => `l${i}="x"`).join(",");
    await writeFile(join(inside, "labels.prom"), `f{${labels}} 1\n`);
    await writeFile(join(inside, "other.json"), "");
    await truncate(join(inside, "other.json"), 2e9);
    const { peak, code, stderr } = await peakOf(startCli(["parse", join(inside, "labels.prom")]));
    expect(stderr).toContain("labels.prom needs more than 900 MiB of memory");
    expect(code).toBe(2);
    expect(peak / MIB).toBeLessThan(1000);
  });

  it("gets no more for a size of which nothing is there", async () => {
    const labels = Array.from({ length: 4_000_000 }, (_, i) => `l${i}="x"`).join(",");
    await writeFile(file("sparse.prom"), `f{${labels}} 1\n`);
    await truncate(file("sparse.prom"), 2e9);
    const { peak, code, stderr } = await peakOf(startCli(["parse", file("sparse.prom")]));
    expect(stderr).toContain("sparse.prom needs more than 900 MiB of memory");
    expect(code).toBe(2);
    expect(peak / MIB).toBeLessThan(1000);
  });

  it("counts what --client names", async () => {
    const inside = await mkdtemp(file("named-"));
    await writeFile(
      file("good.jsonl"),
      lines((i) => `{"f":[{"value":${i}}]}`, 5),
    );
    const hostile = join(inside, "server_metrics_export.jsonl.gz");
    await copyFile(file("line.jsonl.gz"), hostile);
    const { peak, code, stderr } = await peakOf(
      startCli(["show", file("good.jsonl"), "--client", hostile, "--memory-limit", "200"]),
    );
    expect(stderr).toContain("more than 200 MiB of memory, so the command was ended.");
    expect(code).toBe(2);
    expect(peak / MIB).toBeLessThan(300);
  });

  it.each([
    ["sweep", ["sweep"]],
    ["compare --history", ["compare", "--history"]],
  ])("leaves it out of a folder, by its name, and goes on with the others: %s", async (_, words) => {
    const runs = await mkdtemp(file("runs-"));
    const hostile = join(runs, "c2", "server_metrics_export.jsonl.gz");
    await mkdir(join(runs, "c2"));
    await copyFile(file("line.jsonl.gz"), hostile);
    for (const [name, slower] of [
      ["c1", 0],
      ["c4", 0.2],
    ] as const) {
      const requests = simulatedRequests({ count: 80, every: 0.1, slower });
      const directory = join(runs, name);
      await exportArtifacts(serverRun(requests, 0.02), { directory, formats: ["json"], verify: false });
      const exported = join(directory, "server_metrics_export.json");
      const text = await readFile(exported, "utf8");
      await writeFile(exported, text.replace(/("benchmark_id": *")[^"]*/, `$1${name}`));
    }
    const { peak, code, stdout, stderr } = await peakOf(startCli([...words, runs, "--memory-limit", "300", "--json"]));
    expect(stderr).toContain(`warning: ${hostile} is left out: it needs more than 300 MiB of memory.`);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("c1");
    expect(stdout).toContain("c4");
    expect(peak / MIB).toBeLessThan(400);
  });

  it("needs less than the usual limit for as many families as no server has", async () => {
    const { peak, code, stdout } = await peakOf(startCli(["show", file("families.jsonl")]));
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(80_000);
    expect(peak / MIB).toBeLessThan(900);
  });

  it("needs memory in proportion to its sets of bounds", async () => {
    const bounds = lines((i) => `{"f":[{"buckets":{"${i}":1,"+Inf":2},"sum":1,"count":2}]}`, 10_000);
    await writeFile(file("bounds.jsonl"), bounds);
    const { peak, code } = await peakOf(startCli(["show", file("bounds.jsonl")]));
    expect(code).toBe(0);
    expect(peak / MIB).toBeLessThan(400);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("is ended by %s, whatever it is busy with", async (signal) => {
    const running = startCli(["insights", file("line.jsonl.gz"), "--memory-limit", "4000"]);
    await until("the process that reads", async () => (await startedBy(String(running.child.pid))).length > 0);
    const [reader = ""] = await startedBy(String(running.child.pid));
    running.child.kill(signal);
    const { code } = await running.finished;
    expect(code).toBe(signal === "SIGINT" ? 130 : 143);
    await until("its end", async () => (await readFile(`/proc/${reader}/status`, "utf8").catch(() => "")) === "");
  });
});

it("a watched command keeps its input, output and exit code", async () => {
  const text = `# TYPE f gauge\n${Array.from({ length: 3 }, (_, i) => `f{x="${i}"} ${i}\n`).join("")}`;
  const read = await runCli(["parse", "-"], { input: text });
  expect(read.code).toBe(0);
  expect(JSON.parse(read.stdout)).toMatchObject({ format: "text" });
  const broken = await runCli(["parse", "-"], { input: "f{" });
  expect(broken).toMatchObject({ code: 2, stdout: "" });
  expect(broken.stderr).toMatch(/^server-metrics: standard input/);
});

it("the command line refuses a limit that is none", async () => {
  const { code, stderr } = await runCli(["show", file("families.jsonl"), "--memory-limit", "some"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--memory-limit");
});

import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli, startCli } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";

let dir: string;
let server: TestServer;
let env: Readonly<Record<string, string>>;

/** Two captures of one server. */
beforeAll(async () => {
  dir = await realpath(await mkdtemp(path.join(tmpdir(), "server-metrics-runs-")));
  env = { XDG_CACHE_HOME: path.join(dir, "cache"), XDG_DATA_HOME: path.join(dir, "data") };
  server = await serve((_, response) => {
    response
      .setHeader("content-type", "text/plain")
      .end("# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3\n");
  });
  for (const name of ["first", "second"]) {
    const args = ["capture", `${server.origin}/metrics`, "--duration", "1", "--interval", "100ms", "--label", name];
    const { code, stderr } = await runCli([...args, "--out", path.join(dir, "runs", name), "--summary", "none"], {
      env,
    });
    expect(code, stderr).toBe(0);
  }
});
afterAll(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const runs = (...args: readonly string[]) => runCli(["runs", path.join(dir, "runs"), ...args], { env });

it("the runs command lists the newest first, and filters", async () => {
  const { stdout, code } = await runs("--columns", "label,server,vllm:num_requests_running avg", "--csv");
  expect([code, stdout.trim().split("\n")]).toEqual([
    0,
    ["label,server,vllm:num_requests_running avg", "second,vLLM,3", "first,vLLM,3"],
  ]);
  const shown = (await runs("--filter", "label = first")).stdout;
  expect(shown).toMatch(/^TIME \(UTC\) +RUN +LABEL/);
  expect(shown).toContain("1 of 2 runs.");
  const { stderr, code: refused } = await runs("--filter", "label =");
  expect([refused, stderr]).toEqual([
    2,
    expect.stringMatching(/The filter cannot be read: .*see docs\/library\.md/) as string,
  ]);
});

it("the runs command lists a capture of another process, which is no run yet", async () => {
  const out = path.join(dir, "runs", "third");
  const capture = startCli(["capture", `${server.origin}/metrics`, "--out", out, "--prefix", "p"], { env });
  await expect.poll(() => readdir(out).catch(() => [])).toContainEqual(expect.stringContaining("journal-"));
  const { stdout } = await runs("--columns", "run,state");
  expect(stdout).toMatch(/^third\/p_server_metrics +capturing/m);
  expect(stdout).toContain("2 runs.");
  for (const format of ["--csv", "--markdown", "--json"])
    expect((await runs("--columns", "run", format)).stdout).not.toContain("third");
  capture.child.kill("SIGINT");
  await capture.finished;
  expect((await runs()).stdout).toContain("3 runs.");
  await rm(out, { recursive: true });
});

it("the runs command groups repeats", async () => {
  const { stdout } = await runs("--group", "--columns", "vllm:num_requests_running avg", "--csv");
  expect(stdout.trim().split("\n")).toEqual(["Runs,vllm:num_requests_running avg", "2,3 ± 0"]);
});

it("the runs command notes labels and texts of a run and lists them", async () => {
  const { stderr, code } = await runs("--run", "first", "--star", "--tag", "good", "--note", "the base line");
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/noted 1 run in .*, because .* is in no Git repository/) as string,
  ]);
  const listed = JSON.parse(
    (await runs("--filter", "good", "--json", "--columns", "label,star,note")).stdout,
  ) as unknown;
  expect(listed).toMatchObject([{ label: "first", star: "★", note: "the base line" }]);
  await runs("--run", "second", "--archive");
  expect((await runs("--csv", "--columns", "label")).stdout.trim().split("\n")).toEqual(["label", "first"]);
  expect((await runs("--csv", "--columns", "label", "--all")).stdout.trim().split("\n")).toHaveLength(3);
});

it("the runs command counts findings where a column asks for them", async () => {
  const { stdout } = await runs("--csv", "--all", "--columns", "label,findings", "--sort", "label");
  expect(stdout.trim().split("\n")).toEqual([
    "label,findings",
    expect.stringMatching(/^first,\d+$/) as string,
    expect.stringMatching(/^second,\d+$/) as string,
  ]);
});

it("the runs command answers SQL by DuckDB, and prints the views without a statement", async () => {
  const folder = path.join(dir, "runs");
  const asked = await runCli(["sql", folder, "SELECT label, seconds > 0 AS ran FROM runs ORDER BY label", "--csv"], {
    env,
  });
  expect([asked.code, asked.stdout.trim().split("\n")]).toEqual([0, ["label,ran", "first,true", "second,true"]]);
  expect((await runCli(["sql", folder], { env })).stdout).toContain("CREATE OR REPLACE TEMP VIEW samples AS");
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { startFleet, type Fleet } from "../support/fleet.js";

let fleet: Fleet;
let dir: string;

beforeAll(async () => {
  fleet = await startFleet(20, 300);
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-fleet-"));
});
afterAll(async () => {
  fleet.close();
  await rm(dir, { recursive: true, force: true });
});

it("captures 20 endpoints of 300 series at 333 ms for 60 s without a missed tick", async () => {
  const result = await runCli([
    "capture",
    ...fleet.urls.flatMap((url) => ["--url", url]),
    "--duration",
    "60",
    "--out",
    dir,
    "--formats",
    "json,parquet",
    "--summary",
    "none",
  ]);
  expect(result.code).toBe(0);
  expect(result.stderr).not.toMatch(/ticks missed/);
  const artifact = JSON.parse(await readFile(path.join(dir, "server_metrics_export.json"), "utf8")) as {
    summary: { endpoint_info: Record<string, { total_fetches: number; unique_updates: number }> };
  };
  const infos = Object.values(artifact.summary.endpoint_info);
  expect(infos).toHaveLength(20);
  // Baseline, a tick at 0 and every 333 ms up to 60 s (181), and the final scrape.
  for (const info of infos) expect(info.total_fetches).toBeGreaterThanOrEqual(182);
}, 180_000);

it("captures 200 endpoints without a word on standard error but how many are reachable", async () => {
  const many = await startFleet(200, 30);
  try {
    const { code, stderr } = await runCli([
      "capture",
      ...many.urls.flatMap((url) => ["--url", url]),
      ...["--duration", "2", "--out", path.join(dir, "many"), "--formats", "json", "--summary", "none"],
    ]);
    // A machine that is busy with other things may miss ticks, or find that scrapes take long, and says so.
    const expected = /^warning: .* ticks missed|^note: .* a scrape takes /;
    expect(stderr.split("\n").filter((line) => !expected.test(line))).toEqual(["200/200 endpoints reachable", ""]);
    expect(code).toBe(0);
  } finally {
    many.close();
  }
});

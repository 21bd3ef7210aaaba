import { mkdir, mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import {
  AgentCaptures,
  AGENT_TOOLS,
  callTool,
  READING_SECONDS_VARIABLE,
  RunFolder,
  RunReader,
  type AgentContext,
} from "../../../src/agents/index.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { RunBuilder } from "../../support/run-builder.js";

let dir: string;
const fileOf = (name: string) => path.join(dir, name, "server_metrics_export.jsonl");

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-pages-"));
  for (const [i, name] of ["before", "after"].entries()) {
    const builder = new RunBuilder();
    for (let second = 0; second <= 60; second++)
      builder.scrape(second, [
        { name: "vllm:num_requests_running", value: 10 + i + (second % 3) },
        { name: "vllm:num_requests_waiting", value: 5 + (second % 2) },
      ]);
    const directory = path.dirname(fileOf(name));
    await mkdir(directory);
    await exportArtifacts(builder.window(1, 60).run, { directory, formats: ["jsonl"], verify: false });
  }
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it("compare_runs compares once for all pages of an answer, and anew when a file has changed", async () => {
  const folder = await RunFolder.at(dir);
  const runs = new RunReader(folder);
  const read = vi.spyOn(runs, "forComparison");
  const context: AgentContext = {
    runs,
    captures: new AgentCaptures(folder),
    origins: { named: new Set(), allow: () => Promise.resolve("no") },
  };
  const tool = AGENT_TOOLS.find(({ name }) => name === "compare_runs");
  if (tool === undefined) throw new Error("no compare_runs");
  const page = async (offset: number, more: object = {}) => {
    const question = { baseline: "before/server_metrics_export", candidates: "after/server_metrics_export" };
    const { text, isError } = await callTool(tool, { ...question, ...more, offset }, context);
    expect(isError, text).toBe(false);
    const { data } = JSON.parse(text) as {
      readonly data: { readonly rows: readonly unknown[]; readonly total_rows: number };
    };
    return data;
  };
  const whole = await page(0);
  expect(whole.total_rows).toBeGreaterThan(1);
  expect((await page(1)).rows).toEqual(whole.rows.slice(1));
  expect(read).toHaveBeenCalledTimes(2);
  await page(0, { threshold: 0.5 });
  expect(read).toHaveBeenCalledTimes(4);
  await utimes(fileOf("after"), new Date(), new Date(Date.now() + 10_000));
  await page(0, { threshold: 0.5 });
  expect(read).toHaveBeenCalledTimes(6);
});

it("compare_runs gives up a file that takes longer than a client waits, and says so", async () => {
  vi.stubEnv(READING_SECONDS_VARIABLE, "45");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  const runs = new RunReader(await RunFolder.at(dir));
  const reading = expect(runs.statistics("before/server_metrics_export")).rejects.toThrow(
    /server_metrics_export\.jsonl takes longer than 45 s to read/,
  );
  // The time is up between the first and the second thing that is asked of the disk.
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(45_000);
  await reading;
  vi.useRealTimers();
  expect((await runs.statistics("before/server_metrics_export")).file).toContain("before");
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { exportArtifacts, recoverJournal } from "../../src/files/index.js";
import type {
  ChannelClient,
  EngineEvents,
  EngineRequests,
  RunHeader,
  StatisticsTable,
} from "../../src/protocol/index.js";
import { until } from "../support/cli.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { closedAfterEach } from "../support/servers.js";
import { RunBuilder, type TestSample } from "../support/run-builder.js";
import { describeReal } from "../support/real-runs.js";

type Client = ChannelClient<EngineRequests, EngineEvents>;

const FINISHED = "vllm:request_success";
const { server } = closedAfterEach();
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.call("stopCapture", {}).catch(() => undefined);
    client.dispose();
  }
});

function engine(): Client {
  const client = engineInThread();
  clients.push(client);
  return client;
}

/** Of all series of a family together. */
function cell({ rows }: StatisticsTable, key: string): number {
  return rows.reduce((sum, { values }) => sum + (values[key] ?? NaN), 0);
}

async function finished(client: Client): Promise<{ readonly total: number; readonly rate: number }> {
  const table = await client.call("statistics", { family: FINISHED });
  return { total: cell(table, "total"), rate: cell(table, "rate") };
}

const headerOf = async (client: Client) => (await client.call("describe", {})).header;

/** A run of a minute: 40 requests from second 20 to 40, one every half second. */
function loadInTheMiddle(more: (t: number) => readonly TestSample[] = () => []) {
  const builder = new RunBuilder();
  for (let t = 0; t <= 60; t += 0.5)
    builder.scrape(t, [
      { name: "vllm:num_requests_running", value: t >= 20 && t < 40 ? 1 : 0 },
      { name: FINISHED, type: "counter", value: Math.min(40, Math.max(0, 2 * (t - 20))) },
      ...more(t),
    ]);
  return builder.window(0, 60).run;
}

it("a large Parquet file that was saved with all of it measured is offered its load", async () => {
  const folder = await mkdtemp(join(tmpdir(), "load-view-"));
  const many = (t: number) =>
    Array.from({ length: 3400 }, (_, i) => ({ name: "app:level", labels: { i: String(i) }, value: t }));
  await exportArtifacts(loadInTheMiddle(many), { directory: folder, formats: ["parquet"], verify: false });
  const client = engine();
  const found = new Promise<RunHeader["load"]>((resolve) =>
    client.on("progress", ({ header }) => header.load !== undefined && resolve(header.load)),
  );
  await client.call("open", { path: join(folder, "server_metrics_export.parquet") });
  const load = await found;
  expect(load).toMatchObject({ rule: "all", switchable: true });
  expect(load?.changes).toMatch(/: 1\.95 requests\/s over the load, 0\.667 requests\/s over all/);
  expect((await finished(client)).rate).toBeCloseTo(40 / 60, 6);
  await client.call("adjust", { windowRule: "load" });
  expect((await headerOf(client)).load).toMatchObject({ rule: "load" });
  expect((await finished(client)).rate).toBeCloseTo(40 / 20.5, 6);
  await rm(folder, { recursive: true });
});

it("a run that was saved with all of it measured keeps that, and its load can be chosen", async () => {
  const folder = await mkdtemp(join(tmpdir(), "load-view-"));
  await exportArtifacts(loadInTheMiddle(), { directory: folder, formats: ["jsonl", "parquet"], verify: false });
  for (const format of ["jsonl", "parquet"]) {
    const client = engine();
    await client.call("open", { path: join(folder, `server_metrics_export.${format}`) });
    const header = await headerOf(client);
    expect(header.load).toMatchObject({
      rule: "all",
      switchable: true,
      text: "measured: all 60.0 s, of which 20.5 s are load",
    });
    expect(header.load?.changes).toMatch(/: 1\.95 requests\/s over the load, 0\.667 requests\/s over all/);
    expect(header.phases).toBeUndefined();
    const all = await finished(client);
    expect(all.total).toBe(40);
    expect(all.rate).toBeCloseTo(40 / 60, 6);
    await client.call("adjust", { windowRule: "load" });
    const load = await headerOf(client);
    expect(load.load).toMatchObject({ rule: "load", text: "measured: 20.5 s of load out of 60.0 s captured" });
    expect(load.phases?.map(({ name, kind }) => [name, kind])).toEqual([
      ["idle before", "idle"],
      ["idle after", "idle"],
    ]);
    expect((await finished(client)).rate).toBeCloseTo(40 / 20.5, 6);
    const [before] = load.phases ?? [];
    if (before === undefined) throw new Error("there is no idle part");
    await client.call("adjust", { window: { start: before.start, end: before.end } });
    expect((await finished(client)).total).toBe(0);
    const after = load.phases?.[1];
    if (after === undefined) throw new Error("there is no idle part after the load");
    await client.call("adjust", { window: { start: after.start, end: after.end } });
    expect((await finished(client)).total).toBe(0);
    await client.call("adjust", { window: "recorded" });
    await client.call("adjust", { windowRule: "all" });
    expect(await finished(client)).toEqual(all);
  }
  await rm(folder, { recursive: true });
});

it("a capture that was cut off is recovered with its load measured", async () => {
  const folder = await mkdtemp(join(tmpdir(), "load-recovered-"));
  const builder = new RunBuilder();
  for (let t = 0; t <= 40; t += 0.5)
    builder.scrape(t, [
      { name: "vllm:num_requests_running", value: t >= 20 ? 1 : 0 },
      { name: FINISHED, type: "counter", value: Math.max(0, 2 * (t - 20)) },
    ]);
  await exportArtifacts(builder.window(0, 40).run, { directory: folder, formats: ["jsonl"], verify: false });
  const path = join(folder, "server_metrics_export.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => !line.includes("profiling_end"));
  await writeFile(path, lines.join("\n"));
  const { run } = await recoverJournal(path);
  expect([run.windowRule, run.load?.mayBeOff]).toEqual(["load", 1]);
  expect(Number(run.profilingStart - run.origin) / 1e9).toBeCloseTo(19.5, 6);
  await rm(folder, { recursive: true });
});

it("statistics of a capture under way begin with its load, and switch in place", async () => {
  let [running, done] = [0, 0];
  const { origin } = await server((_, response) => {
    if (running > 0) done++;
    response
      .setHeader("content-type", "text/plain; version=0.0.4")
      .end(
        `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n# TYPE ${FINISHED} counter\n${FINISHED}_total ${done}\n`,
      );
  });
  const client = engine();
  await client.call("startCapture", {
    endpoints: [{ url: `${origin}/metrics`, enabled: true }],
    intervalMs: 50,
    scrapeTimeoutMs: 5000,
    reachabilityTimeoutMs: 5000,
    flushPeriodMs: 500,
    limits: DEFAULT_LIMITS,
    include: [],
    exclude: [],
    warmup: { kind: "none" },
    sliceDurationSeconds: 1,
    journalLimitBytes: 1e9,
  });
  await until("an idle part", async () => (await headerOf(client)).scrapes! > 40);
  expect((await headerOf(client)).load).toBeUndefined();
  running = 4;
  await until("the load", async () => (await headerOf(client)).load !== undefined);
  const header = await headerOf(client);
  expect(header.load).toMatchObject({ rule: "load", switchable: true });
  expect(header.load?.text).toMatch(/^measured: from the load's start, \d+\.\d s into the capture$/);
  // One request ends at each scrape: 20 a second of the load, fewer of all.
  const begins = header.profilingStart;
  expect(begins).toBeGreaterThan(40 * 45e6);
  await until("some load", async () => (await finished(client)).total > 10);
  const average = async () => cell(await client.call("statistics", { family: "vllm:num_requests_running" }), "avg");
  expect(await average()).toBe(4);
  await client.call("adjust", { windowRule: "all" });
  expect((await headerOf(client)).load).toMatchObject({ rule: "all" });
  expect((await headerOf(client)).profilingStart).toBeLessThan(begins);
  expect(await average()).toBeLessThan(4);
  await client.call("adjust", { windowRule: "load" });
  expect(await average()).toBe(4);
  running = 0;
  const before = (await headerOf(client)).scrapes!;
  await until("an idle part after it", async () => (await headerOf(client)).scrapes! > before + 10);
  await client.call("stopCapture", {});
  const over = await headerOf(client);
  expect(over.load?.text).toMatch(/^measured: \d+\.\d s of load out of \d+\.\d s captured$/);
  expect(Math.abs(over.profilingStart - begins)).toBeLessThan(60e6);
  expect((await finished(client)).total).toBe(done);
});

describeReal("runs recorded before loads were known", (directory) => {
  it("offer the load of the client's file that lies beside them", async () => {
    const client = engine();
    await client.call("open", {
      path: join(directory, "client-window", "guidellm-0.8.1", "server_metrics_export.parquet"),
    });
    expect((await headerOf(client)).load).toMatchObject({ rule: "all", switchable: true });
    await client.call("adjust", { windowRule: "load" });
    expect((await headerOf(client)).load?.text).toMatch(/window from GuideLLM/);
    expect((await finished(client)).total).toBe(84);
  });
});

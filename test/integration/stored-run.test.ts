import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import type { ChannelClient, EngineEvents, EngineRequests, StoreQuery } from "../../src/protocol/index.js";
import { until } from "../support/cli.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

const missing = await missingPrograms("prometheus");
const what = "an engine that reads a run from Prometheus";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let demo: DemoServer;
  let prometheus: RunningStore;
  let engine: ChannelClient<EngineRequests, EngineEvents>;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-stored-"));
    demo = await startDemoServer({ port: 0 });
    prometheus = await startPrometheus({ scrape: { vllm: [`127.0.0.1:${demo.port}`] }, intervalMs: 500 });
    engine = engineInThread();
  });
  afterAll(async () => {
    engine.dispose();
    await prometheus.close();
    await demo.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("completes selectors, tells what is found first, and holds what it reads as a run like any other", async () => {
    const store = { url: prometheus.url, enabled: true };
    await until("a few scrapes", async () => {
      const data = (await prometheus.api("/query", { query: 'count_over_time(up{job="vllm"}[1m])' })) as {
        result: { value: [number, string] }[];
      };
      return Number(data.result[0]?.value[1] ?? 0) >= 4;
    });
    expect(await engine.call("storeLabels", { store })).toEqual(expect.arrayContaining(["instance", "job"]));
    expect(await engine.call("storeLabels", { store, label: "job", match: "up" })).toEqual(["vllm"]);
    expect(await engine.call("storeLabels", { store, label: "__name__" })).toContain("vllm:num_requests_running");

    const endMs = Date.now();
    const query: StoreQuery = { store, selectors: ['{job="vllm"}'], startMs: endMs - 60_000, endMs };
    const found = await engine.call("findStored", query);
    expect(found.instances).toEqual([`127.0.0.1:${demo.port}`]);
    expect(found.families).toContain("vllm:num_requests_running");
    expect(found.samples).toBeGreaterThan(found.series);
    expect(found.totalsStepMs).toBe(500);

    const hourAgo = { startMs: endMs - 3_600_000 - 60_000, endMs: endMs - 3_600_000 };
    const days = [{ startMs: query.startMs, endMs }, hourAgo];
    for (const [selector, stored] of [
      ['{job="vllm"}', [true, false]],
      ['{job="none"}', [false, false]],
    ] as const)
      expect(await engine.call("storedDays", { store, selector, days })).toEqual(stored);

    const shares: number[] = [];
    engine.on("work", ({ request, fraction }) => {
      if (request === "fetchStored") shares.push(fraction ?? NaN);
    });
    const { scrapes } = await engine.call("fetchStored", { ...query, sliceDurationSeconds: 5 });
    expect(scrapes).toBeGreaterThanOrEqual(4);
    expect(shares.at(-1)).toBe(1);
    const { header, families } = await engine.call("describe", {});
    expect(header.state).toBe("opened");
    expect(families.map(({ name }) => name)).toEqual(expect.arrayContaining([...found.families]));
    expect((await engine.call("statistics", { type: "histogram" })).rows.length).toBeGreaterThan(3);
    const { files } = await engine.call("export", { directory: dir, formats: ["json", "parquet"], verify: true });
    expect(files.map(({ format }) => format)).toEqual(["json", "parquet"]);
  });

  it("keeps with totals which instances they are made of, and with values in steps that they are no samples", async () => {
    const endMs = Date.now();
    const store = { url: prometheus.url, enabled: true };
    const query: StoreQuery = { store, selectors: ['{job="vllm"}'], startMs: endMs - 60_000, endMs };
    const reopened = async (how: { readonly aggregate: true } | { readonly stepMs: number }) => {
      const [reader, viewer] = [engineInThread(), engineInThread()];
      try {
        await reader.call("fetchStored", { ...query, ...how, sliceDurationSeconds: 5 });
        const directory = path.join(dir, Object.keys(how).join());
        const { files } = await reader.call("export", { directory, formats: ["jsonl"], verify: true });
        await viewer.call("open", { path: files[0]?.path ?? "" });
        return (await viewer.call("describe", {})).header;
      } finally {
        reader.dispose();
        viewer.dispose();
      }
    };
    const totals = await reopened({ aggregate: true });
    expect(totals.totals).toEqual({
      url: prometheus.url,
      selectors: query.selectors,
      startMs: query.startMs,
      endMs,
      instances: [`127.0.0.1:${demo.port}`],
      stepSeconds: 0.5,
    });
    const stepped = await reopened({ stepMs: 1000 });
    expect(stepped.totals).toBeUndefined();
    const about = stepped.problems.filter(({ reason }) => reason.includes("not raw samples but values every 1 s"));
    expect(about).toMatchObject([{ severity: "warning" }]);
  });

  it("words what a store refuses or nobody answers", async () => {
    const endMs = Date.now();
    const query = { selectors: ["{job="], startMs: endMs - 1000, endMs };
    await expect(
      engine.call("findStored", { ...query, store: { url: prometheus.url, enabled: true } }),
    ).rejects.toMatchObject({ code: "store", message: expect.stringContaining("refuses the query") as string });
    await expect(
      engine.call("findStored", { ...query, store: { url: "http://127.0.0.1:9", enabled: true } }),
    ).rejects.toMatchObject({ code: "store", message: expect.stringContaining("refused") as string });
  });
});

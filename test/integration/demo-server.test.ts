import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { DEMO_PROFILES, startDemoServer, type DemoServer, type DemoServerOptions } from "../../src/demo/index.js";
import { until } from "../support/cli.js";
import { readPage, sumOf } from "../support/page.js";
import { missingPrograms } from "../support/stores.js";

const running: DemoServer[] = [];

async function start(options: Partial<DemoServerOptions> = {}): Promise<DemoServer> {
  const server = await startDemoServer({ port: 0, ...options });
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function scrape(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { type: response.headers.get("content-type"), body: await response.text() };
}

describe("the demo server", () => {
  it.each([
    ["vllm", "vllm:num_requests_running"],
    ["sglang", "sglang:num_running_reqs"],
    ["dynamo", "dynamo_component_inflight_requests"],
    ["dynamo", "dynamo_frontend_inflight_requests"],
    ["dynamo", "trtllm_request_success_total"],
  ] as const)("serves %s with %s", async (profile, family) => {
    const { url, port } = await start({ profile });
    expect(url).toBe(`http://127.0.0.1:${port}/metrics`);
    const { type, body } = await scrape(url);
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(readPage(body).samples.map(({ name }) => name)).toContain(family);
  });

  it("serves TensorRT-LLM as JSON at /metrics and as an exposition beside it", async () => {
    const { url } = await start({ profile: "trtllm" });
    const { type, body } = await scrape(url);
    expect(type).toBe("application/json");
    expect(JSON.parse(body)).toMatchObject([{ kvCacheStats: { maxNumBlocks: 2200 } }]);
    const exposition = await scrape(url.replace("/metrics", "/prometheus/metrics"));
    expect(sumOf(readPage(exposition.body), "trtllm:request_success_total")).toBeGreaterThan(0);
  });

  it("goes on in real time, scrape by scrape", async () => {
    const { url } = await start();
    const before = performance.now();
    const cpu = async () => sumOf(readPage((await scrape(url)).body), "process_cpu_seconds_total");
    const first = await cpu();
    let last = first;
    for (let moments = 0; moments < 2; moments++) {
      const than = last;
      await until("a later moment", async () => (last = await cpu()) > than);
    }
    const seconds = (performance.now() - before) / 1000;
    expect(last - first).toBeLessThan(seconds + 0.1);
  });

  it("answers several at once, each with a whole page", async () => {
    const { url } = await start();
    const pages = await Promise.all(Array.from({ length: 8 }, () => scrape(url)));
    for (const { body } of pages) {
      const page = readPage(body);
      expect(sumOf(page, "vllm:e2e_request_latency_seconds_bucket", { le: "+Inf" })).toBe(
        sumOf(page, "vllm:e2e_request_latency_seconds_count"),
      );
      expect(sumOf(page, "vllm:request_success_total")).toBe(sumOf(page, "vllm:e2e_request_latency_seconds_count"));
    }
  });

  it("answers HEAD without a body, and other addresses with where the metrics are", async () => {
    const { url } = await start();
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const missing = await fetch(url.replace("/metrics", "/v1"));
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("/metrics")]);
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
  });

  it("rejects when the port is taken, and frees its own when closed", async () => {
    const { port, url } = await start();
    await expect(startDemoServer({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await running.pop()?.close();
    await expect(fetch(url)).rejects.toThrow();
    const again = await start({ port });
    expect(again.port).toBe(port);
  });
});

const missing = await missingPrograms("promtool");
const checked = `what demo servers expose${missing.length > 0 ? " (not installed: promtool)" : ""}`;
describe.skipIf(missing.length > 0)(checked, () => {
  // `snapshot` is not checked: it prints a list for people, or JSON, and no exposition.
  it.each(DEMO_PROFILES)("is an exposition that promtool reads: %s", async (profile) => {
    const { url } = await start({ profile });
    const { body } = await scrape(profile === "trtllm" ? url.replace("/metrics", "/prometheus/metrics") : url);
    const child = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "ignore", "pipe"] });
    const told = text(child.stderr);
    child.stdin.end(body);
    const [code] = (await once(child, "close")) as [number | null];
    // 1: it cannot be read. 3: it finds fault with names, which are those of the servers that are simulated.
    expect([0, 3], await told).toContain(code);
    expect(await told).not.toContain("error while linting");
  });
});

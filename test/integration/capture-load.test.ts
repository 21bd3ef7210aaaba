import { createServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";

/**
 * A load generator as a program: it needs a while to start, sends its requests, writes its result below the folder it
 * is told, and has an end of its own. Its server answers with what vLLM tells of such requests.
 */
const LOAD = `
const { mkdirSync, writeFileSync } = require("node:fs");
const [url, out, loads = "3"] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  await wait(2500);
  const benchmarks = [];
  for (const users of loads.split(",").map(Number)) {
  if (benchmarks.length > 0) await wait(1500);
  const requests = [];
  const start = Date.now() / 1000;
  const user = async () => {
    for (let i = 0; i < 12; i++) {
      const request_start_time = Date.now() / 1000;
      await (await fetch(url + "/generate")).text();
      const request_end_time = Date.now() / 1000;
      requests.push({ request_start_time, request_end_time, request_latency: request_end_time - request_start_time, output_tokens: 10 });
    }
  };
  await Promise.all(Array.from({ length: users }, user));
  const duration = Date.now() / 1000 - start;
  benchmarks.push({
    duration,
    config: { strategy: { type_: "concurrent", streams: users } },
    metrics: { requests_per_second: {} },
    requests: { successful: requests, errored: [], incomplete: [] },
  });
  }
  mkdirSync(out, { recursive: true });
  writeFileSync(out + "/benchmarks.json", JSON.stringify({ metadata: { version: 1 }, benchmarks }));
  await wait(1500);
})();
`;

describe("a capture around a load generator", () => {
  let folder: string;
  let running = 0;
  let done = 0;
  const server = createServer((request, response) => {
    if (request.url === "/generate") {
      running++;
      setTimeout(() => {
        running--;
        done++;
        response.end("ok");
      }, 400);
      return;
    }
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end(
      [
        "# TYPE vllm:num_requests_running gauge",
        `vllm:num_requests_running ${running}`,
        "# TYPE vllm:request_success counter",
        `vllm:request_success_total ${done}`,
        "# TYPE vllm:generation_tokens counter",
        `vllm:generation_tokens_total ${10 * done}`,
        "",
      ].join("\n"),
    );
  });

  const url = () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return `http://127.0.0.1:${address.port}`;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capture-load-"));
    await writeFile(join(folder, "load.cjs"), LOAD);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it("measures the load alone, by the file that the load generator wrote", async () => {
    const capture = ["capture", url(), "--out", "run", "--summary", "none"];
    const command = ["--", process.execPath, "load.cjs", url(), "results/today", "--output=results/today"];
    const { code, stdout, stderr } = await runCli([...capture, ...command], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/measured: \d+\.\d s of load out of \d+\.\d s captured \(window from GuideLLM/);
    const { metrics, input_config: config } = JSON.parse(
      await readFile(join(folder, "run", "server_metrics_export.json"), "utf8"),
    ) as {
      metrics: Record<string, { series: { stats: { total: number; rate: number } }[] }>;
      input_config: { load_window: { by: string; seconds: number; start_ns: number } };
    };
    const stats = metrics["vllm:request_success"]?.series[0]?.stats;
    const seconds = config.load_window.seconds;
    expect(config.load_window.by).toBe("client");
    expect(stats?.total).toBe(36);
    expect(stats?.rate).toBeCloseTo(36 / seconds, 6);
    // Start-up and tail are in JSONL alone.
    const lines = (await readFile(join(folder, "run", "server_metrics_export.jsonl"), "utf8")).trim().split("\n");
    const times = lines.map((line) => Number(/"timestamp_ns":(\d+)/.exec(line)?.[1]));
    expect(times.filter((time) => time < config.load_window.start_ns).length).toBeGreaterThan(3);
    const whole = await runCli(["show", "run/server_metrics_export.jsonl", "--window", "all", "--json"], {
      cwd: folder,
    });
    const all = JSON.parse(whole.stdout) as { metrics: typeof metrics };
    expect(all.metrics["vllm:request_success"]?.series[0]?.stats.rate).toBeLessThan(0.8 * (stats?.rate ?? 0));
    // The file lies beside the artifacts, for whoever opens them elsewhere.
    expect(await readFile(join(folder, "run", "benchmarks.json"), "utf8")).toBe(
      await readFile(join(folder, "results", "today", "benchmarks.json"), "utf8"),
    );
    expect(JSON.parse(whole.stdout)).toHaveProperty(["metrics", "client:requests"]);
  });

  it("has a phase for each load of a file that only the working directory leads to", async () => {
    const capture = ["capture", url(), "--out", "steps", "--summary", "none"];
    const command = ["--", process.execPath, "load.cjs", url(), "results/steps", "2,4"];
    const { code, stdout, stderr } = await runCli([...capture, ...command], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/measured: \d+\.\d s of load out of \d+\.\d s captured \(window from GuideLLM/);
    for (const [phase, requests] of [
      ["concurrent_2", 24],
      ["concurrent_4", 48],
    ] as const) {
      const shown = await runCli(["show", "steps/server_metrics_export.jsonl", "--phase", phase, "--json"], {
        cwd: folder,
      });
      const { metrics } = JSON.parse(shown.stdout) as {
        metrics: Record<string, { series: { stats: { total: number } }[] }>;
      };
      expect(metrics["vllm:request_success"]?.series[0]?.stats.total).toBe(requests);
    }
  });
});

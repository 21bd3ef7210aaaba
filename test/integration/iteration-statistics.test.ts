import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IterationStatistics, NoStatisticsError } from "../../src/collect/live-source.js";
import { formatOfContentType, ExpositionParser } from "../../src/core/exposition/index.js";
import { runCli, startCli, until } from "../support/cli.js";
import { TrtllmServer, type Iteration } from "../support/trtllm-server.js";

let folder: string;
let server: TrtllmServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-iterations-"));
  server = await TrtllmServer.start();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const iteration = (iter: number, more: Partial<Iteration> = {}): Iteration => ({
  iter,
  iterLatencyMS: 20,
  numActiveRequests: iter,
  numCompletedRequests: 1,
  usedNumBlocks: 25,
  reusedBlocks: 4 * iter,
  ...more,
});

interface Summary {
  readonly input_config: { readonly iteration_statistics?: readonly string[] };
  readonly metrics: Record<string, { type: string; series: { stats: Record<string, number> }[] }>;
}

describe("TensorRT-LLM's iteration statistics", () => {
  it("are recorded where they are asked for, and no record is lost though the server's queue is empty after each reading", async () => {
    const before = 3;
    for (let iter = 1; iter <= before; iter++) server.iterate(iteration(iter));
    const out = join(folder, "run");
    const cli = startCli(
      ["capture", "--iteration-stats", server.origin, "--interval", "20ms", "--duration", "60", "--out", out],
      { env: { XDG_CACHE_HOME: folder } },
    );
    // The baseline has taken what was queued before; what comes from now on belongs to the capture.
    await until("the baseline", () => server.taken.length === before && cli.stderrSoFar().includes("reachable"));
    const during = 40;
    for (let iter = before + 1; iter <= before + during; iter++) {
      server.iterate(iteration(iter, { iterLatencyMS: iter % 2 === 0 ? 20 : 40 }));
      const readings = server.asked.length;
      if (iter % 8 === 0) await until("a reading", () => server.asked.length > readings + 1);
    }
    await until("the last record", () => server.taken.length === before + during);
    cli.child.kill("SIGINT");
    const { code, stderr } = await cli.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("takes them away from all other readers");
    // Beside these it is only asked what it is (docs/settings.md, `servers`): no other queue is emptied.
    const others = server.asked.filter((one) => one.startsWith("GET") && one !== "GET /metrics");
    expect(new Set(others)).toEqual(new Set(["GET /version", "GET /v1/models"]));

    const { metrics, input_config } = JSON.parse(
      await readFile(join(out, "server_metrics_export.json"), "utf8"),
    ) as Summary;
    const stats = (name: string) => metrics[name]?.series[0]?.stats ?? {};
    expect(input_config.iteration_statistics).toEqual([`${server.origin}/metrics`]);
    expect(stats("trtllm:iterations")["total"]).toBe(during);
    expect(stats("trtllm:iterations_skipped")["total"]).toBe(0);
    expect(stats("trtllm:num_requests_completed")["total"]).toBe(during);
    expect(stats("trtllm:kv_cache_reused_blocks")["total"]).toBe(4 * during);
    expect(stats("trtllm:kv_cache_iter_reused_blocks")["total"]).toBe(4 * during);
    expect(stats("trtllm:spec_decode_num_accepted_tokens")["total"]).toBe(15 * during);
    expect(stats("trtllm:iteration_duration_seconds")["count"]).toBe(during);
    expect(stats("trtllm:iteration_duration_seconds")["sum"]).toBeCloseTo(1.2, 9);
    expect(stats("trtllm:num_requests_running")["max"]).toBe(before + during);
    expect(stats("trtllm:kv_cache_utilization")["avg"]).toBeCloseTo(0.25, 12);
    expect(stats("trtllm:num_requests_waiting")["avg"]).toBe(3);
  });

  it("are not read unless they are asked for, and the message says how", async () => {
    server.iterate(iteration(1));
    const { code, stderr } = await runCli(
      ["capture", "--url", server.origin, "--duration", "0.1", "--out", join(folder, "none")],
      { env: { XDG_CACHE_HOME: folder } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain("--iteration-stats");
    expect(stderr).toContain("takes them away from all other readers");
  });

  it("name what is wrong with an endpoint that answers something else", async () => {
    const { stderr, code } = await runCli(
      [
        "capture",
        "--iteration-stats",
        `${server.origin}/perf_metrics/metrics`,
        "--duration",
        "0.1",
        "--out",
        join(folder, "wrong"),
      ],
      { env: { XDG_CACHE_HOME: folder } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain("HTTP 404");
  });
});

describe("the translation of iteration statistics", () => {
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));

  it("gives every number of a record a family, also one that it does not know", () => {
    const statistics = new IterationStatistics();
    const body = statistics.translate(
      text([{ iter: 7, newSection: { someNewFieldMS: 4 }, futureField: 5, list: [1] }]),
    );
    expect(body).toContain("trtllm:some_new_field_ms 4\n");
    expect(body).toContain("trtllm:future_field 5\n");
    const batch = new ExpositionParser().parse(Buffer.from(body), formatOfContentType("text/plain"));
    expect(batch.length).toBeGreaterThan(10);
  });

  it("keeps counters without a record, and has no gauges then", () => {
    const statistics = new IterationStatistics();
    statistics.translate(text([{ iter: 1, numActiveRequests: 2, numCompletedRequests: 1 }]));
    const empty = statistics.translate(text([]));
    expect(empty).toContain("trtllm:num_requests_completed_total 1\n");
    expect(empty).not.toContain("num_requests_running");
  });

  it("counts the numbers that are missing, and takes a smaller one for a new start", () => {
    const statistics = new IterationStatistics();
    statistics.translate(text([{ iter: 10 }, { iter: 12 }]));
    expect(statistics.translate(text([{ iter: 15 }]))).toContain("trtllm:iterations_skipped_total 3\n");
    expect(statistics.translate(text([{ iter: 1 }, { iter: 2 }]))).toContain("trtllm:iterations_skipped_total 3\n");
  });

  it.each([
    ["<html>", "it is not JSON"],
    ["{}", "it is not a JSON list"],
    ["[1]", "something other than records"],
    ['[{"request_id":1}]', "not of iterations"],
  ])("refuses %s", (body, why) => {
    const translate = () => new IterationStatistics().translate(Buffer.from(body));
    expect(translate).toThrow(NoStatisticsError);
    expect(translate).toThrow(why);
  });
});

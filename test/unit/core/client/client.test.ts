import { describe, expect, it } from "vitest";
import {
  addClientSeries,
  aiperfResult,
  clientServerSteps,
  isClientFile,
  placed,
  readAiperfRecord,
  readClientJson,
  slicesOfRows,
  statisticsOfRequests,
  type ClientResult,
} from "../../../../src/core/client/index.js";
import { shareClass } from "../../../../src/core/client/client-server.js";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import {
  aiperfRecords,
  aiperfSummary,
  guideLlm,
  latencyOf,
  meanOf,
  serverRun,
  simulatedRequests,
  vllmBench,
} from "../../../support/client-run.js";
import { ORIGIN, SECOND } from "../../../support/run-builder.js";

const REQUESTS = [...simulatedRequests(), { start: 3, ttft: 0.2, gap: 0.01, tokens: 10, failed: true }];
const SERVED = REQUESTS.filter((request) => !("failed" in request));
const frame = { start: ORIGIN, end: epochNs(ORIGIN + BigInt(60 * SECOND)) };

function recordsOf(text: string): ClientResult {
  const lines = text.split("\n").filter((line) => line !== "");
  return aiperfResult(
    lines.flatMap((line) => readAiperfRecord(line) ?? []),
    undefined,
    undefined,
  );
}

function resultOf(file: object): ClientResult {
  const read = readClientJson(JSON.stringify(file));
  if (read.kind !== "results" || read.results[0] === undefined) throw new Error(read.kind);
  return placed(read.results[0], { frame, zoneSeconds: 0 });
}

const TOOLS: readonly (readonly [string, () => ClientResult, number])[] = [
  ["AIPerf", () => recordsOf(aiperfRecords(REQUESTS)), 1e-6],
  // Its clock is known to the second.
  ["vLLM bench", () => resultOf(vllmBench(REQUESTS)), 1],
  ["GuideLLM", () => resultOf(guideLlm(REQUESTS)), 1e-6],
];

describe.each(TOOLS)("requests of %s", (tool, read, clock) => {
  const result = read();

  it("are all there, the failed one too, with their times", () => {
    expect(result.tool).toBe(tool);
    expect(result.requests).toHaveLength(REQUESTS.length);
    expect(result.requests.filter(({ outcome }) => outcome === "failed")).toHaveLength(1);
    const first = result.requests.reduce((a, b) => (b.start < a.start ? b : a));
    expect(Math.abs(Number(first.start - ORIGIN) / SECOND - 1)).toBeLessThanOrEqual(clock);
  });

  it("give exact statistics in seconds", () => {
    const metrics = new Map(statisticsOfRequests(result.requests).map(({ family, stats }) => [family, stats]));
    const ttfts = SERVED.map(({ ttft }) => ttft).sort((a, b) => a - b);
    expect(metrics.get("client:time_to_first_token_seconds")).toMatchObject({
      count: SERVED.length,
      avg: expect.closeTo(meanOf(ttfts), 6) as number,
      max: expect.closeTo(ttfts.at(-1) ?? 0, 6) as number,
    });
    expect(metrics.get("client:request_latency_seconds")?.avg).toBeCloseTo(meanOf(SERVED.map(latencyOf)), 6);
    expect(metrics.get("client:inter_token_latency_seconds")?.avg).toBeCloseTo(meanOf(SERVED.map(({ gap }) => gap)), 6);
  });

  it("are series beside the server's, from which the difference is computed", () => {
    const run = serverRun(REQUESTS, 0.02);
    addClientSeries(run.store, [result], frame);
    const rows = new Map(complete(clientServerSteps(run)).map((row) => [row.metric, row]));
    const ttft = meanOf(SERVED.map((request) => request.ttft));
    expect(rows.get("ttft")?.share).toBeCloseTo(0.02 / ttft, 3);
    expect(rows.get("ttft")?.shareClass).toBe("10-25 %");
    expect(rows.get("e2e-latency")?.difference).toBeCloseTo(0.02, 3);
    // The server counts each gap, so the client's mean is weighted alike.
    expect(rows.get("inter-token-latency")?.share).toBeCloseTo(0, 3);
  });
});

describe("client files", () => {
  it("are recognised by their content", () => {
    expect(isClientFile(aiperfRecords(REQUESTS))).toBe(true);
    for (const file of [aiperfSummary(REQUESTS), vllmBench(REQUESTS), guideLlm(REQUESTS)]) {
      expect(isClientFile(JSON.stringify(file))).toBe(true);
      expect(isClientFile(JSON.stringify(file, undefined, 2))).toBe(true);
    }
    expect(
      isClientFile(`{"metadata":{"aggregation_type":"confidence"},"metrics":{"request_latency":{"unit":"ms"}}}`),
    ).toBe(false);
    expect(isClientFile(`{"schema_version":"1.0","aiperf_version":"1","metrics":{"vllm:x":{"unit":"s"}}}`)).toBe(false);
  });

  it("of time slices say the same as CSV and as JSON", () => {
    const rows = [
      ["0", "Time to First Token", "ms", "avg", "120.50"],
      ["0", "Output Token Throughput", "tokens/sec", "avg", "400.00"],
      ["2", "Time to First Token", "ms", "avg", "130.00"],
      ["2", "Time to First Token", "ms", "p99", "200.00"],
    ];
    const json = {
      timeslices: [
        {
          timeslice_index: 0,
          time_to_first_token: { unit: "ms", avg: 120.5 },
          output_token_throughput: { unit: "tokens/sec", avg: 400 },
        },
        { timeslice_index: 2, time_to_first_token: { unit: "ms", avg: 130, p99: 200 } },
      ],
    };
    expect(slicesOfRows(rows)).toEqual(json);
    const read = readClientJson(JSON.stringify(aiperfSummary(REQUESTS)));
    if (read.kind !== "aiperf-summary") throw new Error(read.kind);
    expect(aiperfResult([], read, slicesOfRows(rows)).slices).toEqual({
      seconds: 5,
      slices: [
        {
          index: 0,
          metrics: [
            { family: "client:time_to_first_token_seconds", stats: { avg: 0.1205 } },
            { family: "client:output_token_throughput_per_second", stats: { avg: 400 } },
          ],
        },
        { index: 2, metrics: [{ family: "client:time_to_first_token_seconds", stats: { avg: 0.13, p99: 0.2 } }] },
      ],
    });
  });

  it("hold several results where vllm bench appended them", () => {
    const lines = [1, 2].map(() => JSON.stringify(vllmBench(REQUESTS))).join("\n");
    const read = readClientJson(`${lines}\n`);
    expect(read.kind === "results" ? read.results.length : 0).toBe(2);
  });

  it("say what was expected of another JSON, and of a line without a request", () => {
    expect(() => readClientJson(`{"a": 1}`)).toThrow(/GuideLLM's benchmarks.json/);
    expect(() => readAiperfRecord(`{"metadata": {}}`)).toThrow(/request_start_ns/);
  });

  it("of a time in an unknown zone take the zone in which they lie in the run", () => {
    const read = readClientJson(JSON.stringify(vllmBench(REQUESTS, 5.5)));
    const [result] = read.kind === "results" ? read.results : [];
    if (result === undefined) throw new Error("no result");
    const first = placed(result, { frame, zoneSeconds: -3600 }).requests[0];
    expect(Math.abs(Number((first?.start ?? 0n) - ORIGIN) / SECOND - 1)).toBeLessThanOrEqual(1);
  });

  it("without requests give the statistics that the tool wrote, distinguished by a label", () => {
    const read = readClientJson(JSON.stringify(aiperfSummary(REQUESTS, { concurrency: 16 })));
    if (read.kind !== "aiperf-summary") throw new Error(read.kind);
    expect(read.result).toMatchObject({ concurrency: 16, model: "sample/model", label: "concurrency_16" });
    const run = serverRun(REQUESTS, 0.02);
    addClientSeries(run.store, [aiperfResult([], read, undefined)], frame);
    const { families } = complete(runStatistics(run, { unitOf: familyUnit }));
    const latency = families.find(({ name }) => name === "client:request_latency_seconds");
    expect(latency?.series.map(({ labels }) => labels[0]?.[1]).sort()).toEqual([
      "avg",
      "max",
      "min",
      "p50",
      "p99",
      "std",
    ]);
    expect(complete(clientServerSteps(run)).find(({ metric }) => metric === "e2e-latency")?.difference).toBeDefined();
  });
});

describe("what lies between client and server", () => {
  it.each([
    [-0.001, "negative"],
    [0, "< 2 %"],
    [0.0199, "< 2 %"],
    [0.02, "2-10 %"],
    [0.1, "10-25 %"],
    [0.25, "25-50 %"],
    [0.5, "25-50 %"],
    [0.501, "> 50 %"],
  ])("is a share %d of the client's, which is called %s", (share, called) => {
    expect(shareClass(share)).toBe(called);
  });

  it("is said to be negative where the server's average is above the client's", () => {
    const run = serverRun(REQUESTS, -0.05);
    addClientSeries(run.store, [recordsOf(aiperfRecords(REQUESTS))], frame);
    const row = complete(clientServerSteps(run)).find(({ metric }) => metric === "ttft");
    expect(row?.shareClass).toBe("negative");
    expect(row?.note).toMatch(/below the server's/);
  });

  it("counts only the time in which the client had requests", () => {
    const others = simulatedRequests({ slower: 0.5 }).map((request) => ({ ...request, start: request.start + 60 }));
    const run = serverRun([...REQUESTS, ...others], 0.02);
    addClientSeries(run.store, [recordsOf(aiperfRecords(REQUESTS))], frame);
    const row = complete(clientServerSteps(run)).find(({ metric }) => metric === "ttft");
    expect(row?.difference).toBeCloseTo(0.02, 6);
    expect(row?.serverCount).toBe(SERVED.length);
  });

  it("counts requests in flight over time, not over requests", () => {
    const requests = recordsOf(aiperfRecords(REQUESTS)).requests;
    const span = Math.max(...REQUESTS.map((request) => request.start + latencyOf(request))) - 1;
    const busy = REQUESTS.reduce((sum, request) => sum + latencyOf(request), 0);
    const concurrency = statisticsOfRequests(requests).find(({ family }) => family === "client:concurrency_requests");
    expect(concurrency?.stats.avg).toBeCloseTo(busy / span, 6);
    const run = serverRun(REQUESTS, 0.02);
    addClientSeries(run.store, [recordsOf(aiperfRecords(REQUESTS))], frame);
    const charted = complete(runStatistics(run, { unitOf: familyUnit }))
      .families.find(({ name }) => name === "client:concurrency_requests")
      ?.series.flatMap((series) => (series.kind === "gauge" ? [series.stats] : []))[0];
    expect(charted?.avg).toBeCloseTo(busy / span, 2);
    expect(charted?.max).toBe(concurrency?.stats.max);
  });
});

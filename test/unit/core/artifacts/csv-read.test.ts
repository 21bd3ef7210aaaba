import { describe, expect, it } from "vitest";
import {
  CsvArtifactReader,
  readEarlierCsv,
  readEarlierJson,
  writeCsv,
  type ReadStatistics,
} from "../../../../src/core/artifacts/index.js";
import { CsvRows, type CsvRow } from "../../../../src/core/artifacts/csv/cut-rows.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

function read(text: string, chunk = Infinity): ReadStatistics {
  const reader = new CsvArtifactReader();
  for (let at = 0; at < text.length; at += chunk) reader.push(text.slice(at, at + chunk));
  return reader.end();
}

function artifact(): string {
  const builder = new RunBuilder(2);
  for (let i = 0; i < 12; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", labels: { path: 'a,"b"\n', count: "x" }, value: i * 3 },
      { name: "wait_seconds", buckets: { "1": i, "0.5": 0, "+Inf": 2 * i }, sum: -1e-20 * i, count: 2 * i },
      { name: "temp", value: i / 7 },
      { name: "odd", type: "unknown", value: i },
      { name: "app_info", labels: { version: "1", commit: "c" }, value: 1 },
      { name: "app_info", labels: { version: "2", commit: "c" }, value: 1 },
    ]);
  }
  return [
    ...writeCsv(complete(runStatistics(builder.window(1.5, 11).run, { unitOf: () => undefined })), { version: "9" }),
  ].join("");
}

describe("a CSV artifact", () => {
  it.each([Infinity, 1, 5, 1000])("is written again as it was read (chunks of %i characters)", (chunk) => {
    const text = artifact();
    const { statistics, schemaVersion } = read(text, chunk);
    expect([...writeCsv(statistics, { version: "9" })].join("")).toBe(text);
    expect(schemaVersion).toBe("1.0");
    expect(statistics.benchmarkId).toBe("00000000-0000-4000-8000-000000000000");
  });

  it("is safe in a spreadsheet when asked: no cell but a number begins like a formula, and labels come back", () => {
    const values = ["=HYPERLINK(1)", "+1+cmd|x", "-2", "-cmd", "@SUM", "\tx", "'=x", "''+x", "'x", "a\0b"];
    const builder = new RunBuilder(2);
    for (let i = 0; i < 4; i++)
      builder.scrape(i, [
        ...values.map((value) => ({ name: "temp", labels: { value }, value: -i })),
        { name: "wait_seconds", buckets: { "-1": i, "+Inf": 2 * i }, sum: -i, count: 2 * i },
        { name: "app_info", labels: { version: "=1+1" }, value: 1 },
      ]);
    const statistics = complete(runStatistics(builder.window(1, 3).run, { unitOf: () => undefined }));
    const text = [...writeCsv(statistics, { version: "9" }, true)].join("");
    expect(text).toContain("'=HYPERLINK(1)");
    expect(text).toContain(",-2.0000,");
    const formulas: string[] = [];
    const rows = new CsvRows((row) => {
      if (row.kind === "cells")
        formulas.push(...row.cells.filter((cell) => /^[=+@\t-]/.test(cell) && Number.isNaN(Number(cell))));
    });
    rows.push(text);
    rows.end();
    expect(formulas).toEqual([]);
    const plain = [...writeCsv(statistics, { version: "9" })].join("");
    expect([...writeCsv(read(text).statistics, { version: "9" })].join("")).toBe(plain);
    expect(plain).toContain(",=HYPERLINK(1),");
  });

  it("tells a label from a statistic of the same name", () => {
    const jobs = read(artifact()).statistics.families.find(({ name }) => name === "jobs")?.series[0];
    expect(jobs?.labels).toEqual([
      ["count", "x"],
      ["path", 'a,"b"\n'],
    ]);
    expect(jobs?.stats).toMatchObject({ total: 30 });
  });

  it("takes AIPerf's nan for a statistic that is not there", () => {
    const { statistics } = read(
      "# aiperf_version: 0.11.0\n# schema_version: 1.0\nEndpoint,Type,Metric,Unit,avg,min,Description\nh:1,gauge,g,,nan,2.5000,D\n",
    );
    expect(statistics.families).toEqual([
      {
        name: "g",
        type: "gauge",
        description: "D",
        series: [{ kind: "gauge", endpointUrl: "h:1", labels: [], stats: { min: 2.5 } }],
      },
    ]);
  });

  it.each([
    [
      "# benchmark_id: b\nEndpoint,Kind\n",
      "line 2: the header of a section should begin with Endpoint,Type,Metric,Unit",
    ],
    [
      "Endpoint,Type,Metric,Unit,avg,Description\r\nh,gauge,g,,1\r\n",
      "line 2: it has 5 cells, but its section's header has 6",
    ],
    ["Endpoint,Type,Metric,Unit,avg,Description\r\nh,gauge,g,,x,D\r\n", 'line 2: avg is "x", which is not a number'],
    ["Endpoint,Type,Metric,Unit,avg,Description\r\nh,summary,g,,1,D\r\n", 'line 2: "summary" is not a metric type'],
    ['Endpoint,Type,Metric,Unit,avg,Description\r\nh,gauge,"g', "line 2: it breaks off within quotes"],
    ["a,b\n", "line 1: the header of a section"],
    ["# nothing\n", 'it has neither a "# benchmark_id" line nor a section'],
  ])("says what is wrong, and where: %j", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

it("a CSV whose row never ends is refused before it is all held", () => {
  expect(() => read(`Endpoint${",x".repeat(100_000)}`)).toThrow("line 1 has more than 100,000 cells");
});

describe("a damaged CSV", () => {
  const HEAD = "Endpoint,Type,Metric,Unit,avg,Description\r\n";
  const names = (text: string) => read(text).statistics.families.map(({ name }) => name);

  it.each([
    ["within its cells", "h,gauge,b,,2", "it has 5 cells, but its section's header has 6", ["a"]],
    ["within quotes", 'h,gauge,b,,2,"D', "it breaks off within quotes", ["a"]],
    ["within its last cell, perhaps", "h,gauge,b,,2,D", "it has no end, so its last cell may be cut off", ["a", "b"]],
  ])("cut off %s gives what stands before, with the line", (_, last, message, shown) => {
    const text = `${HEAD}h,gauge,a,,1,D\r\n${last}`;
    expect(read(text).problems).toEqual([{ line: 3, message, torn: true }]);
    expect(names(text)).toEqual(shown);
  });

  it("skips rows in the middle that do not fit, and tells each", () => {
    const text = `${HEAD}h,gauge,a,,1,D\r\nh,gauge\r\nh,gauge,b,,x,D\r\nh,gauge,c,,3,D\r\n`;
    expect(names(text)).toEqual(["a", "c"]);
    expect(read(text).problems).toEqual([
      { line: 3, message: "it has 2 cells, but its section's header has 6", torn: false },
      { line: 4, message: 'avg is "x", which is not a number', torn: false },
    ]);
  });

  it("that is whole has nothing to tell", () => {
    expect(read(artifact()).problems).toEqual([]);
  });
});

it("CSV rows are cut alike wherever the text is", () => {
  const text = '# c,"omment\na,"b ""q""\r\n, c",\r\n\r\n"",x\nlast';
  for (const chunk of [1, 2, 3, 100]) {
    const rows: CsvRow[] = [];
    const cutter = new CsvRows((row) => rows.push(row));
    for (let at = 0; at < text.length; at += chunk) cutter.push(text.slice(at, at + chunk));
    cutter.end();
    expect(rows).toEqual([
      { kind: "comment", line: 1, text: '# c,"omment' },
      { kind: "cells", line: 2, cells: ["a", 'b "q"\r\n, c', ""] },
      { kind: "cells", line: 4, cells: [] },
      { kind: "cells", line: 5, cells: ["", "x"] },
      { kind: "cells", line: 6, cells: ["last"] },
    ]);
  }
});

describe("the earlier layout", () => {
  it("of metrics.csv has a section a server", () => {
    const { families, endpointsSuccessful } = readEarlierCsv(
      "## Server: http://a:1/metrics\nMetric,Unit,avg,min\nrunning,requests,2.5,1\n\n## Server: http://b:1/metrics\nMetric,Unit,avg,min\nrunning,requests,3,\n",
    );
    expect(endpointsSuccessful).toEqual(["http://a:1/metrics", "http://b:1/metrics"]);
    expect(families).toMatchObject([
      {
        name: "running",
        type: "unknown",
        unit: "requests",
        series: [{ stats: { avg: 2.5, min: 1 } }, { stats: { avg: 3 } }],
      },
    ]);
  });

  it("of metrics.csv may have its header once, before the servers", () => {
    const { families } = readEarlierCsv(
      "Metric,Unit,Avg,Min,P99\n## Server: http://a:1/metrics\nrunning,requests,2.5,1,4\n## Server: http://b:1/metrics\nrunning,requests,3,,5\n",
    );
    expect(families.map(({ name, unit, series }) => ({ name, unit, series }))).toMatchObject([
      {
        name: "running",
        unit: "requests",
        series: [
          { endpointUrl: "http://a:1/metrics", stats: { avg: 2.5, min: 1, p99: 4 } },
          { endpointUrl: "http://b:1/metrics", stats: { avg: 3, p99: 5 } },
        ],
      },
    ]);
  });

  it("of metrics.csv has rows that describe a server, which are no metrics", () => {
    const described = (server: string, type: string) =>
      `## Server: http://${server}:1/metrics\nProperty,Value\nServer Type,${type}\nHostname,h-${server}\nModel,m-8b\nStart Time,2025-10-01T10:00:00\nEnd Time,2025-10-01T10:01:00\nTotal Scrapes,64\n`;
    const metrics = "Metric,Unit,avg,min\nrunning,requests,2.5,1\n\n";
    const bare =
      "## Server: http://c:1/metrics\nServer Type,sglang\nInstance,8000\nScrapes,12\nMetric,Unit,avg,min\nup,,1,1\n";
    const { families, startNs, endNs } = readEarlierCsv(
      described("a", "vllm") + metrics + described("b", "dynamo") + metrics + bare,
    );
    expect(families.map(({ name }) => name)).toEqual(["running", "up"]);
    expect(families[0]?.series.map(({ labels }) => Object.fromEntries(labels))).toEqual([
      { hostname: "h-a", model_name: "m-8b", server_type: "vllm" },
      { hostname: "h-b", model_name: "m-8b", server_type: "dynamo" },
    ]);
    expect(families[1]?.series.map(({ labels }) => Object.fromEntries(labels))).toEqual([
      { instance: "8000", server_type: "sglang" },
    ]);
    expect([startNs, endNs]).toEqual([1_759_312_800_000_000_000n, 1_759_312_860_000_000_000n]);
  });

  it("of aiperf.json keeps what its metadata say of servers, model and times", () => {
    const server = { server_type: "vllm", hostname: "node-1", instance: "a:1", model: "m-8b" };
    const { startNs, endNs, inputConfig, families, benchmarkId } = readEarlierJson(
      JSON.stringify({
        metadata: { benchmark_id: "b1", model: "m-8b", start_time: "2025-10-01T10:00:00", end_time: 1759312860 },
        server_metrics: {
          endpoints: { "http://a": { servers: { s1: { metadata: server, metrics: { app_uptime_seconds: 5 } } } } },
        },
      }),
    );
    expect([startNs, endNs]).toEqual([1_759_312_800_000_000_000n, 1_759_312_860_000_000_000n]);
    expect([inputConfig, benchmarkId]).toEqual([{ model: "m-8b" }, "b1"]);
    // What a file has is shown, also families that a capture leaves out.
    expect(families).toMatchObject([
      {
        name: "app_uptime_seconds",
        series: [
          {
            labels: [
              ["hostname", "node-1"],
              ["instance", "a:1"],
              ["model_name", "m-8b"],
              ["server", "s1"],
              ["server_type", "vllm"],
            ],
          },
        ],
      },
    ]);
  });

  it("of aiperf.json keeps model, times, and what names a server", () => {
    const { startNs, endNs, inputConfig, endpointsSuccessful, families } = readEarlierJson(
      JSON.stringify({
        model: "m-8b",
        start_time: "2025-10-01T10:00:00.5",
        end_time: "2025-10-01T10:01:00",
        server_metrics: {
          endpoints: {
            "http://a": {
              servers: {
                s1: { instance: "a:1", server_type: "vllm", metrics: { running: { avg: 2 } } },
                s2: { instance: "a:2", server_type: "vllm", metrics: { running: { avg: 7 } } },
              },
            },
          },
        },
      }),
    );
    expect([startNs, endNs]).toEqual([1_759_312_800_500_000_000n, 1_759_312_860_000_000_000n]);
    expect([inputConfig, endpointsSuccessful]).toEqual([{ model: "m-8b" }, ["http://a"]]);
    expect(families).toMatchObject([
      {
        name: "running",
        series: [
          {
            labels: [
              ["instance", "a:1"],
              ["server", "s1"],
              ["server_type", "vllm"],
            ],
            stats: { avg: 2 },
          },
          {
            labels: [
              ["instance", "a:2"],
              ["server", "s2"],
              ["server_type", "vllm"],
            ],
            stats: { avg: 7 },
          },
        ],
      },
    ]);
  });

  it("of aiperf.json has metrics by endpoint and server", () => {
    const metrics = { running: { unit: "requests", mean: 2, p99: 4 }, ready: 1 };
    const text = JSON.stringify({
      llm_metrics: {},
      server_metrics: { endpoints: { "http://a": { servers: { s1: { metrics } } } } },
      input_config: { a: 1 },
    });
    const { families, inputConfig } = readEarlierJson(text);
    expect(inputConfig).toEqual({ a: 1 });
    expect(families).toMatchObject([
      { name: "ready", series: [{ endpointUrl: "http://a", labels: [["server", "s1"]], stats: { avg: 1 } }] },
      { name: "running", unit: "requests", series: [{ stats: { avg: 2, p99: 4 } }] },
    ]);
    expect(() => readEarlierJson('{"server_metrics":{}}')).toThrow('no "server_metrics" with "endpoints"');
  });
});

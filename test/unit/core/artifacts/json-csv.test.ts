import { describe, expect, it } from "vitest";
import {
  artifactName,
  decimals4,
  isoTime,
  jsonText,
  writeCsv,
  writeJson,
} from "../../../../src/core/artifacts/index.js";
import { epochNs, type RunStatistics } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { csvRecords } from "../../../support/compare-csv.js";
import { RunBuilder } from "../../../support/run-builder.js";

const about = { version: "9.9.9" };

function statistics(): RunStatistics {
  const builder = new RunBuilder(5).window(0, 10);
  for (let i = 0; i <= 10; i++) {
    builder.scrape(i, [
      { name: "g", labels: { b: "1", "10": "ten", "9": "nine" }, value: i },
      { name: "h", buckets: { "10": i, "2": i, "+Inf": i }, sum: i, count: i },
      { name: "build_info", labels: { commit: 'a"b,c', line: "one\r\ntwo" }, value: 1 },
    ]);
  }
  return complete(runStatistics(builder.run, { unitOf: ({ name }) => (name === "g" ? "ratio" : undefined) }));
}

describe("the JSON artifact", () => {
  const text = [...writeJson(statistics(), about)].join("");

  it("is JSON whose members stand in the reference's order", () => {
    const document = JSON.parse(text) as { metrics: Record<string, object> };
    expect(Object.keys(document)).toEqual([
      "schema_version",
      "exporter",
      "benchmark_id",
      "summary",
      "metrics_phase",
      "metrics",
      "input_config",
    ]);
    expect(Object.keys(document.metrics["g"] ?? {})).toEqual(["type", "description", "unit", "series"]);
    expect(Object.keys(document.metrics["h"] ?? {})).toEqual(["type", "description", "series"]);
  });

  it("keeps the order of labels and bounds that look like integers", () => {
    expect(text).toMatch(/"labels": \{\s+"10": "ten",\s+"9": "nine",\s+"b": "1"\s+\}/);
    expect(text).toMatch(/"buckets": \{\s+"2": 10,\s+"10": 10,\s+"\+Inf": 10\s+\}/);
  });

  it("leaves out what is absent, and writes nanoseconds digit by digit", () => {
    expect(text).not.toContain("null");
    expect(text).not.toContain('is_complete": true');
    expect(text).toContain('"first_fetch_ns": 1765000000000000001');
  });

  it("is whole without a single metric", () => {
    const empty = JSON.parse([...writeJson({ ...statistics(), families: [], endpointInfo: [] }, about)].join("")) as {
      metrics: object;
    };
    expect(empty.metrics).toEqual({});
  });

  it("rounds times to microseconds and says their offset", () => {
    expect(isoTime(epochNs(1_765_000_003_223_456_789n))).toBe("2025-12-06T05:46:43.223457+00:00");
    expect(isoTime(epochNs(1_765_000_003_999_999_500n))).toBe("2025-12-06T05:46:44.000000+00:00");
  });

  it("escapes what must be", () => {
    expect(jsonText({ 'a"\u2028': "\u0000\\" })).toBe('{\n  "a\\"\u2028": "\\u0000\\\\"\n}');
  });
});

describe("the CSV artifact", () => {
  const text = [...writeCsv(statistics(), about)].join("");

  it("has comments in LF and rows in CRLF, a section a type with its own columns", () => {
    expect(
      text.startsWith(
        "# Server Metrics Export (CSV)\n# server_metrics_version: 9.9.9\n# schema_version: 1.0\n# benchmark_id: ",
      ),
    ).toBe(true);
    const records = csvRecords(text.replace(/^(#[^\n]*\n)+/, ""));
    expect(records.map((cells) => cells.length)).toEqual([21, 21, 1, 20, 20, 1, 5, 5, 5]);
    expect(records[0]?.slice(-5)).toEqual(["p99", "10", "9", "b", "Description"]);
    expect(records.slice(-2).map((cells) => cells.slice(1, 4))).toEqual([
      ["build_info", "commit", 'a"b,c'],
      ["build_info", "line", "one\r\ntwo"],
    ]);
  });

  it("rounds to four decimals as Python does: exact ties to even", () => {
    // From Python's f"{x:.4f}".
    const cases: readonly (readonly [number, string])[] = [
      [0.03125, "0.0312"],
      [0.09375, "0.0938"],
      [-0.03125, "-0.0312"],
      [1.00005, "1.0001"],
      [2.5, "2.5000"],
      [1e15 + 0.3, "1000000000000000.2500"],
      [0.00004999, "0.0000"],
      [123456.78905, "123456.7891"],
      [7191527168, "7191527168.0000"],
      [1e21, "1000000000000000000000.0000"],
    ];
    for (const [value, written] of cases) expect(decimals4(value)).toBe(written);
    expect(decimals4(NaN)).toBe("");
  });
});

describe("the name of an artifact", () => {
  it("has the prefix without an extension it may carry", () => {
    expect(artifactName("csv")).toBe("server_metrics_export.csv");
    expect(artifactName("parquet", "run7.JSON")).toBe("run7_server_metrics.parquet");
    expect(artifactName("json", "v1.2")).toBe("v1.2_server_metrics.json");
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { rowNames } from "../../../src/core/compare/report/formats.js";
import { table, type RichText } from "../../../src/core/text/index.js";
import { documentText } from "../../../src/cli/print/document.js";

describe("a document in a terminal", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("keeps the names of metrics whole above their rows, whatever room there is", () => {
    vi.stubEnv("COLUMNS", "100");
    const name = "vllm:request_time_per_output_token_seconds";
    const figures = ["63.2 ms", "849 ms", "×13", "[+505 %, ×21]", "no evidence"];
    const rows = [
      [rowNames("Time per output token", name), "p50", ...figures],
      [rowNames("Time per output token", name), "p99", ...figures],
      [rowNames(undefined, "own:queue_depth"), "avg", ...figures],
    ];
    const heads = ["Metric", "", "Baseline", "Candidate", "Difference", "95 % interval", "Verdict"];
    const lines = documentText([table<RichText>(heads, rows, [2, 3, 4, 5])]).split("\n");
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
      "Metric",
      `Time per output token · ${name}`,
      "p50",
      "p99",
      "own:queue_depth",
      "avg",
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });
});

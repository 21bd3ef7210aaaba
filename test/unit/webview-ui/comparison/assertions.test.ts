import { describe, expect, it } from "vitest";
import { checkAssertion, parseWithPatterns } from "../../../../src/core/compare/index.js";
import { comparedThresholds, type ComparedChecks } from "../../../../webview-ui/comparison/charts/assertions.js";

const TTFT = "vllm:time_to_first_token_seconds";

/** Runs with this p99 and average of a latency, checked against assertions. */
function checks(
  assertions: readonly string[],
  ...runs: readonly (readonly [label: string, p99: number, avg: number])[]
): ComparedChecks {
  return runs.map(([label, p99, avg]) => {
    const series = [
      {
        kind: "histogram" as const,
        endpointUrl: "http://a",
        labels: [],
        stats: { count: 1, sum: avg, avg, count_rate: 1, sum_rate: 1, p99_estimate: p99 },
      },
    ];
    return {
      label,
      results: assertions.map((text) =>
        checkAssertion(parseWithPatterns(text), {
          families: [{ name: TTFT, description: "", type: "histogram", unit: "seconds", series }],
        }),
      ),
    };
  });
}

describe("limits in charts of compared runs", () => {
  const row = { family: TTFT, type: "histogram", quantity: "p99" } as const;
  const both = checks(
    [`${TTFT} p99_estimate < 1`, `${TTFT} avg < 2`, "other avg < 1"],
    ["small", 5, 1],
    ["large", 0.5, 1],
  );

  it("are drawn once, and say which runs break them", () => {
    expect(comparedThresholds(both, row, "p99")).toEqual([
      { value: 1, text: "failed in small: p99 < 1 s", failed: true },
    ]);
    expect(comparedThresholds(both, row, "avg")).toEqual([{ value: 2, text: "avg < 2 s", failed: false }]);
  });

  it("are those of the quantity that is drawn, and of the family under any of its names", () => {
    expect(comparedThresholds(both, row, "p50")).toEqual([]);
    expect(comparedThresholds(both, { ...row, family: "other" }, "p99")).toEqual([]);
    expect(comparedThresholds(both, { ...row, family: "canonical", names: ["x", TTFT] }, "p99")).toHaveLength(1);
    expect(comparedThresholds(both, { ...row, quantity: "ratio" }, "p99")).toEqual([]);
  });
});

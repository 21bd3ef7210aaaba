import { describe, expect, it } from "vitest";
import { checkAssertion, parseWithPatterns } from "../../../../src/core/compare/index.js";
import { boundText, type HistogramResult } from "../../../../src/core/model/index.js";

/** Of 100 observations 90 lie at or below 10 s, and ten above the last bound. */
const stored: HistogramResult = {
  kind: "histogram",
  endpointUrl: "http://a:1/metrics",
  labels: [],
  stats: { count: 100, sum: 700, p50_estimate: 5, p99_estimate: 17 },
  buckets: [
    [boundText("1"), 10],
    [boundText("10"), 90],
    [boundText("+Inf"), 100],
  ],
};

function outcome(text: string, series: readonly HistogramResult[] = [stored]) {
  const families = [{ name: "f", description: "", type: "histogram" as const, series }];
  const { passed, undecided } = checkAssertion(parseWithPatterns(text), { families });
  return undecided === true ? "undecided" : passed ? "passed" : "failed";
}

describe("an assertion about what lies beyond the last bucket", () => {
  it.each([
    ["f p99_estimate < 20", "undecided"],
    ["f p99_estimate < 10", "failed"],
    ["f p99_estimate <= 5", "failed"],
    ["f p99_estimate > 9", "passed"],
    ["f p99_estimate > 20", "undecided"],
    ["f p99_estimate == 5", "failed"],
    ["f p99_estimate != 17", "undecided"],
    ["f p50_estimate < 20", "passed"],
    ["f share_below(20) > 0.95", "undecided"],
    ["f share_below(20) > 0.85", "passed"],
    ["f share_below(10) > 0.95", "failed"],
  ])("%s is %s", (text, expected) => expect(outcome(text)).toBe(expected));

  it("is undecided over several series only where none decides it", () => {
    const fast: HistogramResult = {
      ...stored,
      buckets: [
        [boundText("10"), 100],
        [boundText("+Inf"), 100],
      ],
    };
    const slow: HistogramResult = {
      ...stored,
      buckets: [
        [boundText("30"), 0],
        [boundText("+Inf"), 100],
      ],
    };
    expect(outcome("f p99_estimate < 20", [stored, fast])).toBe("undecided");
    expect(outcome("f p99_estimate < 20", [stored, slow])).toBe("failed");
    expect(outcome("any: f p99_estimate < 20", [stored, { ...fast, stats: { count: 100, p99_estimate: 8 } }])).toBe(
      "passed",
    );
    expect(outcome("any: f p99_estimate < 20", [stored, slow])).toBe("undecided");
  });
});

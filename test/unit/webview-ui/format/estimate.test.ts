import { describe, expect, it } from "vitest";
import { estimateLines, estimateText, intervalText } from "../../../../webview-ui/format/estimate.js";

describe("an estimated quantile", () => {
  it("says its bucket and what histogram_quantile makes of it", () => {
    expect(estimateLines(0.43, { lower: 1.25, upper: 2.5, interval: [1.3, 1.6], linear: 1.41 }, "seconds")).toEqual([
      "90 %: 1.3–1.6 s",
      "between 1.25 and 2.5 s for certain",
      "linear (histogram_quantile) 1.41 s",
    ]);
    expect(estimateText(1.43, { lower: 1.25, upper: 2.5 }, "seconds")).toBe("1.43 s (1.25–2.5 s)");
  });

  it("says at least the last bound beyond it, and marks its number as extrapolated", () => {
    const bounds = { lower: 10, upper: Infinity, interval: [10.5, 15] as const, linear: 10 };
    expect(estimateLines(12.3, bounds, "seconds")).toEqual([
      "90 %: 10.5–15 s",
      "≥ 10 s for certain",
      "rough extrapolation: 12.3 s",
      "linear (histogram_quantile) 10 s",
    ]);
    expect(estimateText(12.3, bounds, "seconds")).toBe("≥ 10 s (rough extrapolation 12.3 s)");
  });

  it("keeps units apart that differ, and says none of a zero", () => {
    expect(intervalText({ lower: 0.5, upper: 1 }, "seconds")).toBe("between 500 ms and 1 s for certain");
    expect(intervalText({ lower: 0, upper: 0.005 }, "seconds")).toBe("between 0 and 5 ms for certain");
    expect(intervalText({ lower: 16, upper: 32 }, "tokens")).toBe("between 16 and 32 tokens for certain");
  });

  it("has words for buckets that are open below, closed to a point, and open on both sides", () => {
    expect(intervalText({ lower: -Infinity, upper: 5 }, undefined)).toBe("≤ 5 for certain");
    expect(intervalText({ lower: 5, upper: 5 }, undefined)).toBe("5 for certain");
    expect(intervalText({ lower: -Infinity, upper: Infinity }, undefined)).toBe(
      "nothing is certain: the only bucket is open",
    );
    expect(estimateText(3, { lower: -Infinity, upper: 5 }, undefined)).toBe("3 (≤ 5)");
  });
});

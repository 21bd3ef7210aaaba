import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import {
  barHeight,
  boundLabels,
  bucketText,
  filledBuckets,
  placeOf,
  bucketLines,
  quantileName,
} from "../../../../webview-ui/histograms/buckets.js";
import { knownText } from "../../../../webview-ui/format/estimate.js";
import { bucketGrid } from "../../../../webview-ui/histograms/heat-grid.js";
import { cellAt, cellLines, heatmapSummary } from "../../../../webview-ui/histograms/heat-cells.js";

const UPPERS = Float64Array.of(0.1, 0.25, 1, Infinity);

describe("buckets of a heatmap", () => {
  it("are named by their bounds with units", () => {
    expect([0, 1, 2, 3].map((row) => bucketText(UPPERS, row, "seconds"))).toEqual([
      "≤ 100 ms",
      "100 ms – 250 ms",
      "250 ms – 1 s",
      "> 1 s",
    ]);
    expect(bucketText([Infinity], 0, "seconds")).toBe("any value");
  });

  it("have as many labels as there is room for, the last bound's always", () => {
    expect(boundLabels(UPPERS, "seconds", 10)).toEqual([
      { at: 1, text: "100 ms" },
      { at: 2, text: "250 ms" },
      { at: 3, text: "1 s" },
    ]);
    expect(boundLabels(UPPERS, "seconds", 2).map(({ text }) => text)).toEqual(["100 ms", "1 s"]);
    expect(boundLabels(UPPERS, "seconds", 0).map(({ text }) => text)).toEqual(["1 s"]);
    expect(
      boundLabels(
        Float64Array.from({ length: 50 }, (_, i) => i + 1),
        undefined,
        12,
      ).length,
    ).toBeLessThanOrEqual(12);
  });

  it("give a value its place among bars of one width", () => {
    expect([0, 0.05, 0.1, 0.175, 1, 1.01, 99].map((value) => Number(placeOf(value, UPPERS).toFixed(6)))).toEqual([
      0, 0.5, 1, 1.5, 3, 3, 3,
    ]);
  });
});

describe("a distribution", () => {
  it("is drawn from the first to the last bucket with observations, on request by their logarithm", () => {
    expect(filledBuckets([0, 0, 3, 0, 1, 0])).toEqual({ first: 2, end: 5 });
    expect(filledBuckets([0, 0])).toEqual({ first: 0, end: 2 });
    expect([0, 50, 100].map((count) => barHeight(count, 100, false))).toEqual([0, 0.5, 1]);
    expect(barHeight(0, 1e6, true)).toBe(0);
    expect(barHeight(1, 1e6, true)).toBeCloseTo(0.05, 2);
    expect(barHeight(1e6, 1e6, true)).toBe(1);
  });

  it("says quantiles with what is certain", () => {
    expect(quantileName(0.5)).toBe("p50");
    expect(quantileName(0.999)).toBe("p99.9");
    expect(knownText(0.2, { lower: 0.1, upper: 0.25 }, "seconds")).toBe("200 ms (100–250 ms)");
    expect(knownText(13, { lower: 10, upper: Infinity }, "seconds")).toBe("≥ 10 s");
  });

  it("says count and share of a bucket", () => {
    const data = {
      family: "f",
      unit: "seconds",
      uppers: UPPERS,
      counts: Float64Array.of(10, 30, 50, 10),
      quantiles: [],
    };
    expect(bucketLines(data, 1)).toEqual(["100 ms – 250 ms", "30 observations, 30 %", "40 % up to here"]);
  });
});

describe("a heatmap", () => {
  // Two columns of two seconds; four buckets each.
  const data = bucketGrid({
    family: "f",
    unit: "seconds",
    uppers: UPPERS,
    edges: Float64Array.of(10e9, 12e9, 14e9),
    rates: Float64Array.of(0, 5, 1, 0, 0, 0, 1, 8),
  });

  it("finds the cell at a time and a place on the axis of rows", () => {
    const at = (seconds: number, value: number) => cellAt(data, { seconds, value }, 10e9);
    expect(at(1, 0.1)).toEqual({ column: 0, row: 0 });
    expect([at(3, 3.9), at(3, 4)]).toEqual([3, 3].map((row) => ({ column: 1, row })));
    // Part of a zoomed axis may lie beyond the data.
    expect([at(-1, 1), at(5, 1)]).toEqual([undefined, undefined]);
  });

  it("says bucket, rate and time of a cell", () => {
    const lines = cellLines(data, { column: 0, row: 1 }, { profilingStart: offsetNs(10e9), originMs: 0 });
    expect(lines.slice(0, 2)).toEqual(["100 ms – 250 ms", "5 observations/s"]);
    expect(lines[2]).toMatch(/^0 to 2 s · \d\d:\d\d:10\.0$/);
  });

  it("leaves out the buckets far above all observations, unless a number is given", () => {
    const seen = {
      family: "f",
      uppers: UPPERS,
      edges: Float64Array.of(0, 1e9, 2e9),
      rates: Float64Array.of(3, 1, 0, 0, NaN, NaN, NaN, NaN),
    };
    const grid = bucketGrid(seen);
    expect([grid.rows, [...grid.rates]]).toEqual([3, [3, 1, 0, NaN, NaN, NaN]]);
    expect(bucketGrid(seen, 4).rows).toBe(4);
    expect(bucketGrid({ ...seen, rates: new Float64Array(8) }).rows).toBe(4);
  });

  it("has words for those who do not see it", () => {
    expect(heatmapSummary(data)).toBe(
      "Heatmap of 4 buckets over 2 stretches of time. Most observations: > 1 s; in the first third 100 ms – 250 ms, in the last > 1 s.",
    );
  });
});

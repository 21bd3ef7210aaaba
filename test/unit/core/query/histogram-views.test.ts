import { describe, expect, it } from "vitest";
import { distributionData, heatmapData } from "../../../../src/core/query/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { RunBuilder, SECOND } from "../../../support/run-builder.js";

/** Two series of one family: one observes below 1 s in the first half, the other between 1 and 2 s in the second. */
function twoSeries() {
  const builder = new RunBuilder(5).window(0, 40);
  for (let i = 0; i <= 40; i++) {
    const early = Math.min(i, 20) * 3;
    const late = Math.max(0, i - 20) * 2;
    builder.scrape(i, [
      { name: "h_seconds", labels: { k: "early" }, buckets: { "1": early, "2": early, "+Inf": early }, sum: early * 0.5, count: early },
      { name: "h_seconds", labels: { k: "late" }, buckets: { "1": 0, "2": late, "+Inf": late }, sum: late * 1.5, count: late },
    ]);
  }
  return builder.run;
}

describe("heatmapData", () => {
  it("holds every observation once, in the row of its bucket and the column of its time", () => {
    const heatmap = heatmapData(twoSeries(), { family: "h_seconds", maxColumns: 8 });
    const columns = heatmap.edges.length - 1;
    const rows = heatmap.uppers.length;
    expect([columns, [...heatmap.uppers]]).toEqual([8, [1, 2, Infinity]]);
    const seconds = 40 / columns;
    const count = (row: number, from: number, to: number) => {
      let sum = 0;
      for (let c = from; c < to; c++) sum += heatmap.rates[c * rows + row]! * seconds;
      return sum;
    };
    expect(count(0, 0, 4)).toBeCloseTo(60, 9);
    expect(count(0, 4, 8)).toBeCloseTo(0, 9);
    expect(count(1, 4, 8)).toBeCloseTo(40, 9);
    expect(count(1, 0, 4) + count(2, 0, 8)).toBe(0);
    expect(heatmap.unit).toBe("seconds");
  });

  it("says why there is nothing", () => {
    expect(heatmapData(twoSeries(), { family: "other", maxColumns: 8 }).empty?.reason).toMatch(/no histogram/);
  });
});

describe("distributionData", () => {
  it("adds up the buckets of the window with quantiles inside them", () => {
    const run = twoSeries();
    const all = distributionData(run, { family: "h_seconds" });
    expect([...all.counts]).toEqual([60, 40, 0]);
    const p90 = all.quantiles.find(({ q }) => q === 0.9)!;
    expect([p90.lower, p90.upper]).toEqual([1, 2]);
    expect(p90.value).toBeGreaterThanOrEqual(1);
    const start = BigInt(run.store.origin) + BigInt(20 * SECOND);
    const second = distributionData(run, { family: "h_seconds" }, { start: epochNs(start), end: epochNs(start + BigInt(20 * SECOND)), kind: "exact" });
    expect([...second.counts]).toEqual([0, 40, 0]);
  });
});

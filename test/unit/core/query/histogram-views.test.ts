import { describe, expect, it } from "vitest";
import { distributionSteps, heatmapSteps, runEntries, StoredRun } from "../../../../src/core/query/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder, SECOND } from "../../../support/run-builder.js";

/** Two series of one family: one observes below 1 s in the first half, the other between 1 and 2 s in the second. */
function twoSeries() {
  const builder = new RunBuilder(5).window(0, 40);
  for (let i = 0; i <= 40; i++) {
    const early = Math.min(i, 20) * 3;
    const late = Math.max(0, i - 20) * 2;
    builder.scrape(i, [
      {
        name: "h_seconds",
        labels: { k: "early" },
        buckets: { "1": early, "2": early, "+Inf": early },
        sum: early * 0.5,
        count: early,
      },
      {
        name: "h_seconds",
        labels: { k: "late" },
        buckets: { "1": 0, "2": late, "+Inf": late },
        sum: late * 1.5,
        count: late,
      },
    ]);
  }
  return builder.run;
}

describe("heatmapSteps", () => {
  it("holds every observation once, in the row of its bucket and the column of its time", () => {
    const heatmap = complete(heatmapSteps(twoSeries(), { family: "h_seconds", maxColumns: 8 }));
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

  it("knows nothing of a stretch without a scrape, and takes what the next one tells over all of it", () => {
    const builder = new RunBuilder(5).window(0, 60);
    // Two observations a second; no scrape answers from 20 s to 40 s.
    for (let i = 0; i <= 60; i++) {
      if (i > 20 && i < 40) continue;
      builder.scrape(i, [
        { name: "h_seconds", buckets: { "1": i * 2, "2": i * 2, "+Inf": i * 2 }, sum: i, count: i * 2 },
      ]);
    }
    const { rates, edges, uppers } = complete(heatmapSteps(builder.run, { family: "h_seconds", maxColumns: 12 }));
    expect([...edges]).toEqual(Array.from({ length: 13 }, (_, c) => c * 5 * SECOND));
    const lowest = Array.from({ length: 12 }, (_, column) => rates[column * uppers.length]);
    // The column that ends with the first scrape after it, at 40 s, holds the rises of 20 s.
    expect(lowest).toEqual([2, 2, 2, 2, NaN, NaN, NaN, 2, 2, 2, 2, 2]);
  });

  it("says why there is nothing", () => {
    expect(complete(heatmapSteps(twoSeries(), { family: "other", maxColumns: 8 })).empty?.reason).toMatch(
      /not a histogram/,
    );
  });
});

describe("distributionSteps", () => {
  it("adds up the buckets of the window with quantiles inside them", () => {
    const run = twoSeries();
    const all = complete(distributionSteps(run, { family: "h_seconds" }));
    expect([...all.counts]).toEqual([60, 40, 0]);
    const p90 = all.quantiles.find(({ q }) => q === 0.9)!;
    expect([p90.lower, p90.upper]).toEqual([1, 2]);
    expect(p90.value).toBeGreaterThanOrEqual(1);
    const start = BigInt(run.store.origin) + BigInt(20 * SECOND);
    const window = { start: epochNs(start), end: epochNs(start + BigInt(20 * SECOND)), kind: "exact" } as const;
    const second = complete(distributionSteps(run, { family: "h_seconds" }, window));
    // As in tables: the reference is the last scrape before the window.
    expect([...second.counts]).toEqual([3, 40, 0]);
    const results = [...runEntries(run, window)].map((entry) => entry.result());
    expect(results.map((result) => result?.kind === "histogram" && result.stats.count)).toEqual([3, 40]);
  });

  it("has the same buckets and percentiles' buckets from a file's statistics", () => {
    const run = twoSeries();
    const stored = new StoredRun(complete(runStatistics(run, { unitOf: () => undefined })));
    const of = (from: typeof run | StoredRun) => complete(distributionSteps(from, { family: "h_seconds" }));
    expect(of(stored).counts).toEqual(of(run).counts);
    const bounds = (from: typeof run | StoredRun) => of(from).quantiles.map(({ q, lower, upper }) => [q, lower, upper]);
    expect(bounds(stored)).toEqual(bounds(run));
    const heatmap = (from: typeof run | StoredRun) =>
      complete(heatmapSteps(from, { family: "h_seconds", maxColumns: 8 }));
    expect(heatmap(stored)).toEqual({ ...heatmap(run), unit: heatmap(stored).unit });
  });
});

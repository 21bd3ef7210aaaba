import { describe, expect, it } from "vitest";
import { boundText, type HistogramResult } from "../../../../src/core/model/index.js";
import { knownEstimate } from "../../../../src/core/stats/index.js";

const stored = (p99: number | undefined, more: Partial<HistogramResult> = {}): HistogramResult => ({
  kind: "histogram",
  endpointUrl: "http://a:1/metrics",
  labels: [],
  stats: { count: 100, sum: 60, ...(p99 === undefined ? {} : { p99_estimate: p99 }) },
  buckets: [
    [boundText("0.5"), 40],
    [boundText("1"), 99],
    [boundText("2"), 100],
    [boundText("+Inf"), 100],
  ],
  ...more,
});

describe("what is known of a stored percentile", () => {
  it("has no interval of ours around an estimate that is not ours", () => {
    expect(knownEstimate(stored(1.7), "p99_estimate")).toMatchObject({ value: 1.7, interval: [NaN, NaN] });
  });

  it("has the buckets' interval around the buckets' own estimate, also with four decimals", () => {
    const own = knownEstimate(stored(undefined), "p99_estimate");
    expect(own?.interval[0]).toBeLessThan(own?.interval[1] ?? NaN);
    const rounded = Number((own?.value ?? NaN).toFixed(4));
    expect(knownEstimate(stored(rounded), "p99_estimate")?.interval.map(Math.fround)).toEqual(
      own?.interval.map(Math.fround),
    );
  });

  it("has the stored interval, which holds the value", () => {
    const intervals = { p99_interval: [0.8, 0.95] as const };
    expect(knownEstimate(stored(0.9, { intervals }), "p99_estimate")?.interval).toEqual([0.8, 0.95]);
    expect(knownEstimate(stored(0.96, { intervals }), "p99_estimate")?.interval).toEqual([0.8, 0.96]);
  });

  it("lies beyond the last bucket with a single finite bound, too", () => {
    const buckets = [
      [boundText("1"), 50],
      [boundText("+Inf"), 100],
    ] as const;
    expect(knownEstimate(stored(3, { buckets }), "p99_estimate")).toMatchObject({ extrapolated: true, lower: 1 });
  });
});

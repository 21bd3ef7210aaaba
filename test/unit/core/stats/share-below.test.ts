import { describe, expect, it } from "vitest";
import { boundText, PERCENTILES, type BucketCounts } from "../../../../src/core/model/index.js";
import { estimateQuantiles, shareBelow } from "../../../../src/core/stats/index.js";
import { LAYOUTS, normal, simulate } from "../../../support/histogram-simulation.js";

const bounds = (...cells: readonly (readonly [string, number])[]): BucketCounts =>
  cells.map(([bound, count]) => [boundText(bound), count] as const);

describe("the share of observations below a threshold", () => {
  const buckets = bounds(["0.1", 20], ["0.5", 90], ["1.0", 98], ["+Inf", 100]);

  it("is exact at a bound, and between the bounds' shares elsewhere", () => {
    expect(shareBelow({ stats: { count: 100 }, buckets }, 0.5)).toEqual({
      value: 0.9,
      lower: 0.9,
      upper: 0.9,
      interval: [0.9, 0.9],
    });
    expect(shareBelow({ stats: { count: 100 }, buckets }, 0.75)).toMatchObject({
      lower: 0.9,
      upper: 0.98,
    });
    expect(shareBelow({ stats: { count: 100 }, buckets }, 5)).toMatchObject({ lower: 0.98, upper: 1 });
    expect(shareBelow({ stats: { count: 0 }, buckets: [] }, 5).value).toBeNaN();
  });

  it("follows the percentiles inside a bucket, and is as uncertain as they are", () => {
    const stats = { count: 100, p50_estimate: 0.15 };
    const share = shareBelow({ stats, buckets, intervals: { p50_interval: [0.12, 0.2] } }, 0.15);
    expect(share.value).toBeCloseTo(0.5, 9);
    expect(share.interval[0]).toBeGreaterThan(0.2);
    expect(share.interval[0]).toBeLessThan(0.5);
    expect(share.interval[1]).toBeGreaterThan(0.5);
  });

  it("is near the truth, inside its hard bounds, for simulated series", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { sequence, observations } = simulate({
        uppers: LAYOUTS.client,
        draw: (random) => 0.2 * Math.exp(0.7 * normal(random)),
        rate: () => 3,
        intervals: 200,
        seed,
      });
      const estimates = estimateQuantiles(
        sequence,
        PERCENTILES.map((p) => p / 100),
      );
      let running = 0;
      const cumulative: BucketCounts = Array.from(sequence.uppers, (upper, b) => {
        running += (sequence.counts[b] ?? new Float64Array(0)).reduce((sum, n) => sum + n, 0);
        return [boundText(upper === Infinity ? "+Inf" : String(upper)), running] as const;
      });
      const result = {
        stats: {
          count: running,
          ...Object.fromEntries(estimates.map(({ value }, i) => [`p${PERCENTILES[i] ?? 0}_estimate`, value])),
        },
        buckets: cumulative,
        intervals: Object.fromEntries(
          estimates.map(({ interval }, i) => [`p${PERCENTILES[i] ?? 0}_interval`, interval]),
        ),
      };
      for (const threshold of [0.08, 0.17, 0.3, 0.6, 1.4]) {
        const truth = observations.filter((x) => x <= threshold).length / observations.length;
        const { value, lower, upper, interval } = shareBelow(result, threshold);
        expect(truth).toBeGreaterThanOrEqual(lower - 1e-9);
        expect(truth).toBeLessThanOrEqual(upper + 1e-9);
        expect(Math.abs(value - truth)).toBeLessThan(0.03);
        expect(interval[0]).toBeGreaterThanOrEqual(lower - 1e-9);
        expect(interval[1]).toBeLessThanOrEqual(upper + 1e-9);
      }
    }
  });
});

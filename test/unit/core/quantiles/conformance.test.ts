import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeConformance } from "../../../support/conformance.js";
import { readQuantileCases, type QuantileCase } from "../../../support/quantile-conformance.js";
import { mean, relativeError, SCORED } from "../../../support/quantile-errors.js";

describeConformance("quantiles of the conformance series", (directory) => {
  let scored: (QuantileCase & { readonly ours: number[]; readonly aiperf: number[] })[] = [];
  beforeAll(async () => {
    scored = (await readQuantileCases(join(directory, "quantiles"))).map((series) => {
      const errors = (values: readonly number[]) =>
        SCORED.map((_, i) => relativeError(values[i] ?? NaN, series.truth[i] ?? NaN));
      return { ...series, ours: errors(series.estimates.map((e) => e.value)), aiperf: errors(series.reference) };
    });
  });

  it("reads all thirty series, and their errors as published: AIPerf's mean 0.074, worst 0.43", () => {
    expect(scored).toHaveLength(30);
    expect(mean(scored.flatMap((s) => s.aiperf))).toBeCloseTo(0.074, 3);
    expect(Math.max(...scored.flatMap((s) => s.aiperf))).toBeCloseTo(0.43, 2);
  });

  it("is off by at most 2 % on average and 14 % at worst", () => {
    expect(mean(scored.flatMap((s) => s.ours))).toBeLessThanOrEqual(0.02);
    expect(Math.max(...scored.flatMap((s) => s.ours))).toBeLessThanOrEqual(0.14);
  });

  it("is worse than AIPerf by more than 2 points for no family, and better overall", () => {
    for (const family of new Set(scored.map((s) => s.family))) {
      const of = scored.filter((s) => s.family === family);
      expect(mean(of.flatMap((s) => s.ours)) - mean(of.flatMap((s) => s.aiperf)), family).toBeLessThanOrEqual(0.02);
    }
    expect(mean(scored.flatMap((s) => s.ours))).toBeLessThan(0.4 * mean(scored.flatMap((s) => s.aiperf)));
  });

  it("holds the truth in its hard interval", () => {
    for (const { name, estimates, truth } of scored) {
      expect(estimates).toHaveLength(SCORED.length);
      estimates.forEach(({ lower, upper, value }, i) => {
        expect(truth[i], `${name} p${(SCORED[i] ?? 0) * 100}`).toBeGreaterThanOrEqual(lower);
        expect(truth[i], `${name} p${(SCORED[i] ?? 0) * 100}`).toBeLessThanOrEqual(upper);
        expect(value).toBeGreaterThanOrEqual(lower);
        expect(value).toBeLessThanOrEqual(upper);
      });
    }
  });
});

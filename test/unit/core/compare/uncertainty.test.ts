import { describe, expect, it } from "vitest";
import { benjaminiHochberg } from "../../../../src/core/math/index.js";
import {
  betweenRunsDifference,
  errorOfDifference,
  sliceDifference,
  longRunVariance,
} from "../../../../src/core/compare/inference/difference.js";
import { meanInfluence, ratioInfluence } from "../../../../src/core/compare/inference/influence.js";
import { criticalT, twoSidedP } from "../../../../src/core/stats/student.js";
import { ar1, compareTwo } from "../../../support/compare-truth.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

describe("Student's t", () => {
  it("has the quantiles of printed tables", () => {
    for (const [df, t] of [
      [1, 12.706],
      [2, 4.303],
      [5, 2.571],
      [10, 2.228],
      [30, 2.042],
      [120, 1.98],
    ] as const) {
      expect(criticalT(0.95, df)).toBeCloseTo(t, 3);
      expect(twoSidedP(t, df)).toBeCloseTo(0.05, 4);
    }
    expect(criticalT(0.99, 10)).toBeCloseTo(3.169, 3);
  });

  it("is Cauchy's for one degree of freedom, and has tails for any t", () => {
    for (const t of [0.1, 1, 7, 1e6]) expect(twoSidedP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 10);
    expect(twoSidedP(0, 3.7)).toBeCloseTo(1, 10);
    expect(twoSidedP(Infinity, 3.7)).toBe(0);
    expect(twoSidedP(-2.5, 8)).toBe(twoSidedP(2.5, 8));
  });
});

describe("Benjamini-Hochberg", () => {
  it("gives the adjusted values of R's p.adjust, and leaves out what was not tested", () => {
    const p = Float64Array.of(0.01, NaN, 0.04, 0.03, 0.005, 0.9);
    expect(Array.from(benjaminiHochberg(p), (x) => Number(x.toFixed(10)))).toEqual([
      0.025,
      NaN,
      0.05,
      0.05,
      0.025,
      0.9,
    ]);
    expect(benjaminiHochberg(new Float64Array(0))).toHaveLength(0);
  });

  it("keeps the share of false findings", () => {
    const random = seeded(3);
    let falseShare = 0;
    const trials = 400;
    for (let trial = 0; trial < trials; trial++) {
      // Of 60 metrics 40 do not differ.
      const p = Float64Array.from({ length: 60 }, (_, i) => (i < 40 ? random() : random() ** 12));
      const found = Array.from(benjaminiHochberg(p).keys()).filter((i) => (benjaminiHochberg(p)[i] ?? 1) <= 0.05);
      falseShare += found.length === 0 ? 0 : found.filter((i) => i < 40).length / found.length / trials;
    }
    expect(falseShare).toBeLessThan(0.05);
    expect(falseShare).toBeGreaterThan(0.01);
  });
});

describe("the error of a mean of correlated slices", () => {
  /** Share of means of a process around 0 that are called different from 0. */
  const size = (make: (random: () => number) => Float64Array, trials = 600) => {
    const random = seeded(11);
    let alarms = 0;
    for (let i = 0; i < trials; i++) {
      const { mean, varianceOfMean, df } = longRunVariance(make(random));
      alarms += Number(twoSidedP(mean / Math.sqrt(varianceOfMean), df) < 0.05);
    }
    return alarms / trials;
  };

  it.each([0, 0.5, 0.8, 0.9])("cries wolf in about one of twenty AR(1) series with ρ = %s", (rho) => {
    const share = size((random) => ar1(random, 120, rho));
    expect(share).toBeLessThanOrEqual(rho < 0.9 ? 0.06 : 0.075);
    expect(share).toBeGreaterThan(0.01);
  });

  it("holds with noise over slow load, in waves, and for skewed values", () => {
    expect(size((random) => ar1(random, 240, 0.8).map((x) => x + normal(random)))).toBeLessThan(0.08);
    const skewed = (random: () => number) => {
      const other = ar1(random, 240, 0.8);
      return ar1(random, 240, 0.8).map((x, i) => Math.exp(x) - Math.exp(other[i] ?? 0));
    };
    expect(size(skewed)).toBeLessThan(0.06);
    const waves = (random: () => number) => {
      const strength = normal(random);
      return ar1(random, 240, 0.5).map((x, i) => 0.5 * x + 3 * strength * Math.sin((i / 40) * 2 * Math.PI));
    };
    expect(size(waves)).toBeLessThan(0.08);
  });

  it("sees through waves: whole cycles leave the mean well known", () => {
    const random = seeded(2);
    const y = ar1(random, 240, 0.3).map((x, i) => 0.3 * x + 3 * Math.sin((i / 40) * 2 * Math.PI));
    expect(longRunVariance(y).effective).toBeGreaterThan(50);
  });

  it("counts few independent values in a random walk and all of them in noise", () => {
    const random = seeded(5);
    let level = 0;
    expect(longRunVariance(Float64Array.from({ length: 200 }, () => (level += normal(random)))).effective).toBeLessThan(
      10,
    );
    expect(longRunVariance(Float64Array.from({ length: 200 }, () => normal(random))).effective).toBeGreaterThan(100);
  });

  it("knows the theoretical variance of AR(1) on average", () => {
    const random = seeded(9);
    let sum = 0;
    for (let i = 0; i < 300; i++) sum += longRunVariance(ar1(random, 400, 0.6)).varianceOfMean / 300;
    // (1 + ρ) / (1 − ρ) / n
    expect(sum / (4 / 400)).toBeGreaterThan(0.85);
    expect(sum / (4 / 400)).toBeLessThan(1.25);
  });

  it("leaves out gaps, is certain of constants and silent about three values", () => {
    expect(longRunVariance(Float64Array.of(5, 5, NaN, 5, 5, 5))).toMatchObject({ mean: 5, n: 5, varianceOfMean: 0 });
    expect(longRunVariance(Float64Array.of(1, 2, 3)).varianceOfMean).toBeNaN();
    // Values that the past tells exactly must not break the recursion.
    expect(
      longRunVariance(Float64Array.from({ length: 100 }, (_, i) => Math.sin(i / 3))).varianceOfMean,
    ).toBeGreaterThanOrEqual(0);
    expect(longRunVariance(Float64Array.from({ length: 100 }, (_, i) => i)).effective).toBeLessThan(10);
  });

  it("takes a load that both runs went through out of a paired difference", () => {
    const random = seeded(4);
    const load = Float64Array.from({ length: 200 }, (_, i) => 10 * Math.sin(i / 15));
    const [a, b] = [load.map((x) => x + normal(random)), load.map((x) => x + normal(random))];
    expect(errorOfDifference(a, b, true).se).toBeLessThan(0.3 * errorOfDifference(a, b, false).se);
  });
});

it("a difference is computed as in the worked example of the README", () => {
  const each = new Float64Array(8).fill(10);
  const side = (value: number, sums: Float64Array) => {
    const influence = ratioInfluence(sums, each);
    if (influence === undefined) throw new Error("there are observations");
    return { value, atLeast: false, error: 0, influence };
  };
  const a = side(1.05, Float64Array.of(10, 12, 9, 11, 10, 13, 9, 10));
  const b = side(1.4, Float64Array.of(14, 15, 13, 13, 14, 17, 13, 13));
  const { low, high, p } = sliceDifference(a, b, true, 0.95);
  expect([low, high, p].map((x) => Number(x.toPrecision(3)))).toEqual([0.285, 0.415, 0.000114]);
});

describe("slices that agree exactly", () => {
  const alike = (level: number): Float64Array => new Float64Array(8).fill(level);
  const gauge = (value: number, slices: Float64Array) => {
    const influence = meanInfluence(slices);
    if (influence === undefined) throw new Error("there are slices");
    return { value, atLeast: false, error: 0, influence };
  };

  it("are no evidence of what a scrape outside them alone tells", () => {
    const { p, low, high } = sliceDifference(gauge(5, alike(5)), gauge(6, alike(5)), true, 0.95);
    expect(p).toBeGreaterThan(0.05);
    expect([low <= 0, high >= 1]).toEqual([true, true]);
    const moving = Float64Array.of(1, 7, 3, 5, 9, 2, 4, 9);
    expect(sliceDifference(gauge(5, moving), gauge(6, moving), true, 0.95).p).toBeGreaterThan(0.05);
  });

  it("leave no doubt where they agree on different values", () => {
    expect(sliceDifference(gauge(5, alike(5)), gauge(6, alike(6)), true, 0.95).p).toBe(0);
  });

  it("are no verdict on two runs of which one saw a burst in its last scrape, outside every slice", () => {
    // Slices of 5 s end before the last scrape, at 43 s.
    const run = (last: number) => {
      const builder = new RunBuilder();
      for (let second = 0; second <= 40; second++)
        builder.scrape(second, [{ name: "vllm:num_requests_running", value: 4 }]);
      builder.scrape(43, [{ name: "vllm:num_requests_running", value: last }]);
      return builder.run;
    };
    const [row] = compareTwo(run(4), run(100), { sliceSeconds: 5 }).rows;
    expect(row?.baseline.value).toBe(4);
    expect(row?.cells[0]?.candidate.value).toBeGreaterThan(5);
    expect(row?.cells[0]?.verdict).toBe("no-evidence");
  });
});

describe("repeats", () => {
  it("are compared as Student's pooled t does", () => {
    // t.test(c(11, 12, 13), c(14, 15, 19), var.equal = TRUE): t = 2.4495, df = 4, p = 0.0705, interval −0.534 … 8.534
    const found = betweenRunsDifference([11, 12, 13], [14, 15, 19], 0.95);
    expect(found?.difference).toBe(4);
    expect(found?.p).toBeCloseTo(0.0705, 4);
    expect(found?.low).toBeCloseTo(-0.534, 3);
    expect(found?.high).toBeCloseTo(8.534, 3);
    expect(found?.basis).toBe("between-runs");
    expect(betweenRunsDifference([11], [12], 0.95)).toBeUndefined();
    expect(betweenRunsDifference([11, 12], [14], 0.95)?.effective).toBe(3);
  });
});

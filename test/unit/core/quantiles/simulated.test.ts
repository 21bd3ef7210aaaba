import { describe, expect, it } from "vitest";
import { estimateFromBuckets, estimateQuantiles, linearQuantile } from "../../../../src/core/stats/quantiles/index.js";
import {
  gamma,
  lognormal,
  series,
  simulate,
  simulations,
  trueQuantile,
  type Draw,
} from "../../../support/histogram-simulation.js";
import { errors, mean, relativeError, SCORED } from "../../../support/quantile-errors.js";

const ALL = Array.from({ length: 101 }, (_, i) => i / 100);

describe("estimates on simulated series of every shape", () => {
  // Values below 0 are estimated linearly.
  const runs = simulations(160, 5, 12_000)
    .filter(({ shape }) => shape !== "signed")
    .map((simulation) => ({ simulation, ...simulate(simulation) }));

  it("are near the truth: a tenth of the linear error, and at most 5 % on average", () => {
    const ours = runs.flatMap(({ sequence, observations }) => errors(sequence, observations));
    const linear = runs.flatMap(({ sequence, observations }) =>
      estimateQuantiles(sequence, SCORED).map((e, i) =>
        relativeError(e.linear, trueQuantile(observations, SCORED[i] ?? NaN)),
      ),
    );
    expect(mean(ours)).toBeLessThan(0.05);
    expect(mean(ours)).toBeLessThan(0.1 * mean(linear));
  });

  it("lie in the bucket that holds the truth, and rise with q", () => {
    for (const { simulation, sequence, observations } of runs) {
      let before = -Infinity;
      for (const [i, { value, lower, upper }] of estimateQuantiles(sequence, ALL).entries()) {
        const truth = trueQuantile(observations, ALL[i] ?? NaN);
        const name = `${simulation.shape} on ${simulation.layout}, seed ${simulation.seed}, q ${ALL[i] ?? NaN}`;
        // An interpolation may miss a bound by its own rounding.
        const slack = 1e-12 * Math.abs(truth);
        expect(truth, name).toBeGreaterThanOrEqual(lower - slack);
        expect(truth, name).toBeLessThanOrEqual(upper + slack);
        expect(value, name).toBeGreaterThanOrEqual(Math.max(lower, before));
        expect(value, name).toBeLessThanOrEqual(upper);
        before = value;
      }
    }
  });
});

describe("estimates from final buckets alone", () => {
  it("come nearer than linear ones for smooth distributions", () => {
    const draws: Draw[] = [lognormal, (random) => 0.3 * gamma(random, 3), (random) => -0.4 * Math.log(1 - random())];
    const [ours, linear] = [[] as number[], [] as number[]];
    draws.forEach((draw, seed) => {
      const { sequence, observations } = series(draw, { perInterval: 40, seed });
      const totals = Float64Array.from(sequence.counts, (cells) => cells.reduce((sum, n) => sum + n, 0));
      const sum = sequence.sums.reduce((total, x) => total + x, 0);
      for (const [i, estimate] of estimateFromBuckets(sequence.uppers, totals, sum, SCORED).entries()) {
        const q = SCORED[i] ?? NaN;
        ours.push(relativeError(estimate.value, trueQuantile(observations, q)));
        linear.push(relativeError(linearQuantile(sequence.uppers, totals, q), trueQuantile(observations, q)));
      }
    });
    expect(mean(ours)).toBeLessThan(0.5 * mean(linear));
  });

  it("do without a sum, and with one bucket", () => {
    const [p50] = estimateFromBuckets(Float64Array.of(1, 2, Infinity), Float64Array.of(0, 10, 0), undefined, [0.5]);
    expect(p50).toMatchObject({ lower: 1, upper: 2, linear: 1.5 });
    expect(relativeError(p50?.value ?? NaN, 1.5)).toBeLessThan(0.1);
    const [only] = estimateFromBuckets(Float64Array.of(Infinity), Float64Array.of(4), 20, [0.5]);
    expect(only).toMatchObject({ lower: 0, upper: Infinity, extrapolated: true });
    expect(only?.value).toBeGreaterThan(0);
  });
});

import { describe, expect, it } from "vitest";
import { levelSteps, outliersOf, effectiveSampleSize } from "../../../../src/core/stats/index.js";
import { autoregressive, shareOfProcesses } from "../../../support/autoregressive.js";
import { seeded } from "../../../support/histogram-simulation.js";

const SHORTEST = 5;

function steps(values: readonly number[]): readonly number[] {
  const worth = effectiveSampleSize(values, SHORTEST);
  return levelSteps(values, { significant: 0.005, shortest: SHORTEST, fewest: 10, worth }).map(({ at }) => at);
}

describe("steps of level in correlated noise", () => {
  it.each([0, 0.3, 0.6, 0.8])("are hardly ever found where there are none (correlation %d)", (correlation) => {
    expect(shareOfProcesses({ seed: 1, correlation }, (values) => steps(values).length > 0)).toBeLessThanOrEqual(0.05);
  });

  it.each([
    [0, 0.97],
    [0.3, 0.94],
    [0.5, 0.9],
  ])("of three standard deviations are found within two values (correlation %d)", (correlation, share) => {
    const found = shareOfProcesses({ seed: 2, correlation }, (noise, random) => {
      const at = 24 + Math.floor(random() * 72);
      return steps(noise.map((value, i) => (i < at ? value : value + 3))).some((step) => Math.abs(step - at) <= 2);
    });
    expect(found).toBeGreaterThanOrEqual(share);
  });

  it("are found in pairs where a level went and came back", () => {
    const found = shareOfProcesses({ seed: 3, correlation: 0.3 }, (noise) => {
      const [up = 0, down = 0, ...more] = steps(noise.map((value, i) => (i >= 40 && i < 75 ? value + 3 : value)));
      return Math.abs(up - 40) <= 2 && Math.abs(down - 75) <= 2 && more.length === 0;
    });
    expect(found).toBeGreaterThanOrEqual(0.85);
  });

  it("are none of a constant, whatever its digits, and certain between two constants", () => {
    expect(steps(Array.from({ length: 60 }, () => 0.1))).toEqual([]);
    expect(steps(Array.from({ length: 60 }, (_, i) => (i < 30 ? 0.1 : 0.2)))).toEqual([30]);
  });

  it("leave a series worth what its correlation makes of it, steps or not", () => {
    const random = seeded(4);
    const mean = (shift: number, correlation: number) => {
      let sum = 0;
      for (let i = 0; i < 100; i++) {
        const values = autoregressive(random, 400, correlation).map((value, k) => (k < 150 ? value : value + shift));
        sum += effectiveSampleSize(values, SHORTEST) / 100;
      }
      return sum;
    };
    for (const correlation of [0, 0.5, 0.8])
      for (const shift of [0, 10]) {
        const truth = (1 - correlation) / (1 + correlation);
        expect(Math.abs(mean(shift, correlation) - truth)).toBeLessThanOrEqual(0.08);
      }
  });
});

describe("outliers", () => {
  it.each([0, 0.5, 0.8])("are hardly ever found where there are none (correlation %d)", (correlation) => {
    const alarms = shareOfProcesses({ seed: 5, correlation }, (values) => outliersOf(values, 0.005).length > 0);
    expect(alarms).toBeLessThanOrEqual(0.05);
  });

  it("are found where they are, neighbours as one", () => {
    const values = autoregressive(seeded(6), 120, 0.3).map((value, i) =>
      i === 30 ? value - 12 : i === 80 || i === 81 ? value + 12 : value,
    );
    expect(outliersOf(values, 0.005).map(({ from, to }) => [from, to])).toEqual([
      [30, 30],
      [80, 81],
    ]);
  });

  it("are none where rounding alone moves a constant", () => {
    const rates = Array.from({ length: 120 }, (_, i) => 0.8 + (i % 40 === 15 ? 1e-15 : 0));
    expect(new Set(rates).size).toBe(2);
    expect(outliersOf(rates, 0.005)).toEqual([]);
  });

  it("are found among equal values, unless there are many", () => {
    const mostly = (every: number) => Array.from({ length: 120 }, (_, i) => (i % every === 10 ? 5 : 0));
    expect(outliersOf(mostly(60), 0.005).map(({ from }) => from)).toEqual([10, 70]);
    expect(outliersOf(mostly(11), 0.005)).toEqual([]);
  });
});

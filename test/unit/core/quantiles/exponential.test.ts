import { describe, expect, it } from "vitest";
import { exponential } from "../../../../src/core/stats/quantiles/exponential.js";
import { seeded } from "../../../support/histogram-simulation.js";

describe("exponential", () => {
  it("is within the rounding of Math.exp", () => {
    const random = seeded(1);
    let worst = 0;
    for (let i = 0; i < 20_000; i++) {
      const x = (random() - 0.5) * (i % 2 === 0 ? 60 : 1400);
      worst = Math.max(worst, Math.abs(exponential(x) / Math.exp(x) - 1));
    }
    expect(worst).toBeLessThan(1e-15);
  });

  it.each([0, -0, 1, -1, 691, 693, 709, 710, -691, -693, -745, -746, Infinity, -Infinity, NaN])("of %d", (x) => {
    const expected = Math.exp(x);
    expect(Math.abs(exponential(x) - expected) <= 1e-15 * expected || Object.is(exponential(x), expected)).toBe(true);
  });
});

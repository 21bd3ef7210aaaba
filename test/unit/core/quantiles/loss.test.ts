import { describe, expect, it } from "vitest";
import { leastLoss } from "../../../../src/core/stats/quantiles/loss.js";

const PRICE = 0.15;
const estimate = (value: number, half: number) => ({ value, low: value - half, high: value + half });

/** By adding up over the normal distribution that the interval is of. */
function expectedLoss(reported: number, value: number, half: number, linear: number): number {
  const deviation = half / 1.645;
  let [loss, weight] = [0, 0];
  for (let z = -5; z <= 5; z += 0.001) {
    const truth = value + z * deviation;
    const error = Math.abs(reported - truth);
    const p = Math.exp((-z * z) / 2);
    weight += p;
    loss += p * (error + (error > Math.abs(linear - truth) + 0.02 * value + 1e-9 ? PRICE * value : 0));
  }
  return loss / weight;
}

describe("the value of least loss", () => {
  it("is the estimate where that is certain, or where the linear one is near, far away or none", () => {
    expect(leastLoss(estimate(1, 0), 1.5, PRICE)).toBe(1);
    expect(leastLoss(estimate(1, 0.1), 1.01, PRICE)).toBe(1);
    expect(leastLoss(estimate(1, 0.1), 3, PRICE)).toBe(1);
    expect(leastLoss(estimate(1, 0.1), NaN, PRICE)).toBe(1);
    expect(leastLoss(estimate(0, 0.1), 0, PRICE)).toBe(0);
  });

  it.each([
    [1, 0.1, 1.05],
    [1, 0.1, 0.9],
    [1, 0.3, 1.2],
    [20, 6, 14],
  ])("lies a little towards the linear one where both are likely: %d ± %d and %d", (value, half, linear) => {
    const reported = leastLoss(estimate(value, half), linear, PRICE);
    expect((reported - value) / (linear - value)).toBeGreaterThan(0);
    expect(Math.abs(reported - value)).toBeLessThanOrEqual(Math.min(half, 0.08 * value) + 1e-12);
    const most = Math.sign(linear - value) * Math.min(half, 0.08 * value, Math.abs(linear - value) - 0.02 * value);
    const least = Math.min(
      ...Array.from({ length: 41 }, (_, k) => expectedLoss(value + (k / 40) * most, value, half, linear)),
    );
    expect(expectedLoss(reported, value, half, linear)).toBeLessThan(1.005 * least);
    expect(expectedLoss(value, value, half, linear)).toBeGreaterThan(least);
  });
});

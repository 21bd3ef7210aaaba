import { describe, expect, it } from "vitest";
import { moments } from "../../../../src/core/stats/index.js";

describe("moments", () => {
  it("of a constant are the constant and no deviation, however often it comes", () => {
    for (const value of [0.1, 0.7, 1e-7, 123.456, -0.3])
      for (const n of [1, 3, 10, 43, 1000])
        expect(moments(new Array<number>(n).fill(value))).toEqual({ avg: value, min: value, max: value, std: 0 });
  });

  it("keep the mean within the extremes", () => {
    // Three times 0.7 is 2.0999999999999996, and a third of it less than each.
    const values = [0.7, 0.7, 0.7 + 2 ** -53];
    const { avg, min, max } = moments(values);
    expect(avg).toBeGreaterThanOrEqual(min);
    expect(avg).toBeLessThanOrEqual(max);
  });
});

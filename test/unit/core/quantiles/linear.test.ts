import { describe, expect, it } from "vitest";
import { linearQuantile } from "../../../../src/core/stats/quantiles/index.js";

const UPPERS = Float64Array.of(1, 2, 4, Infinity);

describe("linearQuantile", () => {
  it("interpolates inside the bucket that holds rank q·n, the first bucket from 0", () => {
    // Ranks 2.5, 5 and 9 of ten observations, worked by hand.
    const totals = Float64Array.of(5, 3, 2, 0);
    expect(linearQuantile(UPPERS, totals, 0.25)).toBeCloseTo(0.5, 12);
    expect(linearQuantile(UPPERS, totals, 0.5)).toBe(1);
    expect(linearQuantile(UPPERS, totals, 0.9)).toBeCloseTo(3, 12);
  });

  it("skips empty buckets", () => {
    expect(linearQuantile(UPPERS, Float64Array.of(0, 0, 4, 0), 0.5)).toBe(3);
  });

  it("answers with the last finite bound for the +Inf bucket", () => {
    expect(linearQuantile(UPPERS, Float64Array.of(1, 0, 0, 9), 0.5)).toBe(4);
  });

  it("answers with a first bound at or below 0 as it stands, and goes on from negative bounds", () => {
    const uppers = Float64Array.of(-10, 0, 10, Infinity);
    expect(linearQuantile(uppers, Float64Array.of(4, 4, 0, 0), 0.25)).toBe(-10);
    expect(linearQuantile(uppers, Float64Array.of(4, 4, 0, 0), 0.75)).toBe(-5);
  });

  it("has no answer without observations or buckets, and infinite ones outside 0..1", () => {
    expect(linearQuantile(UPPERS, new Float64Array(4), 0.5)).toBeNaN();
    expect(linearQuantile(Float64Array.of(Infinity), Float64Array.of(3), 0.5)).toBeNaN();
    expect(linearQuantile(UPPERS, Float64Array.of(1, 1, 1, 1), -0.1)).toBe(-Infinity);
    expect(linearQuantile(UPPERS, Float64Array.of(1, 1, 1, 1), 1.1)).toBe(Infinity);
  });
});

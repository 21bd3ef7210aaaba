import { describe, expect, it } from "vitest";
import { together, withBatches } from "../../../../src/core/sweep/intervals.js";

describe("the interval of a mean", () => {
  it("is that of Student's t over its batches", () => {
    // Mean 3, standard error √(2.5 / 5), t of 4 degrees of freedom 2.776.
    const { interval } = withBatches(3, [1, 2, 3, 4, 5]);
    expect(interval?.[0]).toBeCloseTo(3 - 2.776 * Math.sqrt(0.5), 3);
    expect(interval?.[1]).toBeCloseTo(3 + 2.776 * Math.sqrt(0.5), 3);
    expect(withBatches(3, [2, 3, 4])).toEqual({ value: 3 });
  });

  it("never reaches below zero, where no throughput and no latency is", () => {
    expect(withBatches(1, [0, 0, 0, 4]).interval?.[0]).toBe(0);
    expect(together([{ value: 1 }, { value: 9 }]).interval?.[0]).toBe(0);
  });
});

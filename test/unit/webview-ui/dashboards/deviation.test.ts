import { describe, expect, it } from "vitest";
import { deviations, quantile } from "../../../../webview-ui/dashboards/deviation.js";

const levels = (...values: number[]) => deviations(values).map(({ level }) => level);

describe("deviation from the median", () => {
  it("points at the endpoint that is elsewhere, and at no other", () => {
    expect(levels(10, 10.4, 9.8, 10.1, 31, 9.9)).toEqual([0, 0, 0, 0, 3, 0]);
    expect(levels(0, 0, 0, 0, 5)).toEqual([0, 0, 0, 0, 3]);
  });

  it("makes nothing of what is small, however equal the others are", () => {
    expect(levels(100, 100, 100, 100, 104)).toEqual([0, 0, 0, 0, 0]);
    expect(levels(5, 5, 5)).toEqual([0, 0, 0]);
    expect(levels(0, 1, 0, 0, 600, 1, 0)).toEqual([0, 0, 0, 0, 3, 0, 0]);
    expect(levels(1, 1, 3, 1, 109, 2, 1, 1)).toEqual([0, 0, 0, 0, 3, 0, 0, 0]);
    expect(Math.max(...levels(1, 1, 2, 1))).toBeLessThan(2);
  });

  it("leaves out what is not known", () => {
    expect(levels(NaN, 1, 1, 4)).toEqual([0, 0, 0, 3]);
    expect(quantile([NaN, 1, 3], 0.5)).toBe(2);
    expect(quantile([NaN], 0.5)).toBeNaN();
  });
});

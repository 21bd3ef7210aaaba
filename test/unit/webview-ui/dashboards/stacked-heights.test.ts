import { describe, expect, it } from "vitest";
import { stackedHeights } from "../../../../webview-ui/dashboards/panels.js";

const course = (...values: number[]) => Float64Array.from(values);

describe("a pile of courses", () => {
  it("has the first one on top, and ends where all together do", () => {
    const { tops, highest } = stackedHeights([course(1, 2), course(10, 20)]);
    expect(tops.map((top) => [...top])).toEqual([
      [11, 22],
      [10, 20],
    ]);
    expect(highest).toBe(22);
  });

  it("counts what one does not know as nothing, and keeps its height where none knows anything", () => {
    const { tops } = stackedHeights([course(1, NaN, 3), course(10, NaN, NaN)]);
    expect([...(tops[0] ?? [])]).toEqual([11, 11, 3]);
  });

  it("lets courses of fewer points end with the others, and is empty of none", () => {
    expect([...(stackedHeights([course(5), course(1, 1)]).tops[0] ?? [])]).toEqual([1, 6]);
    expect(stackedHeights([])).toEqual({ tops: [], highest: 0 });
  });
});

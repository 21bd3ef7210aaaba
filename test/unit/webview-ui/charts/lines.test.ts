import { describe, expect, it } from "vitest";
import { legendValues, nearestIndex, shownAt, toPoints } from "../../../../webview-ui/charts/lines.js";

describe("points of a line", () => {
  it("are seconds from the start of profiling, breaks kept", () => {
    const points = toPoints({ times: Float64Array.of(1e9, 2e9, 3.5e9), values: Float64Array.of(5, NaN, 7) }, 2e9);
    expect(points).toEqual([
      { x: -1, y: 5 },
      { x: 0, y: NaN },
      { x: 1.5, y: 7 },
    ]);
  });

  it("are found by the nearest time that has a value", () => {
    const points = [0, 1, 2, 3].map((x) => ({ x, y: x === 2 ? NaN : x }));
    const brute = (x: number) =>
      points.reduce(
        (best, point, i) =>
          !Number.isNaN(point.y) && (best < 0 || Math.abs(point.x - x) < Math.abs((points[best]?.x ?? 0) - x))
            ? i
            : best,
        -1,
      );
    for (const x of [-1.5, 0, 0.4, 0.6, 1.4, 1.9, 2.2, 2.9, 4.5])
      expect(nearestIndex(points, x), `at ${x}`).toBe(brute(x));
    expect(nearestIndex([], 1)).toBe(-1);
    expect(nearestIndex([{ x: 3, y: 1 }], 9)).toBe(0);
  });

  it("say nothing of a time at which the line is long over", () => {
    const points = [0, 1, 2, 3].map((x) => ({ x, y: x }));
    expect(nearestIndex(points, 60)).toBe(-1);
    expect(shownAt(points, 60).value).toBeNaN();
    expect(shownAt(points, 3.9).value).toBe(3);
  });

  it("have the newest value, not a break, the greatest, and the average: the line's own before that of its points", () => {
    const values = Float64Array.of(1, 3, 2, NaN);
    expect(legendValues({ values })).toEqual({
      last: { value: 2, atLeast: false },
      average: 2,
      greatest: { value: 3, atLeast: false },
    });
    expect(legendValues({ values, average: 1.5 }).average).toBe(1.5);
    expect(legendValues({ values: Float64Array.of(NaN) }).last.value).toBeNaN();
  });

  it("carry what is certain of an estimate, and end with the last bound where the newest lies beyond it", () => {
    const line = {
      times: Float64Array.of(1e9, 2e9, 3e9),
      values: Float64Array.of(0.3, NaN, 12),
      bounds: { lower: Float64Array.of(0.25, NaN, 10), upper: Float64Array.of(0.5, NaN, Infinity) },
    };
    expect(toPoints(line, 0)).toEqual([
      { x: 1, y: 0.3, certain: { lower: 0.25, upper: 0.5 } },
      { x: 2, y: NaN },
      { x: 3, y: 12, certain: { lower: 10, upper: Infinity } },
    ]);
    expect(legendValues(line).last).toEqual({ value: 10, atLeast: true });
    expect(legendValues(line).greatest).toEqual({ value: 10, atLeast: true });
  });
});

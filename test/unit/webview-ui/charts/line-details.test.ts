import { expect, it } from "vitest";
import { dotsOf, tailStart } from "../../../../webview-ui/charts/line-details.js";

const points = (...ys: number[]) => ys.map((y, x) => ({ x, y }));

it("lineDetails finds where the slice begins that is not complete", () => {
  const line = { points: points(1, 2, 3, 4), incompleteFrom: 2 };
  expect(tailStart(line)).toBe(2);
  expect(tailStart({ ...line, incompleteFrom: 2.5 })).toBe(2);
  expect(tailStart({ ...line, incompleteFrom: 3 }), "nothing follows").toBe(-1);
  expect(tailStart({ ...line, incompleteFrom: -1 }), "nothing comes before").toBe(-1);
  expect(tailStart({ points: line.points })).toBe(-1);
});

it("lineDetails draws a point between two gaps as a dot, and one beyond the last bucket as a ring", () => {
  expect(dotsOf(points(1, 2, NaN, 3, NaN, NaN, 4))).toEqual([
    { index: 3, kind: "lone" },
    { index: 6, kind: "lone" },
  ]);
  const beyond = { x: 2, y: 12, certain: { lower: 10, upper: Infinity } };
  expect(dotsOf([...points(1, 2), beyond])).toEqual([{ index: 2, kind: "ring" }]);
  expect(dotsOf([{ ...beyond, certain: { lower: 5, upper: 10 } }, ...points(1)])).toEqual([]);
});

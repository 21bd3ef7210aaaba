import { expect, it } from "vitest";
import { divideLines, joinLines } from "../../../../src/core/query/lines.js";

const line = (times: readonly number[], values: readonly number[]) => ({
  times: Float64Array.from(times),
  values: Float64Array.from(values),
});
const values = (...args: Parameters<typeof joinLines>) => [...joinLines(...args).values];

it("joinLines adds up or averages lines at the times of the one with most points, straight between the others'", () => {
  const fine = line([0, 1, 2, 3, 4], [1, 1, 1, 1, 1]);
  const coarse = line([0, 4], [0, 8]);
  expect(values([coarse, fine], "sum")).toEqual([1, 3, 5, 7, 9]);
  expect(values([coarse, fine], "mean")).toEqual([0.5, 1.5, 2.5, 3.5, 4.5]);
  expect([...joinLines([coarse, fine], "sum").times]).toEqual([0, 1, 2, 3, 4]);
});

it("joinLines leaves out a line before its beginning and after its end, and breaks where one that goes on is broken", () => {
  const whole = line([0, 1, 2, 3, 4], [10, 10, 10, 10, 10]);
  expect(values([whole, line([1, 2, 3], [1, 2, 3])], "sum")).toEqual([10, 11, 12, 13, 10]);
  expect(values([whole, line([0, 1, 2, 3, 4], [1, 1, NaN, 1, 1])], "sum")).toEqual([11, 11, NaN, 11, 11]);
  expect(values([], "sum")).toEqual([]);
});

it("joinLines divides sums by sums at the same moments, and not by nothing", () => {
  const hits = [line([0, 1, 2, 3], [1, 2, 0, 3]), line([0, 1, 2, 3], [1, 0, 0, 3])];
  const queries = [line([0, 2, 3], [4, 0, 12])];
  expect(divideLines(hits, queries)).toEqual(line([0, 1, 2, 3], [0.5, 1, NaN, 0.5]));
});

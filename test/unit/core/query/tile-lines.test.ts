import { expect, it } from "vitest";
import { combineLines } from "../../../../src/core/query/tile.js";

it("an empty stretch of several series is no value, whatever combines them", () => {
  const lines = [Float64Array.of(NaN, NaN, 1, 4), Float64Array.of(NaN, 2, NaN, 5)];
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const most = (values: readonly number[]) => Math.max(...values);
  expect([...combineLines(lines, sum)]).toEqual([NaN, 2, 1, 9]);
  expect([...combineLines(lines, most)]).toEqual([NaN, 2, 1, 5]);
});

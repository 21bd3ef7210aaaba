import { expect, it } from "vitest";
import { intervalScale } from "../../../../webview-ui/comparison/differences/drawings.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { makeRun } from "../../../support/view-harness/compared-runs.js";

it("intervalScale places nothing in the middle, opposites at the same distance, and tells small from large shares apart", () => {
  const { rows } = compareTwo(
    makeRun({ label: "a", seed: 1, seconds: 60 }),
    makeRun({ label: "b", seed: 2, seconds: 60, latency: 1.5 }),
  );
  const { place, limit } = intervalScale(rows, 0.03);
  expect(limit).toBeGreaterThanOrEqual(0.5);
  expect(place(0)).toBe(0.5);
  for (const share of [0.01, 0.03, 0.3, limit]) expect(place(share) + place(-share)).toBeCloseTo(1);
  expect([place(limit), place(10 * limit), place(Infinity), place(-Infinity)]).toEqual([1, 1, 1, 0]);
  // The threshold is seen beside a difference many times as large.
  expect(place(0.03) - place(0)).toBeGreaterThan(0.05);
});

it("intervalScale has an axis for a comparison without any interval", () => {
  expect(intervalScale([], 0.03).limit).toBeCloseTo(0.2);
});

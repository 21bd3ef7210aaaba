import { expect, test } from "vitest";
import { kneeOf } from "../../../../src/core/sweep/sweep.js";
import { kneeNote } from "../../../../src/core/sweep/report.js";

/** Throughput and latency of each load. */
function seriesOf(...curve: readonly (readonly [number, number])[]) {
  const points = curve.map(([throughput, latency]) => ({ throughput, latency }));
  const knee = kneeOf(points);
  return { points, ...(knee === undefined ? {} : { knee }) };
}

const SATURATES = seriesOf([100, 1], [200, 1.1], [390, 1.3], [410, 3], [412, 6]);
const STRAIGHT = seriesOf([100, 1], [200, 2], [300, 3], [400, 4]);
const SHORT = seriesOf([100, 1], [390, 1.3], [410, 6]);

test("the knee lies where throughput levels off and latency grows", () => {
  expect(SATURATES.knee).toBe(2);
});

test("the note says how the knee was found, or why there is none", () => {
  expect(kneeNote({ series: [STRAIGHT, SATURATES] })).toMatch(/^Knee by Kneedle/);
  expect(kneeNote({ series: [SHORT, STRAIGHT] })).toMatch(/^No knee: the curve does not bend/);
  expect(kneeNote({ series: [SHORT] })).toBe("No knee: it takes at least 4 loads to find one.");
});

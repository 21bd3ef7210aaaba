import { describe, expect, it } from "vitest";
import { differenceTrack } from "../../../../src/core/compare/slices/difference-track.js";

const SECOND = 1e9;
/** A line through f every `step` seconds from `start` to `end`. */
function track(f: (second: number) => number, { start = 0, end = 100, step = 1, anchor = 0 } = {}) {
  const seconds = Array.from({ length: Math.floor((end - start) / step + 1e-9) + 1 }, (_, i) => start + i * step);
  return {
    times: Float64Array.from(seconds, (s) => (s - anchor) * SECOND),
    values: Float64Array.from(seconds, f),
  };
}
const seconds = (times: Float64Array) => [...times].map((time) => time / SECOND);

describe("the difference of two tracks", () => {
  it("is candidate less baseline at the same distance from the anchors", () => {
    const { times, values } = differenceTrack(
      track((s) => s - 10, { start: 10, end: 20, anchor: 10 }),
      track((s) => 3 * (s - 1000), { start: 1000, end: 1010, anchor: 1000 }),
    );
    expect(seconds(times)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect([...values]).toEqual(seconds(times).map((s) => 2 * s));
  });

  it("stands on the coarser grid, the finer one averaged around each point, whichever side it is", () => {
    const coarse = track(() => 1, { end: 20, step: 5 });
    // The mean over any whole period of ten points is 0.
    const fine = track((s) => 4 + Math.sin((2 * Math.PI * s) / 5), { end: 20, step: 0.5 });
    const forward = differenceTrack(coarse, fine);
    expect(seconds(forward.times)).toEqual([0, 5, 10, 15, 20]);
    forward.values.slice(1, 4).forEach((value) => expect(value).toBeCloseTo(3, 10));
    expect([...differenceTrack(fine, coarse).values]).toEqual([...forward.values].map((value) => -value));
  });

  it("covers the time that both have", () => {
    const { times } = differenceTrack(
      track(() => 0, { start: 0, end: 50 }),
      track(() => 1, { start: 20, end: 80 }),
    );
    expect([times[0], times.at(-1)]).toEqual([20 * SECOND, 50 * SECOND]);
    expect(
      differenceTrack(
        track(() => 0, { end: 5 }),
        track(() => 1, { start: 50, end: 80 }),
      ).times,
    ).toHaveLength(0);
  });

  it("follows lines whose scrapes are out of step", () => {
    const { values } = differenceTrack(
      track((s) => s, { end: 30 }),
      track((s) => s + 2, { start: 0.4, end: 30.4 }),
    );
    values.forEach((value) => expect(Math.abs(value - 2)).toBeLessThan(0.5));
    expect(values.length).toBeGreaterThanOrEqual(30);
  });

  it("has no value where either is broken", () => {
    const whole = track(() => 1, { end: 9 });
    const broken = track((s) => (s >= 4 && s <= 6 ? NaN : 3), { end: 9 });
    for (const { values } of [differenceTrack(whole, broken), differenceTrack(broken, whole)]) {
      expect([...values].map(Number.isNaN)).toEqual([
        false,
        false,
        false,
        false,
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
    }
    // A break of the finer line between two points that are far apart is not drawn through.
    const gap = {
      times: Float64Array.of(0, 1, 2, 3, 4, 12, 13, 14, 15, 16).map((s) => s * SECOND),
      values: Float64Array.of(1, 1, 1, 1, NaN, 1, 1, 1, 1, 1),
    };
    const { times, values } = differenceTrack(
      track(() => 0, { end: 16, step: 2 }),
      gap,
    );
    expect(seconds(times).filter((_, i) => Number.isNaN(values[i]))).toEqual([4, 6, 8, 10]);
  });

  it("is empty for an empty track", () => {
    const none = { times: new Float64Array(0), values: new Float64Array(0) };
    expect(
      differenceTrack(
        none,
        track(() => 1),
      ).times,
    ).toHaveLength(0);
    expect(
      differenceTrack(
        track(() => 1),
        none,
      ).times,
    ).toHaveLength(0);
  });
});

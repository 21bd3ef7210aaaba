import { describe, expect, it } from "vitest";
import { averageOf, clip, rateLine, within, withBreaks } from "../../../../src/core/query/lines.js";
import { downsample } from "../../../../src/core/store/index.js";
import { seededRandom } from "../../../support/random.js";
import { SECOND } from "../../../support/run-builder.js";

const line = (points: readonly (readonly [number, number])[]) => ({
  times: Float64Array.from(points, ([t]) => t * SECOND),
  values: Float64Array.from(points, ([, v]) => v),
});
const pointsOf = ({ times, values }: { times: Float64Array; values: Float64Array }) =>
  Array.from(times, (t, i) => [t / SECOND, values[i]]);

describe("rateLine", () => {
  it("is inside the window what a file draws that holds the window and its reference only", () => {
    const points = Array.from({ length: 60 }, (_, i) => [i / 3 + 0.1, i * i] as const);
    const reference = 17;
    const start = points[reference + 1]![0] * SECOND;
    const inside = (all: ReturnType<typeof rateLine>) => pointsOf(all).filter(([t]) => (t ?? 0) * SECOND >= start);
    const whole = rateLine(line(points), SECOND, start);
    expect(inside(whole)).toEqual(inside(rateLine(line(points.slice(reference)), SECOND, start)));
    expect(inside(whole)).not.toEqual(inside(rateLine(line(points), SECOND)));
  });

  it("keeps the counter's total: the area under the rates is the rise, restarts included", () => {
    const random = seededRandom(3);
    let value = 0;
    const points = Array.from({ length: 500 }, (_, i) => {
      value = i === 250 ? 4 : value + Math.floor(random() * 5);
      return [i / 3, value] as const;
    });
    const rate = rateLine(line(points), SECOND);
    let area = 0;
    let before = points[0]![0];
    for (const [t, v] of pointsOf(rate)) {
      area += (v ?? 0) * ((t ?? 0) - before);
      before = t ?? 0;
    }
    let rise = 0;
    const end = (rate.times.at(-1) ?? 0) / SECOND;
    // A last stretch of less than half a step is not drawn yet.
    expect(points.at(-1)![0] - end).toBeLessThan(0.5);
    for (let i = 1; i < points.length && points[i]![0] <= end; i++)
      rise += points[i]![1] < points[i - 1]![1] ? points[i]![1] : points[i]![1] - points[i - 1]![1];
    expect(area).toBeCloseTo(rise, 6);
    expect(Math.min(...rate.values)).toBeGreaterThanOrEqual(0);
  });
});

describe("withBreaks", () => {
  it("breaks the line once where scrapes failed, at the end too", () => {
    const broken = withBreaks(
      line([
        [0, 1],
        [1, 2],
        [4, 3],
      ]),
      Float64Array.of(2 * SECOND, 3 * SECOND, 5 * SECOND),
    );
    expect(pointsOf(broken)).toEqual([
      [0, 1],
      [1, 2],
      [2, NaN],
      [4, 3],
      [5, NaN],
    ]);
  });

  it("breaks a stretch far longer than the usual interval, and no ordinary jitter", () => {
    const points = Array.from({ length: 20 }, (_, i) => [i < 10 ? i : i + 100, i] as const);
    const values = pointsOf(withBreaks(line(points), new Float64Array(0))).map(([, v]) => v);
    expect(values.filter((v) => Number.isNaN(v))).toHaveLength(1);
    expect(values.findIndex((v) => Number.isNaN(v))).toBe(10);
  });
});

describe("clip", () => {
  it("keeps one point on either side, so that the line runs to the edges", () => {
    const points = Array.from({ length: 10 }, (_, i) => [i, i] as const);
    expect(pointsOf(clip(line(points), 3.5 * SECOND, 5.5 * SECOND)).map(([t]) => t)).toEqual([3, 4, 5, 6]);
    expect(pointsOf(clip(line(points), undefined, undefined))).toHaveLength(10);
  });
});

describe("downsample", () => {
  it("keeps extremes, ends, order and gaps within the number of points", () => {
    const random = seededRandom(11);
    const n = 50_000;
    const times = Float64Array.from({ length: n }, (_, i) => i);
    const values = Float64Array.from({ length: n }, () => random());
    values[12_345] = 99;
    values[40_000] = -99;
    values[20_000] = NaN;
    const thin = downsample(times, values, 2000);
    expect(thin.times.length).toBeLessThanOrEqual(2000);
    expect(thin.times.length).toBeGreaterThan(1200);
    expect([...thin.times].every((t, i) => i === 0 || t > thin.times[i - 1]!)).toBe(true);
    const kept = new Map(Array.from(thin.times, (t, i) => [t, thin.values[i]]));
    expect(kept.get(12_345)).toBe(99);
    expect(kept.get(40_000)).toBe(-99);
    expect(kept.get(20_000)).toBeNaN();
    expect([thin.times[0], thin.times.at(-1)]).toEqual([0, n - 1]);
  });
});

describe("the average of a line", () => {
  it("of rates is the rise by its time, however unequal the steps are", () => {
    // 10/s for 1 s, then 1/s for 9 s: 19 in 10 s.
    const rates = line([
      [1, 10],
      [10, 1],
      [19, 1],
    ]);
    expect(averageOf(within(rates, { from: 10 * SECOND }), true)).toBe(1);
    expect(
      averageOf(
        line([
          [1, 10],
          [2, 10],
          [11, 1],
        ]),
        true,
      ),
    ).toBeCloseTo(29 / 11, 12);
  });

  it("of values is their mean, without gaps and what lies outside; none of nothing", () => {
    const values = line([
      [0, 100],
      [1, 2],
      [2, NaN],
      [3, 4],
      [4, 100],
    ]);
    expect(averageOf(within(values, { from: SECOND, to: 3 * SECOND }))).toBe(3);
    expect(averageOf(within(values, { from: 9 * SECOND }))).toBeNaN();
  });
});

import { describe, expect, it } from "vitest";
import {
  estimateFromBuckets,
  estimateQuantiles,
  MAX_BUCKETS,
  type IntervalSequence,
} from "../../../../src/core/stats/quantiles/index.js";
import {
  gamma,
  LAYOUTS,
  lognormal,
  normal,
  seeded,
  series,
  simulate,
  trueQuantile,
  type Draw,
} from "../../../support/histogram-simulation.js";
import { errors, mean, relativeError, SCORED } from "../../../support/quantile-errors.js";

const ALL = Array.from({ length: 101 }, (_, i) => i / 100);

/** A server whose steps give each of 1 to 16 requests a token; now and then one is longer, as another request joins. */
function steps(seed: number): { readonly sequence: IntervalSequence; readonly observations: Float64Array } {
  const random = seeded(seed);
  const uppers = Float64Array.of(...LAYOUTS.vllmItl, Infinity);
  const intervals = 300;
  const counts = Array.from(uppers, () => new Float64Array(intervals));
  const sums = new Float64Array(intervals);
  const observations: number[] = [];
  let [now, requests] = [0, 4];
  for (;;) {
    const joins = random() < 0.02;
    if (joins) requests = Math.min(16, requests + 1);
    else if (random() < 0.02) requests = Math.max(1, requests - 1);
    const length = (0.01 + 0.0004 * requests) * Math.exp(0.06 * normal(random)) + (joins ? 0.02 + 0.06 * random() : 0);
    now += length;
    const i = Math.floor(now / 0.4);
    if (i >= intervals) break;
    const bucket = counts[uppers.findIndex((upper) => length <= upper)];
    if (bucket !== undefined) bucket[i] = (bucket[i] ?? 0) + requests;
    sums[i] = (sums[i] ?? 0) + requests * length;
    for (let k = 0; k < requests; k++) observations.push(length);
  }
  const times = Float64Array.from({ length: intervals }, (_, i) => (i + 1) * 0.4e9);
  return { sequence: { uppers, times, counts, sums }, observations: Float64Array.from(observations).sort() };
}

/** The same with some intervals' sums changed. */
function withSums(sequence: IntervalSequence, change: (sums: Float64Array) => void): IntervalSequence {
  const sums = Float64Array.from(sequence.sums);
  change(sums);
  return { ...sequence, sums };
}

describe("estimates", () => {
  it("are exact where every interval holds one observation", () => {
    const values = [0.031, 0.2, 0.21, 0.4, 3.3, 12, 17];
    const uppers = Float64Array.of(...LAYOUTS.client, Infinity);
    const sequence: IntervalSequence = {
      uppers,
      times: Float64Array.from(values.keys()),
      counts: Array.from(uppers, (upper, b) =>
        Float64Array.from(values, (v) => (v <= upper && v > (uppers[b - 1] ?? 0) ? 1 : 0)),
      ),
      sums: Float64Array.from(values),
    };
    // Between numpy's convention and the first value with a share q at or below it; at the ends they agree.
    estimateQuantiles(sequence, ALL).forEach(({ value }, i) => {
      const q = ALL[i] ?? NaN;
      const interpolated = trueQuantile(Float64Array.from(values), q);
      const first = values[Math.max(0, Math.ceil(q * values.length - 1e-9) - 1)] ?? NaN;
      const ends = q * values.length < 1 ? [values[0]] : (1 - q) * values.length < 1 ? [values.at(-1)] : undefined;
      expect(value).toBeCloseTo(ends?.[0] ?? (interpolated + first) / 2, 9);
    });
  });

  it("find a constant inside a wide bucket", () => {
    const { sequence } = series(() => 4.2, { layout: "coarse", perInterval: 40 });
    for (const { value } of estimateQuantiles(sequence, SCORED)) expect(relativeError(value, 4.2)).toBeLessThan(1e-3);
  });

  it("stay together where batches of nearly equal values fill a wide bucket", () => {
    const random = seeded(3);
    const uppers = Float64Array.of(2.5, 5, 10, Infinity);
    const sizes = Array.from({ length: 44 }, (_, i) => [2, 14, 6, 10][i % 4] ?? 0);
    const sequence: IntervalSequence = {
      uppers,
      times: Float64Array.from(sizes, (_, i) => i * 1e9),
      counts: Array.from(uppers, (upper) => Float64Array.from(sizes, (n) => (upper === 5 ? n : 0))),
      sums: Float64Array.from(sizes, (n) => n * (4.3 + 0.001 * normal(random))),
    };
    for (const { value } of estimateQuantiles(sequence, SCORED)) expect(relativeError(value, 4.3)).toBeLessThan(0.005);
  });

  it("do not ascribe to a moving level what nearly all lies in one bucket for", () => {
    // Two users: steps of 12.5 ms, one in a hundred twice as long.
    const { sequence, observations } = simulate({
      uppers: [...LAYOUTS.vllmItl],
      draw: (random) => (random() < 0.008 ? 0.018 + 0.012 * random() : 0.0125 * Math.exp(0.08 * normal(random))),
      rate: () => 52,
      intervals: 270,
      seed: 5,
    });
    expect(Math.max(...errors(sequence, observations))).toBeLessThan(0.15);
  });

  it("have the total sum, but for what is given up to linear", () => {
    for (const perInterval of [0.7, 5, 60]) {
      const { sequence, observations } = series(lognormal, { perInterval });
      const n = observations.length;
      const orderStatistics = estimateQuantiles(
        sequence,
        Array.from({ length: n }, (_, i) => i / (n - 1)),
      ).map((e) => e.value);
      const sum = sequence.sums.reduce((total, x) => total + x, 0);
      expect(
        relativeError(
          orderStatistics.reduce((total, x) => total + x, 0),
          sum,
        ),
      ).toBeLessThan(1e-2);
    }
  });

  it("follow a drift inside one bucket", () => {
    const { sequence, observations } = series(
      (random, progress) => (1.5 + 6 * progress) * Math.exp(0.1 * normal(random)),
      { layout: "coarse", perInterval: 20, intervals: 300 },
    );
    expect(Math.max(...errors(sequence, observations))).toBeLessThan(0.05);
  });

  // How far they lie apart inside an interval its sum does not say: what is left is that.
  it("see what the observations of one interval share", () => {
    const { sequence, observations } = series(
      (random, _, { shared }) => 3 * Math.exp(0.3 * shared + 0.05 * normal(random)),
      { layout: "coarse", perInterval: 50, intervals: 300 },
    );
    expect(mean(errors(sequence, observations))).toBeLessThan(0.17);
    expect(Math.max(...errors(sequence, observations))).toBeLessThan(0.35);
  });

  it("see steps that serve all requests under way at once, and how their length moves with these", () => {
    for (const seed of [1, 3, 4]) {
      const { sequence, observations } = steps(seed);
      expect(mean(errors(sequence, observations)), `seed ${seed}`).toBeLessThan(0.12);
    }
  });

  it("are the same for a server's steps in milliseconds", () => {
    for (const seed of [1, 2, 3]) {
      const { sequence } = steps(seed);
      const thousandfold = (values: Float64Array) => values.map((x) => 1000 * x);
      const milliseconds = {
        ...sequence,
        uppers: thousandfold(sequence.uppers),
        sums: thousandfold(sequence.sums),
      };
      const seconds = estimateQuantiles(sequence, SCORED);
      for (const [i, { value }] of estimateQuantiles(milliseconds, SCORED).entries())
        // Sums that are rounded otherwise lead to other draws.
        expect(relativeError(value / 1000, seconds[i]?.value ?? NaN), `seed ${seed}`).toBeLessThan(0.06);
    }
  });

  it("extrapolate above the last bound and say so", () => {
    const { sequence, observations } = series((random) => 4 + 5 * gamma(random, 2), { perInterval: 5 });
    const [p50, , , p99] = estimateQuantiles(sequence, SCORED);
    expect(p99).toMatchObject({ lower: 10, upper: Infinity, linear: 10, extrapolated: true });
    expect(p99?.value).toBeGreaterThan(10);
    expect(Math.max(...errors(sequence, observations))).toBeLessThan(0.15);
    expect(p50?.extrapolated).toBe((p50?.upper ?? 0) === Infinity);
  });

  it("are linear, and say so, where values lie below 0", () => {
    const draw: Draw = (random) => 20 * normal(random) - 5;
    const bounded = series(draw, { layout: "signed", perInterval: 0.7, intervals: 400 });
    for (const { value, linear, note } of estimateQuantiles(bounded.sequence, SCORED)) {
      expect(value).toBe(linear);
      expect(note).toBe("linear: values below 0");
    }
    const unbounded = series(draw, { layout: "client", perInterval: 0.7, intervals: 400 });
    const [low] = estimateQuantiles(unbounded.sequence, [0.1]);
    expect(low).toMatchObject({ lower: -Infinity, note: "linear: values below 0" });
  });

  it("take whole numbers for what they are where all sums are whole", () => {
    // Steps of one to eight requests, a request's prompt now and then.
    let running = 4;
    const { sequence, observations } = simulate({
      uppers: [1, 8, 16, 32, 64, 128, 256, 512, 1024],
      draw: (r) => {
        if (r() < 0.05) running = Math.max(1, Math.min(8, running + (r() < 0.5 ? -1 : 1)));
        return r() < 0.05 ? Math.round(200 * Math.exp(0.3 * normal(r))) : running;
      },
      rate: () => 5,
      intervals: 300,
      seed: 8,
    });
    const [p50] = estimateQuantiles(sequence, [0.5]);
    expect(Number.isInteger(p50?.value)).toBe(true);
    expect(Math.abs((p50?.value ?? NaN) - trueQuantile(observations, 0.5))).toBeLessThanOrEqual(1);
  });

  it("are 0 in a first bucket that ends there, and its end open where a sum tells of values below", () => {
    const intervals = 60;
    const cells = (of: (i: number) => number) => Float64Array.from({ length: intervals }, (_, i) => of(i));
    const zeros = {
      uppers: Float64Array.of(0, 1, Infinity),
      times: cells((i) => i),
      counts: [cells(() => 20), cells((i) => (i % 7 === 0 ? 1 : 0)), cells(() => 0)],
      sums: cells((i) => (i % 7 === 0 ? 1 : 0)),
    };
    const [p50, p90] = estimateQuantiles(zeros, [0.5, 0.9]);
    for (const estimate of [p50, p90])
      expect(estimate).toMatchObject({ value: 0, lower: 0, upper: 0, interval: [0, 0] });
    const [below] = estimateQuantiles({ ...zeros, sums: cells((i) => (i % 7 === 0 ? -19 : -20)) }, [0.5]);
    expect(below?.lower).toBe(-Infinity);
  });

  it("are linear, and say so, beyond the buckets that finer ones are made of", () => {
    const uppers = Float64Array.from({ length: MAX_BUCKETS + 1 }, (_, b) => (b === MAX_BUCKETS ? Infinity : b + 1));
    const populated = (buckets: number) =>
      estimateFromBuckets(
        uppers,
        uppers.map((_, b) => (b < buckets ? 3 : 0)),
        undefined,
        [0.5, 0.99, 1],
      );
    for (const estimate of populated(MAX_BUCKETS)) expect(estimate.note).toBeUndefined();
    for (const estimate of populated(MAX_BUCKETS + 1)) {
      expect(estimate.note).toMatch(/^linear: 65 populated buckets/);
      expect(estimate.value).toBe(estimate.linear);
      expect(estimate.value).toBeGreaterThanOrEqual(estimate.lower);
    }
  });

  it("do not depend on the unit", () => {
    const { sequence } = series(lognormal, { perInterval: 20 });
    const milliseconds = {
      ...sequence,
      uppers: sequence.uppers.map((u) => u * 1024),
      sums: sequence.sums.map((s) => s * 1024),
    };
    const inSeconds = estimateQuantiles(sequence, SCORED);
    estimateQuantiles(milliseconds, SCORED).forEach(({ value }, i) =>
      expect(value / 1024).toBeCloseTo(inSeconds[i]?.value ?? NaN, 6),
    );
  });

  it("are the same each time", () => {
    const { sequence } = series(lognormal, { perInterval: 20 });
    expect(estimateQuantiles(sequence, SCORED)).toEqual(estimateQuantiles(sequence, SCORED));
  });

  it("bear unknown sums, and sums that came with the next scrape", () => {
    const { sequence, observations } = series(lognormal, { perInterval: 5, intervals: 400 });
    const unknown = withSums(sequence, (sums) =>
      sums.forEach((_, i) => (sums[i] = i % 7 === 0 ? NaN : (sums[i] ?? NaN))),
    );
    expect(mean(errors(unknown, observations))).toBeLessThan(0.05);
    const torn = withSums(sequence, (sums) => {
      for (let i = 3; i + 1 < sums.length; i += 20) {
        sums[i + 1] = (sums[i + 1] ?? 0) + (sums[i] ?? 0);
        sums[i] = 0;
      }
    });
    expect(mean(errors(torn, observations))).toBeLessThan(0.08);
  });

  it("stay inside the buckets when the sums are impossible", () => {
    const { sequence } = series(lognormal);
    for (const wrong of [-1e9, 1e12, NaN, 0]) {
      const broken = withSums(sequence, (sums) => sums.fill(wrong));
      for (const { value, lower, upper } of estimateQuantiles(broken, ALL)) {
        expect(value).toBeGreaterThanOrEqual(lower);
        expect(value).toBeLessThanOrEqual(upper);
        expect(Number.isFinite(value)).toBe(true);
      }
    }
  });

  it("have nothing to say without observations", () => {
    const empty: IntervalSequence = {
      uppers: Float64Array.of(1, Infinity),
      times: new Float64Array(3),
      counts: [new Float64Array(3), new Float64Array(3)],
      sums: new Float64Array(3),
    };
    expect(estimateQuantiles(empty, [0.5])).toEqual([
      { value: NaN, lower: NaN, upper: NaN, interval: [NaN, NaN], linear: NaN, extrapolated: false },
    ]);
    expect(
      estimateQuantiles(
        {
          ...empty,
          times: new Float64Array(0),
          counts: [new Float64Array(0), new Float64Array(0)],
          sums: new Float64Array(0),
        },
        [0.5],
      )[0]?.value,
    ).toBeNaN();
  });

  it("work on sub-sequences, as slices need", () => {
    const { sequence } = series((random, progress) => (progress < 0.5 ? 0.03 : 3) * Math.exp(0.2 * normal(random)), {
      perInterval: 10,
    });
    const half = sequence.times.length / 2;
    const part = (from: number, to: number): IntervalSequence => ({
      uppers: sequence.uppers,
      times: sequence.times.subarray(from, to),
      counts: sequence.counts.map((cells) => cells.subarray(from, to)),
      sums: sequence.sums.subarray(from, to),
    });
    expect(relativeError(estimateQuantiles(part(0, half), [0.5])[0]?.value ?? NaN, 0.03)).toBeLessThan(0.05);
    expect(relativeError(estimateQuantiles(part(half, 2 * half), [0.5])[0]?.value ?? NaN, 3)).toBeLessThan(0.05);
  });
});

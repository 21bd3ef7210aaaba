import { describe, expect, it } from "vitest";
import { sliceDifference, type Sided } from "../../../../src/core/compare/inference/difference.js";
import { countedIn } from "../../../../src/core/compare/inference/few-events.js";
import { meanInfluence, ratioInfluence } from "../../../../src/core/compare/inference/influence.js";
import { incompleteBeta } from "../../../../src/core/stats/index.js";
import { normal, poisson, seeded, type Random } from "../../../support/histogram-simulation.js";

const SECOND = 1e9;

/** Rate of a counter, given its rises in slices of one second. */
function rate(rises: Float64Array): Sided {
  const amount = rises.reduce((sum, n) => sum + n, 0);
  const influence = meanInfluence(rises);
  if (influence === undefined) throw new Error("no slices");
  const counted = countedIn(rises, { start: 0, length: SECOND, count: rises.length }, () => amount);
  return { value: amount / rises.length, atLeast: false, error: 0, influence: { ...influence, counted } };
}

/** Average of a histogram; undefined without observations. */
function average(sums: Float64Array, counts: Float64Array): Sided | undefined {
  const influence = ratioInfluence(sums, counts);
  const total = (values: Float64Array) => values.reduce((sum, x) => sum + x, 0);
  return influence === undefined
    ? undefined
    : { value: total(sums) / total(counts), atLeast: false, error: 0, influence };
}

const MAKE: Readonly<Record<string, (random: Random, mean: number, slices: number) => Float64Array>> = {
  "one by one": (random, mean, slices) => {
    const out = new Float64Array(slices);
    for (let k = poisson(random, mean); k > 0; k--) {
      const at = Math.floor(random() * slices);
      out[at] = (out[at] ?? 0) + 1;
    }
    return out;
  },
  "in bursts of five": (random, mean, slices) => {
    const out = new Float64Array(slices);
    for (let k = poisson(random, mean / 5); k > 0; k--) {
      const at = Math.floor(random() * slices);
      for (let i = 0; i < 5; i++) {
        const s = Math.min(slices - 1, at + Math.floor(2 * random()));
        out[s] = (out[s] ?? 0) + 1;
      }
    }
    return out;
  },
};

describe("counters of few events", () => {
  it.each([
    ["one by one", 4],
    ["one by one", 120],
    ["in bursts of five", 6],
    ["in bursts of five", 120],
  ])("of equal servers are rarely called different: %s, %i slices", (how, slices) => {
    const random = seeded(31);
    for (const mean of [1, 3, 8, 20, 100]) {
      let called = 0;
      let certain = 0;
      for (let i = 0; i < 400; i++) {
        const [a, b] = [0, 0].map(() => rate(MAKE[how]!(random, mean, slices)));
        const { p } = sliceDifference(a!, b!, true, 0.95);
        called += Number(p < 0.05);
        certain += Number(p < 1e-4);
      }
      expect(called / 400, `${mean} events`).toBeLessThanOrEqual(0.065);
      expect(certain, `${mean} events`).toBe(0);
    }
  });

  it("of equal servers are called different in at most 15 % where their rate moves slowly with the load", () => {
    const random = seeded(78);
    const correlation = Math.exp(-1 / 10);
    const drifting = (mean: number) => {
      let level = normal(random);
      return Float64Array.from({ length: 120 }, () => {
        level = correlation * level + Math.sqrt(1 - correlation ** 2) * normal(random);
        return poisson(random, (mean / 120) * Math.exp(0.7 * level - 0.245));
      });
    };
    let called = 0;
    let trials = 0;
    for (const mean of [50, 100, 300, 1000]) {
      for (let i = 0; i < 400; i++, trials++) {
        const [a, b] = [rate(drifting(mean)), rate(drifting(mean))];
        called += Number(sliceDifference(a, b, true, 0.95).p < 0.05);
      }
    }
    // More than 5 %, each row by itself: the correction for the number of rows is what keeps verdicts honest.
    expect(called / trials).toBeLessThanOrEqual(0.15);
  });

  it("tell no more than independent events do, however even they lie", () => {
    // Slices all alike: by themselves they would leave no doubt.
    const [a, b] = [Float64Array.of(2, 2, 2, 2), Float64Array.of(3, 3, 3, 3)].map(rate);
    const { p, low, high } = sliceDifference(a!, b!, true, 0.95);
    // Exact binomial test of 12 of 20: 0.503.
    expect(p).toBeCloseTo(2 * incompleteBeta(12, 9, 0.5), 6);
    expect(p).toBeCloseTo(0.503, 3);
    expect([low < 0, high > 2]).toEqual([true, true]);
  });

  it("are found where there are enough of them, and none at all on one side are no certainty", () => {
    const spread = (n: number) => rate(Float64Array.from({ length: 120 }, (_, s) => Number((s * n) % 120 < n)));
    expect(sliceDifference(spread(10), spread(40), true, 0.95).p).toBeLessThan(0.001);
    expect(sliceDifference(spread(0), spread(3), true, 0.95).p).toBeGreaterThan(0.05);
    expect(sliceDifference(spread(0), spread(30), true, 0.95).p).toBeLessThan(1e-4);
  });

  it("leave many events to the slices, which see that a server works by the clock", () => {
    const steady = (n: number) => rate(new Float64Array(120).fill(n).map((x, s) => x + (s % 2) - 0.5));
    expect(sliceDifference(steady(10), steady(11), true, 0.95).p).toBeLessThan(1e-6);
  });
});

describe("averages of few observations", () => {
  it.each([
    [4, 4],
    [120, 120],
    [120, 90],
  ])("of equal servers are rarely called different: %i and %i slices", (slicesA, slicesB) => {
    const random = seeded(7);
    for (const mean of [1, 2, 3, 5, 8, 20]) {
      const side = (slices: number) => {
        const [sums, counts] = [new Float64Array(slices), new Float64Array(slices)];
        for (let k = poisson(random, (mean * slices) / slicesA); k > 0; k--) {
          const at = Math.floor(random() * slices);
          counts[at] = (counts[at] ?? 0) + 1;
          sums[at] = (sums[at] ?? 0) + Math.exp(0.7 * normal(random));
        }
        return average(sums, counts);
      };
      let called = 0;
      let certain = 0;
      for (let i = 0; i < 400; i++) {
        const [a, b] = [side(slicesA), side(slicesB)];
        if (a === undefined || b === undefined) continue;
        const { p } = sliceDifference(a, b, slicesA === slicesB, 0.95);
        called += Number(p < 0.05);
        certain += Number(p < 1e-4);
      }
      expect(called / 400, `${mean} observations`).toBeLessThanOrEqual(0.075);
      expect(certain, `${mean} observations`).toBeLessThanOrEqual(1);
    }
  });

  it("say nothing where one observation is all there is", () => {
    const one = (value: number) => average(Float64Array.of(0, value, 0, 0, 0), Float64Array.of(0, 1, 0, 0, 0));
    const [a, b] = [one(1), one(3)];
    expect(a?.influence.worth).toBe(1);
    expect(sliceDifference(a!, b!, true, 0.95).p).toBeNaN();
  });
});

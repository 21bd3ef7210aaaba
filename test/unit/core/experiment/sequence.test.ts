import { describe, expect, it } from "vitest";
import {
  detectable,
  equivalenceLevel,
  eValue,
  rejections,
  sampleOf,
  sequenceInterval,
  type Sample,
} from "../../../../src/core/experiment/index.js";
import { normal } from "../../../support/histogram-simulation.js";
import { seededRandom } from "../../../support/random.js";

function normals(seed: number): () => number {
  const random = seededRandom(seed);
  return () => normal(random);
}

/**
 * The mixture by its definition: densities of noncentral t by that of t, averaged over effects N(0, g). The noncentral
 * density is itself an integral over the standard deviation (Lehmann, Testing Statistical Hypotheses).
 */
function mixture({ n, mean, squares }: Sample, g: number): number {
  const df = n - 1;
  const t = (Math.sqrt(n) * mean) / Math.sqrt(squares / df);
  const weight = (y: number) => df * Math.log(y) - (y * y * (1 + (t * t) / df)) / 2;
  const steps = 400;
  let above = 0;
  let below = 0;
  for (let i = 1; i < steps; i++) {
    const y = (i / steps) * 12;
    let ratio = 0;
    for (let k = -steps; k <= steps; k++) {
      const z = (k / steps) * 8;
      const center = Math.sqrt(n * g) * z;
      ratio +=
        ((Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
          Math.exp((y * t * center) / Math.sqrt(df) - center ** 2 / 2) *
          8) /
        steps;
    }
    above += Math.exp(weight(y)) * ratio;
    below += Math.exp(weight(y));
  }
  return above / below;
}

describe("the e-value of a mean", () => {
  it.each([
    [3, 0.5, 1],
    [5, -1.2, 2],
    [12, 0.2, 0.7],
  ])("of %i values is the mixture of likelihood ratios that it is defined as", (n, mean, deviation) => {
    const sample = { n, mean, squares: (n - 1) * deviation ** 2 };
    expect(eValue(sample, 0)).toBeCloseTo(mixture(sample, 8), 3);
  });

  it("is 1 over alpha at the ends of the interval, and does not depend on the unit", () => {
    const sample = sampleOf([0.11, 0.07, 0.13, 0.09, 0.1]);
    const { low, high } = sequenceInterval(sample, 0.05);
    expect(eValue(sample, low)).toBeCloseTo(20, 8);
    expect(eValue(sample, high)).toBeCloseTo(20, 8);
    const scaled = sequenceInterval(sampleOf([110, 70, 130, 90, 100]), 0.05);
    expect([scaled.low / 1000, scaled.high / 1000]).toEqual([expect.closeTo(low, 10), expect.closeTo(high, 10)]);
  });

  it("is that of the worked example", () => {
    const candidate = [371, 366, 377, 359, 370];
    const differences = [412, 398, 421, 405, 409].map((base, i) => Math.log((candidate[i] ?? NaN) / base));
    const looks = [3, 4, 5].map((n) => sampleOf(differences.slice(0, n)));
    expect(looks.map((sample) => Number(eValue(sample, 0).toPrecision(3)))).toEqual([16.6, 82.6, 573]);
    const { low, high } = sequenceInterval(looks[1] ?? sampleOf([]), 0.05);
    expect([Math.expm1(low), Math.expm1(high)]).toEqual([expect.closeTo(-0.144, 3), expect.closeTo(-0.0526, 4)]);
  });

  it("says nothing of one value, and decides equal values", () => {
    expect(eValue(sampleOf([3]), 0)).toBe(1);
    expect(sequenceInterval(sampleOf([3]), 0.05)).toEqual({ low: -Infinity, high: Infinity });
    expect(eValue(sampleOf([0, 0, 0, 0]), 0)).toBeLessThan(1);
    expect(sequenceInterval(sampleOf([1, 1, 1, 1]), 0.05)).toEqual({ low: 1, high: 1 });
    expect(eValue(sampleOf([1, 1, 1, 1]), 0)).toBeGreaterThan(20);
  });
});

/** Share of sequences in which some look from the third on excludes 0, and mean number of values by then. */
function excludes(draw: (experiment: number) => () => number, looks: number, experiments: number) {
  let excluded = 0;
  let values = 0;
  for (let e = 0; e < experiments; e++) {
    const next = draw(e);
    const own: number[] = [];
    for (let n = 1; n <= looks; n++) {
      own.push(next());
      values++;
      if (n < 3 || eValue(sampleOf(own), 0) < 20) continue;
      excluded++;
      break;
    }
  }
  return { share: excluded / experiments, blocks: values / experiments };
}

describe("interim results after each block", () => {
  it("excludes the true mean in at most 5 % of experiments: normal, heavy tails, drift", () => {
    const normal = normals(1);
    const random = seededRandom(2);
    const t3 = () => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);
    // Drift within a block favours whoever runs first, and the order is drawn.
    const drift = () => 0.03 * (random() < 0.5 ? 1 : -1) + 0.02 * normal();
    for (const draw of [normal, t3, drift]) expect(excludes(() => draw, 30, 2000).share).toBeLessThanOrEqual(0.05);
  });

  it("needs at most 1.5 times as many blocks as a test of known length with 80 % power", () => {
    // 10 %, runs that vary by 4 %: the paired t test has 80.1 % at five blocks (by simulation and by noncentral t).
    const normal = normals(3);
    const { share, blocks } = excludes(() => () => Math.log(1.1) + 0.04 * Math.SQRT2 * normal(), 60, 2000);
    expect(share).toBe(1);
    expect(blocks).toBeLessThanOrEqual(1.5 * 5);
  });
});

describe("equivalence", () => {
  /** Share of experiments of up to twelve blocks that prove a mean to be within 3 %. */
  function proven(mean: number, experiments: number): number {
    const normal = normals(4);
    const relevant = Math.log(1.03);
    let found = 0;
    for (let e = 0; e < experiments; e++) {
      const own: number[] = [];
      for (let n = 1; n <= 12; n++) {
        own.push(mean + 0.02 * normal());
        const { low, high } = sequenceInterval(sampleOf(own), equivalenceLevel(0.05));
        if (n < 3 || low < -relevant || high > relevant) continue;
        found++;
        break;
      }
    }
    return found / experiments;
  }

  it("is proven in 80 % of experiments with twelve blocks that vary by 2 %, where 3 % matter", () => {
    expect(proven(0, 1000)).toBeGreaterThanOrEqual(0.8);
  });

  it("is not proven of a difference that just matters, but for 5 %", () => {
    expect(proven(Math.log(1.03), 1000)).toBeLessThanOrEqual(0.05);
  });
});

describe("several hypotheses", () => {
  it("are rejected by e-BH, as its authors define it", () => {
    expect(rejections([100, 1, 0.5, 30], 0.05)).toBe(1);
    expect(rejections([100, 45, 0.5, 30], 0.05)).toBe(3);
    expect(rejections([19], 0.05)).toBe(0);
    expect(rejections([], 0.05)).toBe(0);
  });

  it("keep false rejections among all at 5 %", () => {
    const normal = normals(5);
    let share = 0;
    const experiments = 1000;
    for (let e = 0; e < experiments; e++) {
      const samples = Array.from({ length: 10 }, (_, i) =>
        sampleOf(Array.from({ length: 6 }, () => (i < 5 ? 3 : 0) + normal())),
      );
      const evidence = samples.map((sample) => eValue(sample, 0));
      const rejected = rejections(evidence, 0.05);
      const order = evidence.map((_, i) => i).sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0));
      share += rejected === 0 ? 0 : order.slice(0, rejected).filter((i) => i >= 5).length / rejected;
    }
    expect(share / experiments).toBeLessThanOrEqual(0.05);
  });
});

it("a difference that can be detected is found with about 80 %", () => {
  const normal = normals(6);
  const difference = detectable(8, 0.05, 0.05);
  let found = 0;
  for (let e = 0; e < 1000; e++)
    found += Number(eValue(sampleOf(Array.from({ length: 8 }, () => difference + 0.05 * normal())), 0) >= 20);
  expect(found / 1000).toBeGreaterThan(0.72);
  expect(found / 1000).toBeLessThan(0.9);
});

import type { IntervalSequence } from "../../src/core/stats/quantiles/index.js";
import { seededRandom as seeded, type Random } from "./random.js";

export { seeded, type Random };

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Knuth's product for small means, rounded normal for large ones. */
export function poisson(random: Random, mean: number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let product = random();
  let k = 0;
  while (product > limit) {
    product *= random();
    k++;
  }
  return k;
}

/** Marsaglia and Tsang; shape ≥ 1. */
export function gamma(random: Random, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const z = normal(random);
    const v = (1 + c * z) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * z * z + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Upper bounds of servers people run, and of shapes they do not. */
export const LAYOUTS = {
  vllmTtft: [
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
  ],
  vllmItl: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80],
  vllmE2e: [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680],
  vllmTokens: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
  client: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  doubling: Array.from({ length: 18 }, (_, i) => 0.001 * 2 ** i),
  even: Array.from({ length: 20 }, (_, i) => (i + 1) * 0.25),
  coarse: [0.1, 1, 10],
  signed: [-100, -10, -1, 0, 1, 10, 100],
} as const;

export type Layout = keyof typeof LAYOUTS;

/** What is observed at a share 0..1 of the run; `frame` is shared by the observations of one interval. */
export type Draw = (random: Random, progress: number, frame: { readonly shared: number }) => number;

export interface Simulation {
  readonly uppers: readonly number[];
  readonly draw: Draw;
  /** Mean number of observations in an interval at a share of the run. */
  readonly rate: (progress: number) => number;
  readonly intervals: number;
  readonly seed: number;
}

export interface Simulated {
  readonly sequence: IntervalSequence;
  /** All observations, ascending: the truth. */
  readonly observations: Float64Array;
}

/**
 * Observes into a cumulative histogram, scraped after each interval: sums are differences of a running float sum, as a
 * scrape gives them.
 */
export function simulate({ uppers, draw, rate, intervals, seed }: Simulation): Simulated {
  const random = seeded(seed);
  const bounds = Float64Array.from([...uppers, Infinity]);
  const counts = Array.from(bounds, () => new Float64Array(intervals));
  const sums = new Float64Array(intervals);
  const times = Float64Array.from({ length: intervals }, (_, i) => (i + 1) * 333_000_000);
  const observations: number[] = [];
  let running = 0;
  for (let i = 0; i < intervals; i++) {
    const progress = i / intervals;
    const frame = { shared: normal(random) };
    const before = running;
    for (let k = poisson(random, rate(progress)); k > 0; k--) {
      const value = draw(random, progress, frame);
      observations.push(value);
      running += value;
      const cells = counts[bounds.findIndex((upper) => value <= upper)];
      if (cells !== undefined) cells[i] = (cells[i] ?? 0) + 1;
    }
    sums[i] = running - before;
  }
  return { sequence: { uppers: bounds, times, counts, sums }, observations: Float64Array.from(observations).sort() };
}

/** Linear interpolation between order statistics, rank q·(n−1). */
export function trueQuantile(sorted: Float64Array, q: number): number {
  const rank = q * (sorted.length - 1);
  const low = Math.floor(rank);
  const from = sorted[low] ?? NaN;
  return from + ((sorted[low + 1] ?? from) - from) * (rank - low);
}

export interface NamedSimulation extends Simulation {
  readonly shape: string;
  readonly layout: Layout;
  /** Observations an interval, about. */
  readonly perInterval: number;
}

/** Shapes by name: each takes its own random parameters, then draws around `scale`. */
const SHAPES: Readonly<Record<string, (random: Random, scale: number) => Draw>> = {
  constant: (_, scale) => () => scale,
  steps: (random, scale) => {
    const levels = Array.from({ length: 2 + Math.floor(random() * 3) }, () => scale * Math.exp(1.2 * normal(random)));
    return (r) => levels[Math.floor(r() * levels.length)] ?? scale;
  },
  uniform: (random, scale) => {
    const from = random();
    return (r) => scale * (from + r() * 1.5);
  },
  normal: (random, scale) => {
    const cv = 0.03 + 0.2 * random();
    return (r) => scale * Math.abs(1 + cv * normal(r));
  },
  exponential: (_, scale) => (r) => -scale * Math.log(1 - r()),
  gamma: (random, scale) => {
    const shape = 1 + 5 * random();
    return (r) => (scale * gamma(r, shape)) / shape;
  },
  lognormal: (random, scale) => {
    const sigma = 0.15 + 1.1 * random();
    return (r) => scale * Math.exp(sigma * normal(r));
  },
  weibull: (random, scale) => {
    const k = 0.6 + 2 * random();
    return (r) => scale * (-Math.log(1 - r())) ** (1 / k);
  },
  pareto: (random, scale) => {
    const alpha = 1.2 + 2 * random();
    return (r) => scale * (1 - r()) ** (-1 / alpha);
  },
  mixture: (random, scale) => {
    const [share, ratio, sigma] = [0.05 + 0.5 * random(), 3 + 12 * random(), 0.1 + 0.4 * random()];
    return (r) => (r() < share ? ratio : 1) * scale * Math.exp(sigma * normal(r));
  },
  integers: (random, scale) => {
    const spread = 0.3 + random();
    return (r) => Math.max(1, Math.round(Math.max(3, scale * 50) * Math.exp(spread * normal(r))));
  },
  ramp: (random, scale) => {
    const [end, sigma] = [2 + 6 * random(), 0.05 + 0.4 * random()];
    return (r, progress) => scale * (1 + (end - 1) * progress) * Math.exp(sigma * normal(r));
  },
  stages: (random, scale) => {
    const [growth, sigma] = [1.4 + random(), 0.05 + 0.3 * random()];
    return (r, progress) => scale * growth ** Math.floor(progress * 5) * Math.exp(sigma * normal(r));
  },
  batches: (random, scale) => {
    const [common, own] = [0.2 + 0.4 * random(), 0.05 + 0.2 * random()];
    return (r, _, frame) => scale * Math.exp(common * frame.shared + own * normal(r));
  },
  queue: (random, scale) => {
    // Lindley's recursion: waiting of one server at a load below 1, service times exponential.
    const load = 0.6 + 0.35 * random();
    let waiting = 0;
    return (r) => {
      const service = -Math.log(1 - r());
      waiting = Math.max(0, waiting + service + Math.log(1 - r()) / load);
      return scale * (0.2 + waiting + service) * 0.3;
    };
  },
  signed: (random, scale) => {
    const shift = normal(random);
    return (r) => 5 * (scale + 1) * (shift + normal(r));
  },
};

const PER_INTERVAL = [0.3, 0.7, 2, 5, 20, 60, 300, 1000];
const INTERVALS = [30, 100, 180, 600, 2000, 10_000];

/** `count` scenarios with every shape in turn, on random layouts, loads and lengths (at most `observations` each). */
export function simulations(count: number, seed: number, observations = 100_000): NamedSimulation[] {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[], fallback: T): T => list[Math.floor(random() * list.length)] ?? fallback;
  const shapes = Object.entries(SHAPES);
  return Array.from({ length: count }, (_, i) => {
    const [shape, make] = shapes[i % shapes.length] ?? ["constant", () => () => 1];
    const layout: Layout =
      shape === "signed"
        ? "signed"
        : shape === "integers"
          ? "vllmTokens"
          : pick(Object.keys(LAYOUTS).filter(isLayout), "client");
    const uppers = LAYOUTS[layout];
    const positive = uppers.filter((upper) => upper > 0);
    const scale =
      layout === "signed"
        ? 3
        : (positive[Math.floor((0.2 + 0.5 * random()) * positive.length)] ?? 1) * (0.6 + random());
    let perInterval = pick(PER_INTERVAL, 5);
    let intervals = pick(INTERVALS, 180);
    while (perInterval * intervals > observations) {
      if (random() < 0.5) perInterval = Math.max(0.3, perInterval / 4);
      else intervals = Math.max(30, Math.round(intervals / 3));
    }
    while (perInterval * intervals < 40) intervals *= 3;
    const swing = random() < 0.5 ? 0 : 0.8 * random();
    return {
      shape,
      layout,
      uppers,
      perInterval,
      intervals,
      draw: make(random, scale),
      rate: (progress) => perInterval * (1 + swing * Math.sin(12 * progress)),
      seed: seed * 1000 + i,
    };
  });
}

function isLayout(name: string): name is Layout {
  return Object.hasOwn(LAYOUTS, name);
}

/** One histogram that is scraped 180 times, or as the options say. */
export function series(
  draw: Draw,
  options: { layout?: Layout; perInterval?: number; intervals?: number; seed?: number } = {},
) {
  const { layout = "client", perInterval = 5, intervals = 180, seed = 1 } = options;
  return simulate({ uppers: LAYOUTS[layout], draw, rate: () => perInterval, intervals, seed });
}

export const lognormal: Draw = (random) => 0.15 * Math.exp(0.6 * normal(random));

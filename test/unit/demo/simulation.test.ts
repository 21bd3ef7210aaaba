import { describe, expect, it } from "vitest";
import { timesOf, type Request } from "../../../src/demo/request.js";
import { BLOCK_SIZE, MAX_NUM_SEQS, Simulation, type SimulationOptions } from "../../../src/demo/simulation.js";

const DEFAULTS: SimulationOptions = { seed: 1, kvBlocks: 2200, rate: 12, draftTokens: 3 };

/** Runs a simulation and keeps what it reported. */
function run(options: Partial<SimulationOptions>, seconds: number, perStep?: (simulation: Simulation) => void) {
  const simulation = new Simulation({ ...DEFAULTS, ...options });
  const arrived: Request[] = [];
  const finished: Request[] = [];
  const reported = { preemptions: 0, firstTokens: 0, laterTokens: 0, intervals: 0, stepTokens: 0, lastEnd: 0 };
  simulation.observe({
    arrived: (request) => arrived.push(request),
    preempted: () => reported.preemptions++,
    firstToken: () => reported.firstTokens++,
    tokens: (_request, count, interval) => {
      reported.laterTokens += count;
      reported.intervals += interval;
    },
    stepped: ({ start, end, generatedTokens }) => {
      expect(start).toBeGreaterThanOrEqual(reported.lastEnd);
      expect(end).toBeGreaterThan(start);
      reported.lastEnd = end;
      reported.stepTokens += generatedTokens;
      perStep?.(simulation);
    },
    finished: (request) => finished.push(request),
  });
  simulation.advanceTo(seconds);
  return { simulation, arrived, finished, reported };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const percentile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? NaN;

describe("requests and tokens of a simulation", () => {
  for (const options of [{}, { kvBlocks: 600 }, { draftTokens: 0, rate: 7 }, { kvBlocks: 16 }]) {
    it(`holds with ${JSON.stringify(options)}`, () => {
      const { simulation, arrived, finished, reported } = run(options, 100);
      expect(arrived.length).toBe(finished.length + simulation.running.length + simulation.waiting.length);
      expect(sum(arrived.map(({ generated }) => generated))).toBe(reported.firstTokens + reported.laterTokens);
      expect(reported.stepTokens).toBe(reported.firstTokens + reported.laterTokens);
      const started = arrived.filter(({ firstToken }) => firstToken !== undefined);
      expect(started.length).toBe(reported.firstTokens);
      expect(sum(started.map(({ firstToken, lastToken }) => (lastToken ?? NaN) - (firstToken ?? NaN)))).toBeCloseTo(
        reported.intervals,
        6,
      );
      for (const request of finished) {
        const times = timesOf(request);
        expect(request.generated).toBe(request.outputTokens);
        expect(request.lastToken).toBe(request.finished);
        expect(Math.min(times.queue, times.prefill, times.decode)).toBeGreaterThanOrEqual(0);
        expect(times.queue + times.prefill + times.decode).toBeCloseTo(times.e2e, 9);
      }
    });
  }
});

describe("the KV cache", () => {
  for (const kvBlocks of [16, 100, 2200]) {
    it(`of ${kvBlocks} blocks is never overfull, and what is used belongs to those running`, () => {
      let fullest = 0;
      run({ kvBlocks }, 90, (simulation) => {
        const { running, waiting, usedBlocks } = simulation;
        fullest = Math.max(fullest, usedBlocks);
        expect(usedBlocks).toBeLessThanOrEqual(kvBlocks);
        expect(usedBlocks).toBe(sum(running.map(({ blocks }) => blocks)));
        expect(sum(waiting.map(({ blocks }) => blocks))).toBe(0);
        expect(running.length).toBeLessThanOrEqual(MAX_NUM_SEQS);
        for (const { blocks, computed } of running) expect(blocks * BLOCK_SIZE).toBeGreaterThanOrEqual(computed);
      });
      expect(fullest / kvBlocks).toBeGreaterThan(0.9);
    });
  }

  it("makes the server preempt when it is small, and not when it is large", () => {
    expect(run({ kvBlocks: 800 }, 120).reported.preemptions).toBeGreaterThan(50);
    expect(run({ kvBlocks: 8192 }, 120).reported.preemptions).toBe(0);
  });

  it("decides over waiting, with the very same requests", () => {
    const sizes = [1000, 1600, 2200, 8192].map((kvBlocks) => run({ kvBlocks }, 145));
    const contents = sizes.map(({ arrived }) =>
      arrived.map(({ arrival, promptTokens, maxTokens }) => [arrival, promptTokens, maxTokens]),
    );
    for (const other of contents.slice(1)) expect(other).toEqual(contents[0]);
    const queueing = sizes.map(({ finished }) =>
      percentile(
        finished.map((request) => timesOf(request).queue),
        0.99,
      ),
    );
    const ttft = sizes.map(({ finished }) =>
      percentile(
        finished.map((request) => (request.firstToken ?? NaN) - request.arrival),
        0.99,
      ),
    );
    for (const worse of [queueing, ttft]) {
      for (let i = 1; i < worse.length; i++) expect(worse[i - 1]! / worse[i]!).toBeGreaterThan(1.2);
    }
  });
});

describe("the load", () => {
  it("has its mean over a cycle, its peak in the middle and its trough at the ends", () => {
    const { arrived } = run({ rate: 20, kvBlocks: 8192 }, 480);
    // Poisson: within four standard deviations.
    expect(Math.abs(arrived.length - 9600)).toBeLessThan(4 * Math.sqrt(9600));
    const within = (from: number, to: number) =>
      arrived.filter(({ arrival }) => arrival % 120 >= from && arrival % 120 < to).length;
    expect(within(50, 70) / (within(0, 10) + within(110, 120))).toBeGreaterThan(10);
  });

  for (const [name, options] of [
    ["with speculation", {}],
    ["without", { draftTokens: 0, rate: 7 }],
  ] as const) {
    for (const seed of [1, 2, 3]) {
      it(`fills the cache and queues at the peak, and is quiet in the trough (${name}, seed ${seed})`, () => {
        const simulation = new Simulation({ ...DEFAULTS, ...options, seed });
        const seen: { second: number; usage: number; waiting: number }[] = [];
        for (let second = 1; second <= 240; second++) {
          simulation.advanceTo(second);
          seen.push({ second: second % 120, usage: simulation.kvUsage, waiting: simulation.waiting.length });
        }
        const peak = seen.filter(({ second }) => second > 45 && second < 90);
        const trough = seen.filter(({ second }) => second < 5 || second > 115);
        expect(Math.max(...peak.map(({ usage }) => usage))).toBeGreaterThan(0.9);
        expect(Math.max(...peak.map(({ waiting }) => waiting))).toBeGreaterThan(5);
        expect(Math.max(...trough.map(({ usage }) => usage))).toBeLessThan(0.5);
        expect(Math.max(...trough.map(({ waiting }) => waiting))).toBeLessThan(3);
      });
    }
  }
});

describe("the simulation's time", () => {
  it("passes the same in one leap as in small steps", () => {
    const leap = new Simulation(DEFAULTS);
    const steps = new Simulation(DEFAULTS);
    leap.advanceTo(77);
    for (let i = 1; i <= 7700; i++) steps.advanceTo(i / 100);
    const state = ({ running, waiting, usedBlocks, busySeconds }: Simulation) => ({
      running,
      waiting,
      usedBlocks,
      busySeconds,
    });
    expect(state(steps)).toEqual(state(leap));
    leap.advanceTo(10);
    expect(leap.now).toBe(77);
  });
});

it("the simulation refuses a server that cannot be", () => {
  expect(() => new Simulation({ ...DEFAULTS, kvBlocks: 15 })).toThrow(/at least 16 blocks, not 15/);
  expect(() => new Simulation({ ...DEFAULTS, rate: 0 })).toThrow(/rate above 0/);
});

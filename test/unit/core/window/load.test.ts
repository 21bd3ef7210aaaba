import { describe, expect, it } from "vitest";
import type { ClientResult } from "../../../../src/core/client/index.js";
import { epochNs, loadWindowText } from "../../../../src/core/model/index.js";
import { complete, runStatistics, type RunWindow } from "../../../../src/core/stats/index.js";
import { Run } from "../../../../src/core/store/index.js";
import { findLoad, idleParts, loadBegun, measureLoad, runPhases } from "../../../../src/core/window/index.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

/** A request: when it came and when it was over, seconds. */
type Request = readonly [from: number, to: number];

const INTERVAL = 0.333;
const TOKENS = 30;

/**
 * What a server's scrapes show of requests that are known exactly, every third of a second.
 * @param idle further servers, without requests
 */
function served(requests: readonly Request[], seconds: number, servers = 1, idle = 0): Run {
  const builder = new RunBuilder();
  for (let server = 0; server < servers + idle; server++) {
    const own = requests.filter((_, i) => i % servers === server);
    for (let tick = 0; tick * INTERVAL <= seconds; tick++) {
      const t = tick * INTERVAL + server * 0.02;
      const done = own.filter(([, to]) => to <= t).length;
      const tokens = own.reduce((sum, [from, to]) => sum + Math.floor(TOKENS * share(t, from, to)), 0);
      builder.scrape(
        t,
        [
          { name: "vllm:num_requests_running", value: own.filter(([from, to]) => from <= t && to > t).length },
          { name: "vllm:num_requests_waiting", value: 0 },
          { name: "vllm:request_success", type: "counter", value: done },
          { name: "vllm:generation_tokens", type: "counter", value: tokens },
        ],
        `http://s${server}:8000/metrics`,
      );
    }
  }
  return builder.window(0, seconds).run;
}

const share = (t: number, from: number, to: number) => Math.min(1, Math.max(0, (t - from) / (to - from)));
const at = (seconds: number) => epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));
const secondsOf = (time: bigint) => Number(time - ORIGIN) / SECOND;

function client(requests: readonly Request[], offset = 0, more: Partial<ClientResult> = {}): ClientResult {
  return {
    tool: "GuideLLM",
    configuration: {},
    stored: [],
    notices: [],
    requests: requests.map(([from, to]) => ({ start: at(from + offset), end: at(to + offset), outcome: "completed" })),
    ...more,
  };
}

/** Requests that ended within the measured window, by the servers' counters, and their rate. */
function counted(run: Run, window?: RunWindow): { readonly total: number; readonly rate: number } {
  const { families } = complete(
    runStatistics(run, { unitOf: () => undefined, ...(window === undefined ? {} : { window }) }),
  );
  const family = families.find(({ name }) => name === "vllm:request_success");
  if (family?.type !== "counter") throw new Error("no counter of finished requests");
  return {
    total: family.series.reduce((sum, { stats }) => sum + stats.total, 0),
    rate: family.series.reduce((sum, { stats }) => sum + (stats.rate ?? 0), 0),
  };
}

function measured(run: Run, results: readonly ClientResult[] = []) {
  const load = findLoad(run, results);
  if (load !== undefined) run.measureLoad(load);
  return load;
}

/** Numbers in [0, 1) that are the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** Requests at a mean rate, each of a random length. */
function poisson(from: number, to: number, rate: number, length: number, seed = 7): Request[] {
  const next = random(seed);
  const out: Request[] = [];
  for (let t = from; ;) {
    t += -Math.log(1 - next()) / rate;
    if (t >= to) return out;
    out.push([t, t + length * (0.5 + next())]);
  }
}

/** Users that send the next request when the last one is over. */
function closed(from: number, to: number, users: number, length: number): Request[] {
  const next = random(11);
  return Array.from({ length: users }, () => {
    const own: Request[] = [];
    for (let t = from; t < to;) {
      const end = t + length * (0.5 + next());
      own.push([t, end]);
      t = end + 0.005;
    }
    return own;
  }).flat();
}

/** A probe each `every` seconds. */
function probes(from: number, to: number, every: number): Request[] {
  return Array.from({ length: Math.floor((to - from) / every) }, (_, i): Request => [
    from + i * every,
    from + i * every + 0.05,
  ]);
}

const first = (requests: readonly Request[]) => Math.min(...requests.map(([from]) => from));
const last = (requests: readonly Request[]) => Math.max(...requests.map(([, to]) => to));

describe("the window of the load, from the servers' activity", () => {
  const loads: readonly (readonly [name: string, load: Request[]])[] = [
    ["of users that never pause", closed(8, 30, 8, 1.2)],
    ["of one user", closed(8, 30, 1, 0.4)],
    ["that is slow: a short request every few seconds", poisson(8, 90, 0.3, 0.3)],
    ["at a random rate with pauses", poisson(8, 60, 1.6, 0.6)],
    ["in bursts with long pauses", [...closed(8, 10, 10, 0.5), ...closed(30, 32, 10, 0.5), ...closed(52, 54, 10, 0.5)]],
    ["in two steps, the first a tenth of the second", [...closed(8, 28, 1, 0.5), ...closed(34, 54, 10, 0.5)]],
    ["in two steps, the second a tenth of the first", [...closed(8, 28, 10, 0.5), ...closed(34, 54, 1, 0.5)]],
  ];
  it.each(loads)("is that of a load %s", (_, load) => {
    for (const servers of [1, 3]) {
      const end = last(load) + 6;
      const run = served(load, end, servers);
      const window = measured(run);
      expect(window).toMatchObject({ by: "activity", mayBeOff: 0 });
      expect(secondsOf(window?.start ?? 0n)).toBeGreaterThan(first(load) - INTERVAL - 0.1);
      expect(secondsOf(window?.start ?? 0n)).toBeLessThanOrEqual(first(load) + 0.1);
      expect(secondsOf(window?.end ?? 0n)).toBeLessThan(last(load) + INTERVAL + 0.1);
      const { total, rate } = counted(run);
      expect(total).toBe(load.length);
      const seconds = last(load) - first(load);
      // Right within two intervals; replicas each end with their own last request.
      if (servers === 1) expect(Math.abs(rate / (load.length / seconds) - 1)).toBeLessThan((2 * INTERVAL) / seconds);
    }
  });

  it.each([10, 30])("leaves out a probe each %i s before and after it", (every) => {
    const load = closed(200, 230, 8, 0.8);
    const run = served([...probes(3, 195, every), ...load, ...probes(236, 400, every)], 400);
    expect(measured(run)).toMatchObject({ by: "activity", mayBeOff: 0 });
    expect(counted(run).total).toBe(load.length);
  });

  it("is all of a trickle that no load follows", () => {
    const trickle = probes(5, 100, 10);
    const run = served(trickle, 110);
    measured(run);
    expect(counted(run).total).toBe(trickle.length);
  });

  it("goes to the end of a capture in which the load does not end, and says what that may miss", () => {
    const load = closed(8, 60, 4, 1);
    const run = served(load, 30);
    const window = measured(run);
    expect(secondsOf(window?.end ?? 0n)).toBeGreaterThan(30 - INTERVAL);
    expect(window?.mayBeOff).toBe(4);
  });

  it("begins with the capture where the load was there before it", () => {
    const run = served(closed(-10, 20, 4, 1), 30);
    expect(measured(run)).toMatchObject({ start: at(0), mayBeOff: 4 });
  });

  it("is none of servers that tell nothing of requests, and of servers that were asked nothing", () => {
    const other = new RunBuilder();
    for (let t = 0; t < 10; t++) other.scrape(t, [{ name: "process_cpu_seconds", type: "counter", value: t }]);
    expect(findLoad(other.window(0, 9).run)).toBeUndefined();
    expect(findLoad(served([], 20))).toBeUndefined();
  });
});

describe("the window of the load, from the load generator's file", () => {
  const load = closed(20, 50, 8, 1);

  it("has the load generator's requests, not the warm-up before them, and its duration", () => {
    const warmup = closed(10, 14, 8, 1);
    const run = served([...warmup, ...load], 60);
    const seconds = last(load) - first(load);
    expect(measured(run, [client(load)])).toMatchObject({ by: "client", tool: "GuideLLM", mayBeOff: 0 });
    const { total, rate } = counted(run);
    expect(total).toBe(load.length);
    expect(rate).toBeCloseTo(load.length / seconds, 6);
  });

  it("begins at the first idle gap, not at one that requests which end together leave before the client hears", () => {
    // AIPerf with six users against vLLM: rounds of six that end together, each heard of a little later.
    const rounds = Array.from({ length: 14 }, (_, i): Request => [
      6.4 + i * 0.8,
      6.95 + i * 0.8 + 0.02 * ((7 * i) % 10),
    ]);
    const six = ([from, to]: Request): Request[] => Array.from({ length: 6 }, (): Request => [from, to]);
    const run = served([...six([5, 6.2]), ...rounds.flatMap(six)], 25);
    const heard = rounds.flatMap(([from, to]) => six([from - 0.3, to + 0.05]));
    expect(measured(run, [client(heard)])).toMatchObject({ by: "client", mayBeOff: 0 });
    expect(counted(run).total).toBe(6 * rounds.length);
  });

  it("begins at no idle gap that its own first requests leave before the client hears of their end", () => {
    // AIPerf with six users against llama.cpp: the warm-up runs into the load, whose first round ends before a scrape.
    const six = ([from, to]: Request): Request[] => Array.from({ length: 6 }, (): Request => [from, to]);
    const rounds = Array.from({ length: 10 }, (_, i): Request => [6.21 + 1.8 * i, 7.95 + 1.8 * i]);
    const run = served([...six([5, 6.2]), ...rounds.flatMap(six)], 30);
    const window = measured(run, [client(rounds.flatMap(([from, to]) => six([from - 0.005, to + 0.05])))]);
    const off = counted(run).total - 6 * rounds.length;
    expect(off).toBe(6);
    expect(window?.mayBeOff).toBeGreaterThanOrEqual(off);
  });

  it("says by how many requests it may be off where the warm-up runs into it", () => {
    const warmup = closed(10, 20.2, 3, 2);
    const run = served([...warmup, ...load], 60);
    const window = measured(run, [client(load)]);
    const off = Math.abs(counted(run).total - load.length);
    expect(window?.mayBeOff).toBeGreaterThanOrEqual(off);
    expect(window?.mayBeOff).toBeLessThan(20);
  });

  it.each([0, 1])("says so where a short warm-up lies between the last idle scrape and the load, %i others", (idle) => {
    // AIPerf against mocked workers: six requests of 0.3 s, then the load at once, all within one interval.
    const warmup = Array.from({ length: 6 }, (): Request => [15.02, 15.08]);
    const load = closed(15.1, 30, 6, 0.4);
    const run = served([...warmup, ...load], 40, 1, idle);
    const window = measured(run, [client(load)]);
    const off = counted(run).total - load.length;
    expect(off).toBe(6);
    expect(window?.mayBeOff).toBe(6);
  });

  it.each([-7200, -41.7, 3.4, 3600])("aligns a clock that is %f s off by the counters, and says so", (off) => {
    const run = served([...closed(10, 14, 8, 1), ...load], 60);
    const window = measured(run, [client(load, off)]);
    expect(window?.clockOffsetSeconds).toBeDefined();
    expect(Math.abs((window?.clockOffsetSeconds ?? 0) + off)).toBeLessThan(INTERVAL);
    expect(counted(run).total).toBe(load.length);
  });

  it("is the servers' where the file has nothing in common with the run", () => {
    const run = served(load, 60);
    const other = client([[-5000, -4999]]);
    expect(measured(run, [other])).toMatchObject({ by: "activity" });
    expect(counted(run).total).toBe(load.length);
  });

  it("has a phase for each of several loads of the file, with the requests of that load", () => {
    const [slow, fast] = [closed(20, 35, 2, 1), closed(37, 50, 8, 1)];
    const run = served([...closed(5, 8, 4, 1), ...slow, ...fast], 60);
    const results = [client(fast, 0, { label: "concurrent 8" }), client(slow, 0, { label: "concurrent 2" })];
    const load = measureLoad(run, { clients: results });
    expect(counted(run).total).toBe(slow.length + fast.length);
    const phases = runPhases(run);
    expect(phases.map(({ name }) => name)).toEqual(["concurrent_2", "concurrent_8"]);
    expect([phases[0]?.start, phases[1]?.end]).toEqual([load?.start, load?.end]);
    expect(phases.map(({ window }) => counted(run, window).total)).toEqual([slow.length, fast.length]);
  });

  it("has no phases where loads ran at the same time", () => {
    const [one, other] = [closed(20, 40, 2, 1), closed(25, 50, 8, 1)];
    const run = served([...one, ...other], 60);
    measureLoad(run, { clients: [client(one), client(other)] });
    expect([run.phases, counted(run).total]).toEqual([[], one.length + other.length]);
  });

  it("divides by the duration of a file without requests", () => {
    const run = served(load, 60);
    expect(measured(run, [client([], 0, { durationSeconds: 30.5 })])).toMatchObject({ by: "client", seconds: 30.5 });
    expect(counted(run).rate).toBeCloseTo(load.length / 30.5, 6);
  });
});

describe("a run of which the load is known", () => {
  it("measures all of it again when asked to, and keeps what it knows", () => {
    const run = served(closed(20, 30, 8, 1), 40);
    const load = measured(run);
    expect([run.windowRule, run.profilingStart, run.profilingEnd]).toEqual(["load", load?.start, load?.end]);
    run.applyWindowRule("all");
    expect([run.windowRule, run.profilingStart, run.profilingEnd]).toEqual(["all", at(0), at(40)]);
    run.applyWindowRule("load");
    expect(run.profilingStart).toBe(load?.start);
  });

  it("is said to be no longer than the run that it fills", () => {
    const load = {
      start: at(0),
      end: at(24.06),
      by: "activity",
      mayBeOff: 0,
      whole: { start: at(0), end: at(24) },
    } as const;
    expect(loadWindowText(load, "all")).toBe("measured: all 24.0 s, of which 24.0 s are load");
  });

  it("counts a stated warm-up from the load's start, and from the capture's where all is measured", () => {
    const run = served(closed(20, 50, 8, 1), 60);
    run.setProfilingStart(at(10));
    run.putPhase({ name: "warmup", kind: "warmup", start: at(0) });
    const load = measureLoad(run, { warmupSeconds: 10 });
    const warmup = () => run.phases.map(({ start, end }) => [secondsOf(start), secondsOf(end ?? 0n)]);
    const [[begins = 0, ends = 0] = []] = warmup();
    expect(begins).toBeGreaterThan(20 - INTERVAL - 0.1);
    expect(begins).toBeLessThanOrEqual(20.1);
    expect(ends - begins).toBeCloseTo(10, 6);
    expect(secondsOf(load?.start ?? 0n)).toBe(ends);
    // Its files tell both.
    const again = new Run(run.metadata, run.store);
    expect(again.load).toEqual(load);
    run.applyWindowRule("all");
    expect([warmup(), secondsOf(run.profilingStart)]).toEqual([[[0, 10]], 10]);
    run.applyWindowRule("load");
    expect(warmup()).toEqual([[begins, ends]]);
  });

  it("has scrapes of the load alone as profiling, those of its warm-up before it, and idle parts of no phase", () => {
    const run = served(closed(20, 50, 8, 1), 60);
    run.putPhase({ name: "warmup", kind: "warmup", start: at(0), end: at(1) });
    measureLoad(run, { warmupSeconds: 10 });
    const phaseAt = (seconds: number) => run.phaseOf({ time: at(seconds), requestSent: at(seconds - 0.01) });
    expect([5, 25, 40, 58].map(phaseAt)).toEqual([undefined, "warmup", "profiling", undefined]);
    expect(idleParts(run).map(({ name }) => name)).toEqual(["idle before", "idle after"]);
    run.applyWindowRule("all");
    expect([phaseAt(58), idleParts(run)]).toEqual(["profiling", []]);
  });

  it("knows where the load of a capture under way began, a probe before it left out", () => {
    const load = closed(60, 200, 8, 1);
    expect(loadBegun(served([], 20))).toBeUndefined();
    const begun = loadBegun(served([...probes(3, 55, 10), ...load], 90)) ?? 0n;
    expect(Math.abs(secondsOf(begun) - 60)).toBeLessThan(INTERVAL);
  });
});

import { describe, expect, it } from "vitest";
import { durationNs, epochNs } from "../../../src/core/model/index.js";
import { GridSchedule, gridStarts, type NextRun } from "../../../src/collect/schedule.js";
import { FakeTime, settlePromises } from "../../support/fake-time.js";

const INTERVAL_MS = 333;
const NEXT: NextRun = { kind: "next-tick" };

/** A schedule whose runs take as long as `tookMs` says (cycling), with the moments they began, in ms from the start. */
function setUp(tookMs: readonly number[], rest: (run: number) => NextRun = () => NEXT) {
  const time = new FakeTime();
  const start = time.now();
  const begun: number[] = [];
  const schedule = new GridSchedule(time, start, durationNs(INTERVAL_MS * 1e6), () => {
    const run = begun.push(Number(time.now() - start) / 1e6) - 1;
    const took = tookMs[run % tookMs.length] ?? 0;
    if (took === 0) return Promise.resolve(rest(run));
    return new Promise((resolve) => void time.after(took, () => resolve(rest(run))));
  });
  return { time, schedule, begun };
}

describe("GridSchedule", () => {
  it("runs the n-th time at start + n·interval, without drift, however late timers fire", async () => {
    const { time, schedule, begun } = setUp([7, 120, 0, 300]);
    schedule.begin();
    // A timer that is always a little late must not add up.
    const ticks = 1000;
    await time.advance(INTERVAL_MS * (ticks - 1) + 50, 0.7);
    expect(begun).toHaveLength(ticks);
    for (const [n, at] of begun.entries()) expect(at - n * INTERVAL_MS).toBeLessThan(2);
    expect(schedule.missedTicks).toBe(0);
  });

  it("keeps the grid when a timer is early", async () => {
    const time = new FakeTime();
    const start = time.now();
    const early = {
      now: () => time.now(),
      idleMs: () => time.idleMs(),
      stalledMs: () => 0,
      suspendedMs: () => 0,
      after: (ms: number, callback: () => void) => time.after(Math.max(0, ms - 0.9), callback),
    };
    const begun: number[] = [];
    const schedule = new GridSchedule(early, start, durationNs(INTERVAL_MS * 1e6), () => {
      begun.push(Number(time.now() - start) / 1e6);
      return Promise.resolve(NEXT);
    });
    schedule.begin();
    await time.advance(INTERVAL_MS * 100.5);
    expect(begun).toHaveLength(101);
    expect(schedule.missedTicks).toBe(0);
  });

  it("tells ticks missed for want of a processor from those that a slow answer outlasts", async () => {
    const time = new FakeTime();
    const start = time.now();
    const answers: (() => void)[] = [];
    const schedule = new GridSchedule(time, start, durationNs(INTERVAL_MS * 1e6), () => {
      return new Promise((resolve) => answers.push(() => resolve(NEXT)));
    });
    const missed = () => [schedule.missedTicks, schedule.missedTicksHere];
    const answer = async () => {
      answers.pop()?.();
      await settlePromises();
    };
    schedule.begin();
    await time.advance(0);
    // The answer takes two ticks.
    await time.advance(2.5 * INTERVAL_MS);
    await answer();
    expect(missed()).toEqual([2, 0]);
    // It takes half a tick, and is taken two later: others had the processor.
    await time.advance(0.5 * INTERVAL_MS);
    await time.advance(0.5 * INTERVAL_MS);
    time.stall(2 * INTERVAL_MS);
    await answer();
    expect(missed()).toEqual([4, 2]);
    // Nothing was under way: the timer is late.
    time.stall(3 * INTERVAL_MS);
    await time.advance(0);
    expect(missed()).toEqual([6, 4]);
  });

  it("skips the ticks that pass during a long run, counts them and goes on with the grid", async () => {
    const { time, schedule, begun } = setUp([800, 10, 10]);
    schedule.begin();
    await time.advance(INTERVAL_MS * 5 + 1);
    // Run 0 lasts beyond ticks 1 and 2; ticks 3, 4 and 5 are in time.
    expect(begun).toEqual([0, 999, 1332, 1665]);
    expect(schedule.missedTicks).toBe(2);
  });

  it("does not count the tick at which a run ends to the nanosecond", async () => {
    const { time, schedule, begun } = setUp([INTERVAL_MS]);
    schedule.begin();
    await time.advance(INTERVAL_MS * 3);
    expect(begun.slice(0, 3)).toEqual([0, 333, 666]);
    expect(schedule.missedTicks).toBe(0);
  });

  it("counts the ticks during which the process was stalled", async () => {
    const { time, schedule, begun } = setUp([0]);
    schedule.begin();
    await time.advance(10);
    time.hold(INTERVAL_MS * 4);
    await time.advance(0);
    await time.advance(INTERVAL_MS);
    expect(begun).toEqual([0, 1342, 1665]);
    expect(schedule.missedTicks).toBe(3);
  });

  it("never runs twice at once", async () => {
    let running = 0;
    let most = 0;
    const time = new FakeTime();
    const schedule = new GridSchedule(time, time.now(), durationNs(INTERVAL_MS * 1e6), async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => void time.after(5000, resolve));
      running--;
      return NEXT;
    });
    schedule.begin();
    await time.advance(2000);
    schedule.runNow();
    await time.advance(20_000);
    expect(most).toBe(1);
  });

  it("rests as long as a run asks for, on the grid, and does not call that missed", async () => {
    const { time, schedule, begun } = setUp([0], (run) =>
      run < 2 ? { kind: "pause", duration: durationNs(1000 * 1e6) } : NEXT,
    );
    schedule.begin();
    await time.advance(4000);
    expect(begun.slice(0, 4)).toEqual([0, 1332, 2664, 2997]);
    expect(schedule.missedTicks).toBe(0);
  });

  it("runNow cuts a rest short and joins the grid", async () => {
    const { time, schedule, begun } = setUp([0], (run) =>
      run === 0 ? { kind: "pause", duration: durationNs(60_000 * 1e6) } : NEXT,
    );
    schedule.begin();
    await time.advance(500);
    schedule.runNow();
    await settlePromises();
    await time.advance(500);
    expect(begun).toEqual([0, 500, 666, 999]);
  });

  it("runNow during a run makes another follow it, even one that would have been the last", async () => {
    const { time, schedule, begun } = setUp([100, 0], (run) => (run === 0 ? { kind: "stop" } : NEXT));
    schedule.begin();
    await time.advance(50);
    schedule.runNow();
    await time.advance(350);
    expect(begun).toEqual([0, 100, 333]);
  });

  it("ends when stopped, and when a run says so, leaving no timer", async () => {
    const stopped = setUp([0]);
    stopped.schedule.begin();
    await stopped.time.advance(400);
    stopped.schedule.stop();
    await stopped.time.advance(10_000);
    expect(stopped.begun).toEqual([0, 333]);
    expect(stopped.time.pending).toBe(0);

    const ended = setUp([0], () => ({ kind: "stop" }));
    ended.schedule.begin();
    await ended.time.advance(10_000);
    expect(ended.begun).toEqual([0]);
    expect(ended.time.pending).toBe(0);
  });

  it("begins nothing while it is paused, then goes on with its grid without a missed tick", async () => {
    const { time, schedule, begun } = setUp([50]);
    schedule.begin();
    await time.advance(INTERVAL_MS * 2 + 100);
    schedule.hold();
    await time.advance(INTERVAL_MS * 3);
    expect(begun).toHaveLength(3);
    schedule.release();
    await time.advance(INTERVAL_MS * 2);
    expect(begun.map((at) => Math.round(at / INTERVAL_MS))).toEqual([0, 1, 2, 6, 7]);
    expect(schedule.missedTicks).toBe(0);
  });

  it("stays ended when it is released after its end", async () => {
    const { time, schedule, begun } = setUp([0]);
    schedule.begin();
    await time.advance(INTERVAL_MS * 1.5);
    schedule.hold();
    await time.advance(INTERVAL_MS);
    schedule.stop();
    schedule.release();
    await time.advance(INTERVAL_MS * 3);
    expect(begun).toHaveLength(2);
  });
});

describe("the grids of many endpoints", () => {
  it("begin together for a few, and for many in groups spread evenly over the first interval", () => {
    const start = epochNs(1_000_000_000n);
    const interval = durationNs(300_000_000);
    expect(new Set(gridStarts(start, 20, interval))).toEqual(new Set([start]));
    const many = gridStarts(start, 200, interval).map((begin) => Number(begin - start));
    expect([many[0], many[7], many[8], many[199]]).toEqual([0, 0, 12_000_000, 288_000_000]);
  });
});

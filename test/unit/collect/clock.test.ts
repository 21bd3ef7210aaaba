import { uptime } from "node:os";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MonotonicClock } from "../../../src/collect/clock.js";

it("the clock is anchored to the wall clock once and then follows the monotonic clock to the nanosecond", () => {
  let wall = 1_763_000_000_123;
  let monotonic = 5_000_000_007n;
  const clock = new MonotonicClock(
    () => wall,
    () => monotonic,
  );
  expect(clock.now()).toBe(1_763_000_000_123_000_000n);
  monotonic += 1n;
  expect(clock.now()).toBe(1_763_000_000_123_000_001n);
  // The wall clock steps back by an hour: samples keep their order.
  wall -= 3_600_000;
  monotonic += 333_000_000n;
  expect(clock.now()).toBe(1_763_000_000_456_000_001n);
});

it("the clock tells the time of day", () => {
  const before = BigInt(Date.now() - 5) * 1_000_000n;
  const now = new MonotonicClock().now();
  const after = BigInt(Date.now() + 5) * 1_000_000n;
  expect(now).toBeGreaterThan(before);
  expect(now).toBeLessThan(after);
});

describe("a machine that is suspended", () => {
  function setUp() {
    const at = { wall: 1_763_000_000_000, monotonic: 5_000, boot: 9_000 };
    const suspended: number[] = [];
    const clock = new MonotonicClock(
      () => at.wall,
      () => BigInt(at.monotonic) * 1_000_000n,
      () => at.boot,
    );
    clock.onSuspended = (ms) => suspended.push(ms);
    const awake = (ms: number) => {
      at.wall += ms;
      at.monotonic += ms;
      at.boot += ms;
    };
    const asleep = (ms: number) => {
      at.wall += ms;
      at.boot += ms;
    };
    return { at, clock, suspended, awake, asleep };
  }

  it("has its time counted on as the wall clock counts it, however often", () => {
    const { at, clock, suspended, awake, asleep } = setUp();
    for (const ms of [3_600_000, 700]) {
      awake(1000);
      expect(clock.now()).toBe(BigInt(at.wall) * 1_000_000n);
      asleep(ms);
      expect(clock.now()).toBe(BigInt(at.wall) * 1_000_000n);
    }
    expect(suspended).toEqual([3_600_000, 700]);
    expect(clock.suspendedMs()).toBe(3_600_700);
  });

  it("is told from a clock that is set, also where both happen", () => {
    const { at, clock, suspended, awake, asleep } = setUp();
    const before = clock.now();
    at.wall += 3_600_000;
    awake(10);
    expect(clock.now() - before).toBe(10_000_000n);
    at.wall -= 7_200_000;
    asleep(60_000);
    expect(clock.now() - before).toBe(60_010_000_000n);
    expect(suspended).toEqual([60_000]);
  });
});

it.runIf(process.platform === "linux")(
  "the clock reads a boot clock that goes with the monotonic one while nobody sleeps",
  async () => {
    const lead = () => 1000 * uptime() - Number(process.hrtime.bigint()) / 1e6;
    const before = lead();
    await setTimeout(50);
    expect(Math.abs(lead() - before)).toBeLessThan(50);
  },
);

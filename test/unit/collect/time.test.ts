import { expect, it } from "vitest";
import { MonotonicClock } from "../../../src/collect/time.js";

it("is anchored to the wall clock once and then follows the monotonic clock to the nanosecond", () => {
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

it("tells the time of day", () => {
  const before = BigInt(Date.now() - 5) * 1_000_000n;
  const now = new MonotonicClock().now();
  const after = BigInt(Date.now() + 5) * 1_000_000n;
  expect(now).toBeGreaterThan(before);
  expect(now).toBeLessThan(after);
});

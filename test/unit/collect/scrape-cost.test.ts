import { describe, expect, it } from "vitest";
import { CostMeter } from "../../../src/collect/scrape-cost.js";

function meter(intervalMs: number, ...latencies: readonly number[]): CostMeter {
  const made = new CostMeter(intervalMs);
  for (const latency of latencies) made.add(latency, 5000);
  return made;
}
const times = (count: number, value: number) => Array<number>(count).fill(value);

describe("the cost of scraping", () => {
  it("is a mean time, its share of the interval, and the last body's bytes", () => {
    expect(new CostMeter(100).cost).toBeUndefined();
    expect(meter(100, 10, 30).cost).toEqual({ bytes: 5000, meanMs: 20, share: 0.2 });
  });

  it("is nothing to speak of below a fifth of the interval, and not judged by a few scrapes", () => {
    expect(meter(100, ...times(100, 19)).problem("a")).toBeUndefined();
    expect(meter(100, ...times(19, 90)).problem("a")).toBeUndefined();
    expect(meter(100, ...times(60, 5), 99, ...times(5, 5)).problem("a")).toBeUndefined();
  });

  it("above that is a warning with a proposal", () => {
    expect(meter(333, ...times(20, 120)).problem("gpu-1:8000")).toMatchObject({
      severity: "warning",
      reason: expect.stringContaining("A scrape of gpu-1:8000 takes 120 ms, 36 % of the interval of 333 ms") as string,
      remedy: expect.stringContaining("--interval 2000ms ") as string,
    });
    expect(meter(50, ...times(20, 11)).problem("a")?.remedy).toContain("--interval 200ms ");
  });

  it("that grows is a warning, too", () => {
    const { reason } = meter(1000, ...times(30, 30), ...times(30, 100)).problem("a") ?? {};
    expect(reason).toBe("Scrapes of a have slowed down from 30 ms to 100 ms during this capture.");
    // By little, in the whole.
    expect(meter(10_000, ...times(30, 30), ...times(30, 100)).problem("a")).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { byteTicks, roundTicks, ticksWithin } from "../../../../webview-ui/format/ticks.js";

describe("ticks of an axis", () => {
  it.each([
    [4388, 5, "tokens/s", [0, 1000, 2000, 3000, 4000]],
    [12.2, 6, "seconds", [0, 2.5, 5, 7.5, 10]],
    [0.0064, 4, "seconds", [0, 0.002, 0.004, 0.006]],
    [1, 5, "ratio", [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ])("are round up to %d", (most, count, unit, ticks) => {
    expect(roundTicks(most, count, unit)).toEqual(ticks);
  });

  it("are round in the unit that bytes are shown in", () => {
    const MiB = 2 ** 20;
    expect(roundTicks(572 * MiB, 4, "bytes").map((value) => value / MiB)).toEqual([0, 200, 400]);
    expect(roundTicks(78, 4, "gibibytes")).toEqual([0, 20, 40, 60]);
  });

  it("are left to the chart where they are no bytes from 0 on", () => {
    expect(byteTicks(0, 3 * 2 ** 30, "bytes")).toHaveLength(4);
    expect(byteTicks(-1, 3 * 2 ** 30, "bytes")).toBeUndefined();
    expect(byteTicks(0, 10, "seconds")).toBeUndefined();
    expect(byteTicks(0, 10, undefined)).toBeUndefined();
  });

  it("lie between two values, with 0 where it is one of them", () => {
    expect(ticksWithin(-0.31, 0.11, 5)).toEqual([-0.3, -0.2, -0.1, 0, 0.1]);
    expect(ticksWithin(0.7, 1.9, 5)).toEqual([0.75, 1, 1.25, 1.5, 1.75]);
    expect(ticksWithin(2, 2, 5)).toEqual([]);
  });

  it("are one where there is nothing to divide", () => {
    for (const most of [0, -1, NaN, Infinity]) expect(roundTicks(most, 5, undefined)).toEqual([0]);
  });
});

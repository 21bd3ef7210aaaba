import { describe, expect, it } from "vitest";
import { formatElapsed, formatLength, formatRelative, timeTicks } from "../../../../webview-ui/format/time.js";

describe("time axis", () => {
  it.each([
    [0, 0, "0"],
    [-10, 0, "-10 s"],
    [59, 0, "59 s"],
    [60, 0, "1:00"],
    [90, 0, "1:30"],
    [-90, 0, "-1:30"],
    [3750, 0, "1:02:30"],
    [0.5, 1, "0.5 s"],
    [90.25, 1, "1:30.3"],
    [-0.04, 1, "0"],
    [59.96, 1, "1:00"],
  ])("writes %d s with %d digits as %s", (seconds, digits, text) => {
    expect(formatRelative(seconds, digits)).toBe(text);
  });

  it("puts ticks on round times, inside the axis, zero among them", () => {
    expect(timeTicks(-30, 120, 6)).toEqual([-30, 0, 30, 60, 90, 120]);
    expect(timeTicks(-12.4, 3.3, 4)).toEqual([-10, -5, 0]);
    expect(timeTicks(0, 0.5, 5)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(timeTicks(5, 5, 4)).toEqual([]);
  });

  it("never gives more ticks than fit, from tenths of a second to weeks", () => {
    for (let span = 0.2; span < 3e6; span *= 1.7) {
      const ticks = timeTicks(-span / 3, span, 6);
      expect(ticks.length).toBeGreaterThan(0);
      expect(ticks.length).toBeLessThanOrEqual(9);
    }
  });

  it("writes an elapsed time", () => {
    expect([0, 42.9, 187, 3750].map(formatElapsed)).toEqual(["0 s", "42 s", "3:07", "1:02:30"]);
    // Of what is over, to the second.
    expect([0, 19.99, 59.94, 459.6].map(formatLength)).toEqual(["0 s", "20 s", "1:00", "7:40"]);
  });
});

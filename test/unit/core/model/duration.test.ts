import { describe, expect, it } from "vitest";
import { parseDuration } from "../../../../src/core/text/index.js";

describe("a duration", () => {
  it.each([
    ["333ms", 0.333],
    ["10s", 10],
    [" 5 m ", 300],
    ["1.5h", 5400],
    ["0.25", 0.25],
    ["1e3", 1000],
    ["2min", 120],
  ])("%s is %f seconds", (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 12);
  });

  it.each(["", "s", "-1s", "5 days", "1:30", "0x10", "Infinity"])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { historyGate, sparkline, stepsOf } from "../../../../src/core/compare/gates/history.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";

/** Values around the given levels, of 2 % spread. */
function around(levels: readonly number[], seed = 1): number[] {
  const random = seeded(seed);
  return levels.map((level) => level * (1 + 0.02 * normal(random)));
}
const levels = (...parts: readonly (readonly [level: number, runs: number])[]) =>
  parts.flatMap(([level, runs]) => Array.from({ length: runs }, () => level));

describe("the steps of a history", () => {
  it("are where a level changed for good, with the levels on both sides", () => {
    const found = stepsOf(around(levels([1, 8], [1.3, 6], [1.1, 5])), 0.03, "down");
    expect(found.map(({ at, verdict }) => [at, verdict])).toEqual([
      [8, "worse"],
      [14, "better"],
    ]);
    expect(found[0]!.share).toBeCloseTo(0.3, 1);
    expect(found[1]!.before).toBeCloseTo(1.3, 1);
    expect(stepsOf(around(levels([1, 8], [1.3, 6])), 0.03, "up")[0]?.verdict).toBe("better");
    expect(stepsOf(around(levels([1, 8], [1.3, 6])), 0.5, "down")).toEqual([]);
  });

  it("are found on both sides of a level that has come back", () => {
    const noise = [0, 0.02, 0.04, 0.01, 0.03, 0, 0.02, 0.04, 0.01, 0.03, 0.02];
    const values = [2, 2, 2, 2, 2.6, 2.6, 2.6, 2.6, 2, 2, 2].map((level, i) => level + (noise[i] ?? 0));
    expect(stepsOf(values, 0.03, "down").map(({ at, verdict }) => [at, verdict])).toEqual([
      [4, "worse"],
      [8, "better"],
    ]);
    // Repeated to the last digit they are certain.
    expect(stepsOf([2, 2, 2, 2, 3, 3, 3, 2, 2, 2], 0.03, "down").map(({ at }) => at)).toEqual([4, 7]);
  });

  it("are not found where nothing changed, nor at a single odd run, but at the newest", () => {
    let alarms = 0;
    for (let seed = 1; seed <= 300; seed++) alarms += stepsOf(around(levels([1, 20]), seed), 0, "down").length;
    expect(alarms / 300).toBeLessThanOrEqual(0.02);
    expect(stepsOf(around([...levels([1, 8]), 1.5, ...levels([1, 8])]), 0.03, "down")).toEqual([]);
    expect(stepsOf(around([...levels([1, 9]), 1.5]), 0.03, "down").map(({ at }) => at)).toEqual([9]);
    expect(stepsOf([1, 1, 2, 2], 0.03, "down")).toEqual([]);
  });

  it("count positions with runs that lack the metric, which leave a gap in the line", () => {
    const values = [...around(levels([1, 6])), NaN, ...around(levels([2, 6]), 2)];
    const steps = stepsOf(values, 0.03, "down");
    expect(steps.map(({ at }) => at)).toEqual([7]);
    expect(sparkline(values, steps)).toMatch(/^[▁▂]{6} \|[▆▇█]{6}$/);
  });

  it("gate by the newest alone, and say when there are too few runs", () => {
    const gate = (values: readonly number[]) =>
      historyGate({
        runs: [],
        courses: [
          {
            id: "a",
            family: "a",
            labels: [],
            quantity: "avg",
            direction: "down",
            values,
            steps: stepsOf(values, 0.03, "down"),
          },
        ],
      }).exitCode;
    expect(gate(around(levels([1, 8], [1.3, 6])))).toBe(1);
    expect(gate(around(levels([1, 8], [1.3, 6], [1, 6])))).toBe(0);
    expect(gate([1, 2, 3])).toBe(3);
  });
});

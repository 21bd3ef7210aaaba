import { describe, expect, it } from "vitest";
import { plotAxis } from "../../../../webview-ui/charts/plot-axes.js";

describe("the axis of a column", () => {
  it("of numbers begins at 0, and has room beyond the largest", () => {
    const axis = plotAxis([1, 4, null], "seconds", 4);
    expect([axis.isNumeric, axis.place(0), axis.place(null)]).toEqual([true, 0, undefined]);
    expect(axis.place(4)).toBeCloseTo(1 / 1.04, 9);
    expect(axis.ticks.map(({ text }) => text)).toEqual(["0", "2 s", "4 s"]);
    expect(axis.ticks[1]?.at).toBeCloseTo(axis.place(2) ?? NaN, 9);
  });

  it("of settings that are numbers has their distances", () => {
    const axis = plotAxis(["64", "128", "256"], undefined, 4);
    const [a = NaN, b = NaN, c = NaN] = ["64", "128", "256"].map((text) => axis.place(text));
    expect((c - b) / (b - a)).toBeCloseTo(2, 9);
  });

  it("of words has them in natural order, evenly, with as many ticks as have room", () => {
    const axis = plotAxis(["v10", "v2", "v1", "v10"], undefined, 2);
    expect(["v1", "v2", "v10"].map((text) => axis.place(text))).toEqual([1 / 6, 0.5, 5 / 6]);
    expect([axis.isNumeric, axis.ticks.map(({ text }) => text)]).toEqual([false, ["v1", "v10"]]);
  });

  it("of times goes from the first to the last, and says days where they are far apart", () => {
    const [first, last] = [Date.parse("2026-11-01T12:00Z"), Date.parse("2026-11-21T12:00Z")];
    const axis = plotAxis([last, first], "time", 4);
    expect(axis.place(first)).toBeCloseTo(0.04, 9);
    expect(axis.place(last)).toBeCloseTo(0.96, 9);
    expect(axis.ticks.map(({ text }) => text)).toEqual(["2026-11-01", "2026-11-21"]);
    expect(plotAxis([first, first + 3_600_000], "time", 4).ticks.map(({ text }) => text)).toEqual([
      "11-01 12:00",
      "11-01 13:00",
    ]);
  });

  it("of one value, and of none, has its place", () => {
    expect(plotAxis([7], undefined, 4).place(7)).toBeCloseTo(1 / 1.04, 9);
    expect(plotAxis([null], undefined, 4).ticks).toEqual([]);
    const noon = Date.parse("2026-11-01T12:00Z");
    expect(plotAxis([noon], "time", 4).place(noon)).toBeCloseTo(0.04, 9);
  });
});

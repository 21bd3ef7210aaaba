import { describe, expect, it } from "vitest";
import { bounded, keyedViewport, panned, zoomed } from "../../../../webview-ui/charts/viewport.js";

const WHOLE = { from: -30, to: 120 };

describe("the stretch that charts show", () => {
  it("is looked at closer around its middle or a point, which stays in its place", () => {
    expect(zoomed({ from: 0, to: 100 }, 0.5, WHOLE)).toEqual({ from: 25, to: 75 });
  });

  it("never leaves the run, and is none when it is all of it", () => {
    expect(panned({ from: 0, to: 100 }, 0.5, WHOLE)).toEqual({ from: 20, to: 120 });
    expect(panned({ from: 0, to: 100 }, -0.5, WHOLE)).toEqual({ from: -30, to: 70 });
    expect(zoomed({ from: 0, to: 100 }, 2, WHOLE)).toBeUndefined();
    expect(bounded({ from: -500, to: 500 }, WHOLE)).toBeUndefined();
    expect(bounded({ from: -40, to: 20 }, WHOLE)).toEqual({ from: -30, to: 30 });
  });

  it("is never so short that no scrape is in it", () => {
    const closest = zoomed({ from: 10, to: 10.6 }, 0.1, WHOLE)!;
    expect(closest.to - closest.from).toBeCloseTo(0.5, 12);
    expect((closest.from + closest.to) / 2).toBeCloseTo(10.3, 12);
  });

  it("follows the keys, and no others", () => {
    const axis = { from: 0, to: 100 };
    expect(keyedViewport("+", axis, WHOLE)).toEqual({ next: { from: 25, to: 75 } });
    expect(keyedViewport("-", { from: 25, to: 75 }, WHOLE)).toEqual({ next: { from: 0, to: 100 } });
    expect(keyedViewport("ArrowRight", { from: 0, to: 50 }, WHOLE)).toEqual({ next: { from: 10, to: 60 } });
    expect(keyedViewport("0", axis, WHOLE)).toEqual({ next: undefined });
    expect(keyedViewport("a", axis, WHOLE)).toBeUndefined();
  });
});

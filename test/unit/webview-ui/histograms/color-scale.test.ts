import { describe, expect, it } from "vitest";
import type { Rgba } from "../../../../webview-ui/charts/theme.js";
import { heatColor, heatPlace, heatScale } from "../../../../webview-ui/histograms/heat-grid.js";

describe("the colour scale of a heatmap", () => {
  it("goes with the logarithm of the rate, over three decades at the most", () => {
    const scale = heatScale([0, 1, NaN, 100, 10]);
    expect(scale).toEqual({ least: 1, greatest: 100 });
    expect([1, 10, 100].map((rate) => heatPlace(rate, scale!))).toEqual([0, 0.5, 1]);
    expect(heatScale([1e-9, 50])).toEqual({ least: 0.05, greatest: 50 });
    expect(heatPlace(1e-9, { least: 0.05, greatest: 50 })).toBe(0);
  });

  it("has no place for nothing", () => {
    expect(heatScale([0, 0, NaN])).toBeUndefined();
    expect([0, NaN, -1].map((rate) => heatPlace(rate, { least: 1, greatest: 2 }))).toEqual([NaN, NaN, NaN]);
    expect(heatPlace(3, { least: 3, greatest: 3 })).toBe(1);
  });

  it.each<[string, Rgba, Rgba, Rgba]>([
    ["dark", [31, 31, 31, 1], [204, 204, 204, 1], [55, 148, 255, 1]],
    ["light", [255, 255, 255, 1], [59, 59, 59, 1], [26, 133, 255, 1]],
    ["high contrast", [0, 0, 0, 1], [255, 255, 255, 1], [55, 148, 255, 1]],
  ])("is ever further from the background of a %s theme", (_name, background, foreground, blue) => {
    const luminance = ([r, g, b]: Rgba) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
    const distances = Array.from({ length: 21 }, (_, i) =>
      Math.abs(luminance(heatColor(i / 20, { background, foreground, palette: [blue] })) - luminance(background)),
    );
    expect(distances[0]).toBeGreaterThan(8);
    for (let i = 1; i < distances.length; i++) expect(distances[i]).toBeGreaterThan(distances[i - 1]!);
  });
});

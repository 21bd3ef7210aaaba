import { expect, it } from "vitest";
import { lineStyle, denseStyle } from "../../../../webview-ui/charts/line-styles.js";

const P90 = lineStyle("p90", 0);
const points = (y: (i: number) => number) => Array.from({ length: 600 }, (_, i) => ({ x: i, y: y(i) }));
const wave = points((i) => Math.sin(i / 20));
const up = points((i) => (i % 2 === 0 ? 1e9 : 1e9 + 5));

it("denseStyle leaves a few lines of some hundred points as they are", () => {
  expect(denseStyle(P90, wave, 2)).toEqual(P90);
  expect(
    denseStyle(
      P90,
      points(() => 3),
      2,
    ),
  ).toEqual(P90);
  expect(
    denseStyle(
      P90,
      points(() => NaN),
      2,
    ),
  ).toEqual(P90);
});

it("denseStyle draws many lines thin, with the dashes that tell them apart", () => {
  expect(denseStyle(P90, wave, 20)).toEqual({ ...P90, width: 1 });
});

it("denseStyle draws a few lines thin, with their dashes, where they have thousands of points together", () => {
  expect(denseStyle(P90, wave, 4)).toEqual(P90);
  expect(denseStyle(P90, wave, 5)).toEqual({ ...P90, width: 1 });
});

it("denseStyle draws a line that goes up and down all the time thin and without dashes, whatever its level", () => {
  expect(denseStyle(P90, up, 1)).toEqual({ ...P90, width: 1, dash: [] });
  expect(denseStyle({ ...P90, width: 0.5 }, up, 1).width).toBe(0.5);
});

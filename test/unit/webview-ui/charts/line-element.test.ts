import { describe, expect, it } from "vitest";
import { LineElement } from "chart.js";
import { PiecewiseLine } from "../../../../webview-ui/charts/line-element.js";

type Step = readonly [number, number];

/** Draws points, a pixel beside one another; NaN is a gap. @returns what was stroked, path by path */
function strokes(ys: readonly number[], dash: readonly number[] = [], width = 1): Step[][] {
  const paths: Step[][] = [];
  let path: Step[] = [];
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    setLineDash: () => undefined,
    beginPath: () => (path = []),
    moveTo: (x: number, y: number) => path.push([x, y]),
    lineTo: (x: number, y: number) => path.push([x, y]),
    stroke: () => paths.push(path),
  };
  const line = new PiecewiseLine({
    points: ys.map((y, x) => ({ x, y, skip: Number.isNaN(y) })),
    options: { borderDash: dash, borderWidth: width, spanGaps: false, tension: 0 },
  });
  line.draw(ctx as unknown as CanvasRenderingContext2D);
  return paths;
}

const pairs = (paths: readonly Step[][]) =>
  paths
    .flatMap((path) => path.slice(1).map((to, i) => [path[i]?.join(), to.join()]))
    .filter(([from, to]) => from !== to)
    .map((pair) => pair.join(" → "));

describe("a line drawn piece by piece", () => {
  it("stands for Chart.js' own", () => {
    expect(PiecewiseLine.id).toBe(LineElement.id);
  });

  it("has every stretch between two points once, and none over a gap", () => {
    const ys = Array.from({ length: 100 }, (_, i) => (i === 40 ? NaN : i % 7));
    const paths = strokes(ys);
    expect(paths.length).toBeGreaterThan(3);
    const wanted = ys
      .slice(1)
      .flatMap((y, i) => (Number.isNaN(y) || Number.isNaN(ys[i]) ? [] : [`${i},${ys[i]} → ${i + 1},${y}`]));
    expect(new Set(pairs(paths))).toEqual(new Set(wanted));
    expect(pairs(paths).length).toBe(wanted.length);
  });

  it("is whole where it is dashed, and nothing where it has no width", () => {
    expect(strokes([1, 2, 3, ...Array.from({ length: 90 }, (_, i) => i)], [2, 2]).length).toBe(1);
    expect(strokes([1, 2, 3], [], 0)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { Chart } from "chart.js";
import { BareLineController } from "../../../../webview-ui/charts/line-controller.js";
import { PiecewiseLine } from "../../../../webview-ui/charts/line-element.js";

type Step = readonly [number, number];

/**
 * Draws points, a pixel beside one another; NaN is a gap.
 * @param offsets gets where in its dashes each path began
 * @returns what was stroked, path by path
 */
function strokes(ys: readonly number[], dash: readonly number[] = [], width = 1, offsets: number[] = []): Step[][] {
  const paths: Step[][] = [];
  let path: Step[] = [];
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    setLineDash: () => undefined,
    beginPath: () => (path = []),
    moveTo: (x: number, y: number) => path.push([x, y]),
    lineTo: (x: number, y: number) => path.push([x, y]),
    stroke: () => {
      paths.push(path);
      offsets.push(ctx.lineDashOffset);
    },
    lineDashOffset: 0,
  };
  const line = new PiecewiseLine({
    points: ys.map((y, x) => ({ x, y, skip: Number.isNaN(y) })),
    options: { borderDash: dash, borderDashOffset: 0, borderWidth: width, spanGaps: false, tension: 0 },
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
  it("is what Chart.js draws the lines of charts with", () => {
    Chart.register(BareLineController, PiecewiseLine);
    expect(Chart.registry.getController(BareLineController.id)).toBe(BareLineController);
    expect(Chart.registry.getElement(BareLineController.defaults.datasetElementType)).toBe(PiecewiseLine);
  });

  it("is one path where its points are further from one another than it is wide, twice", () => {
    const ys = Array.from({ length: 100 }, (_, i) => i % 7);
    expect(strokes(ys, [], 0.4).length).toBe(1);
    expect(strokes(ys, [], 0.6).length).toBeGreaterThan(3);
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

  it("goes on with its dashes from piece to piece, and begins them anew after a gap", () => {
    const ys = Array.from({ length: 100 }, (_, i) => (i === 40 ? NaN : i % 7));
    const offsets: number[] = [];
    const paths = strokes(ys, [2, 2], 1, offsets);
    expect(paths.length).toBeGreaterThan(3);
    let [along, end] = [0, ""];
    for (const [i, path] of paths.entries()) {
      if (path[0]?.join() !== end) along = 0;
      expect(offsets[i]).toBeCloseTo(along, 9);
      for (const [j, [x, y]] of path.slice(1).entries()) {
        const [x0 = NaN, y0 = NaN] = path[j] ?? [];
        along += Math.hypot(x - x0, y - y0);
      }
      end = path.at(-1)?.join() ?? "";
    }
    expect(offsets.filter((offset) => offset === 0).length).toBe(2);
  });

  it("is nothing where it has no width", () => {
    expect(strokes([1, 2, 3], [], 0)).toEqual([]);
  });
});

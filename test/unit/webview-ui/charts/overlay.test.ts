import { describe, expect, it } from "vitest";
import { placeMarks } from "../../../../webview-ui/charts/overlay.js";

const axis = { from: 0, to: 100 };
const area = { left: 50, right: 450 };
const measure = (text: string) => text.length * 6;
const place = (...marks: [time: number, label: string][]) =>
  placeMarks(
    marks.map(([time, label]) => ({ time, label })),
    axis,
    area,
    measure,
  );

describe("labels of marks", () => {
  it("stand over their marks, and within the chart at its edges", () => {
    const [first, middle, last] = place([0, "first"], [50, "middle"], [100, "last"]);
    expect(first?.left).toBe(50);
    expect((middle?.left ?? 0) + (middle?.width ?? 0) / 2).toBe(250);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBe(450);
    expect([first?.row, middle?.row, last?.row]).toEqual([0, 0, 0]);
  });

  it("never cover one another: they are staggered where they are close", () => {
    const placed = place(
      [50, "concurrency 64"],
      [55, "concurrency 128"],
      [58, "concurrency 256"],
      [60, "concurrency 512"],
      [95, "end"],
    );
    for (const a of placed) {
      for (const b of placed)
        if (a !== b && a.row === b.row)
          expect(a.left >= b.left + b.width || b.left >= a.left + a.width, `${a.text} and ${b.text}`).toBe(true);
    }
    // The fourth of one place has no row left, the last one is alone again.
    expect(placed.map(({ text, row }) => `${text} ${row}`)).toEqual([
      "concurrency 64 0",
      "concurrency 128 1",
      "concurrency 256 2",
      "end 0",
    ]);
  });

  it("are those in sight, whatever order they came in", () => {
    expect(place([120, "later"], [80, "b"], [20, "a"], [-5, "earlier"]).map(({ text }) => text)).toEqual(["a", "b"]);
  });
});

import { describe, expect, it } from "vitest";
import { boundaries, hasRoom, leftOut } from "../../../../webview-ui/charts/drawing.js";

const whole = { from: -10, to: 110 };
const times = { axis: whole, whole, captureStart: -10, profilingEnd: 100 };

describe("what statistics leave out", () => {
  it("is the warm-up and what came after profiling, as far as the axis shows it", () => {
    expect(leftOut(times).map(({ text, from, to }) => [text, from, to])).toEqual([
      ["warm-up", -10, 0],
      ["after", 100, 110],
    ]);
    const zoomed = { ...times, axis: { from: -4, to: 50 } };
    expect(leftOut(zoomed).map(({ text, from, to }) => [text, from, to])).toEqual([["warm-up", -4, 0]]);
    expect(leftOut({ ...times, axis: { from: 10, to: 50 } })).toEqual([]);
    expect(leftOut({ axis: whole, whole, captureStart: 0 })).toEqual([]);
  });

  it("is the idle parts around a load, and the warm-up between", () => {
    expect(leftOut({ ...times, idleUntil: 0 }).map(({ text, from, to }) => [text, from, to])).toEqual([
      ["idle", -10, 0],
      ["idle", 100, 110],
    ]);
    expect(leftOut({ ...times, idleUntil: -4 }).map(({ text, from, to }) => [text, from, to])).toEqual([
      ["idle", -10, -4],
      ["warm-up", -4, 0],
      ["idle", 100, 110],
    ]);
  });

  it("is what lies outside of a chosen window, too", () => {
    const chosen = { ...times, window: { from: 20, to: 60 } };
    expect(leftOut(chosen).map(({ text, from, to }) => [text, from, to])).toEqual([
      ["warm-up", -10, 0],
      ["after", 100, 110],
      ["left out", 0, 20],
      ["left out", 60, 100],
    ]);
    expect(boundaries(chosen)).toEqual([
      ["profilingStart", 0],
      ["profilingEnd", 100],
      ["windowStart", 20],
      ["windowEnd", 60],
    ]);
    expect(boundaries({ ...chosen, axis: { from: 10, to: 50 } })).toEqual([["windowStart", 20]]);
  });

  it("is named where there is room", () => {
    expect(leftOut(times).map((stretch) => hasRoom(stretch, times))).toEqual([false, false]);
    const zoomed = { ...times, axis: { from: -10, to: 20 } };
    expect(leftOut(zoomed).map((stretch) => hasRoom(stretch, zoomed))).toEqual([true]);
  });
});

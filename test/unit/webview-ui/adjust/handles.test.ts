import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import {
  adjustmentOf,
  draggedPlace,
  handleLimits,
  handlePlaces,
  keyedPlace,
  stripTimes,
  type HandleHeader,
} from "../../../../webview-ui/adjust/handles.js";

const S = 1e9;
/** 150 s, the first 30 of them warm-up, a mark at 62 s. */
const recorded: HandleHeader = {
  now: offsetNs(150 * S),
  profilingStart: offsetNs(30 * S),
  profilingEnd: offsetNs(146 * S),
  marks: [{ time: offsetNs(62 * S), label: "m" }],
  sliceDurationSeconds: 5,
};
const chosen: HandleHeader = { ...recorded, window: { start: offsetNs(40 * S), end: offsetNs(100 * S) } };
const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });

describe("the handles of window and warm-up", () => {
  it("stand where statistics begin and end: the recorded window up to the last scrape, a chosen one exactly", () => {
    expect(handlePlaces(recorded)).toEqual({ warmupEnd: 30 * S, windowStart: 30 * S, windowEnd: 150 * S });
    expect(handlePlaces(chosen)).toEqual({ warmupEnd: 30 * S, windowStart: 40 * S, windowEnd: 100 * S });
  });

  it("leave the window and the profiling phase some length", () => {
    expect(handleLimits("windowStart", chosen)).toEqual([0, 99 * S]);
    expect(handleLimits("windowEnd", chosen)).toEqual([41 * S, 150 * S]);
    expect(handleLimits("warmupEnd", chosen)).toEqual([0, 145 * S]);
    expect(keyedPlace(key("End"), "windowStart", 40 * S, chosen)).toBe(99 * S);
    expect(keyedPlace(key("ArrowRight"), "windowStart", 99 * S, chosen)).toBe(99 * S);
  });

  it("are moved by keys: a second, a slice, or as far as they go", () => {
    expect(keyedPlace(key("ArrowLeft"), "windowEnd", 100 * S, chosen)).toBe(99 * S);
    expect(keyedPlace(key("ArrowRight", true), "windowEnd", 100 * S, chosen)).toBe(105 * S);
    expect(keyedPlace(key("PageDown"), "windowEnd", 100 * S, chosen)).toBe(95 * S);
    expect(keyedPlace(key("Home"), "warmupEnd", 30 * S, chosen)).toBe(0);
    expect(keyedPlace(key("x"), "warmupEnd", 30 * S, chosen)).toBeUndefined();
    const short: HandleHeader = {
      ...recorded,
      now: offsetNs(8 * S),
      profilingStart: offsetNs(0),
      profilingEnd: offsetNs(8 * S),
      marks: [],
    };
    expect(keyedPlace(key("ArrowRight"), "windowStart", 0, short)).toBe(0.1 * S);
  });

  it("are drawn to marks and phases that are near, and to nothing else", () => {
    expect(draggedPlace("windowStart", 61.5 * S, recorded, S)).toBe(62 * S);
    expect(draggedPlace("windowStart", 60.5 * S, recorded, S)).toBe(60.5 * S);
    expect(draggedPlace("windowStart", 29.5 * S, chosen, S)).toBe(30 * S);
    expect(draggedPlace("warmupEnd", -20 * S, recorded, S)).toBe(0);
  });

  it("change one end of the window, or the phases", () => {
    expect(adjustmentOf("windowStart", 50 * S, recorded)).toEqual({ window: { start: 50 * S, end: 150 * S } });
    expect(adjustmentOf("windowEnd", 90 * S, chosen)).toEqual({ window: { start: 40 * S, end: 90 * S } });
    expect(adjustmentOf("warmupEnd", 12 * S, chosen)).toEqual({ profilingStart: 12 * S });
  });
});

describe("times beneath the strip", () => {
  const said = (...args: Parameters<typeof stripTimes>) =>
    stripTimes(...args).map(({ offset, what }) => `${what} ${offset / S}`.trim());

  it("are both ends and the end of the warm-up, where there is one", () => {
    expect(said({ warmupEnd: 0, windowStart: 0, windowEnd: 100 * S }, 100 * S, false)).toEqual(["0", "100"]);
    expect(said({ warmupEnd: 30 * S, windowStart: 30 * S, windowEnd: 100 * S }, 100 * S, false)).toEqual([
      "0",
      "warm-up ends 30",
      "100",
    ]);
    // The moment between the first scrape and the window.
    expect(said({ warmupEnd: 0.3 * S, windowStart: 0.3 * S, windowEnd: 100 * S }, 100 * S, false)).toEqual([
      "0",
      "100",
    ]);
  });

  it("leave out what would be written over another, ends first", () => {
    expect(said({ warmupEnd: 5 * S, windowStart: 8 * S, windowEnd: 97 * S }, 100 * S, true)).toEqual([
      "warm-up ends 5",
      "97",
    ]);
    expect(said({ warmupEnd: 0, windowStart: 40 * S, windowEnd: 70 * S }, 100 * S, true)).toEqual([
      "0",
      "window 40",
      "70",
      "100",
    ]);
  });

  it("are none of a run without a length", () => {
    expect(said({ warmupEnd: 0, windowStart: 0, windowEnd: 0 }, 0, false)).toEqual([]);
  });
});

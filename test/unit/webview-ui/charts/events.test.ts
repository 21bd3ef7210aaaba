import { expect, it, vi } from "vitest";
import type { EventTick, Plot } from "../../../../webview-ui/charts/drawing.js";
import { eventCounts, eventsNear } from "../../../../webview-ui/charts/marks.js";
import { drawEvents } from "../../../../webview-ui/charts/overlay.js";

const tick = (time: number, kind: EventTick["kind"] = "request", count = 1): EventTick => ({
  time,
  kind,
  count,
  label: `at ${time}`,
});

it("a chart tells the events nearest to the time pointed at", () => {
  const events = [1, 2, 2.01, 2.02, 2.03, 50].map((time) => tick(time));
  expect(eventsNear({ events, axis: { from: 0, to: 100 } }, 2.02)).toEqual([
    "at 2.02",
    expect.stringMatching(/^at 2\.0[13]$/),
    expect.stringMatching(/^at 2\.0[13]$/),
    "and 1 more event",
  ]);
  expect(eventsNear({ events, axis: { from: 0, to: 100 } }, 30)).toEqual([]);
});

it("the legend counts what the axis shows, each event of those that stand on one tick", () => {
  const events = [tick(-1), tick(1), tick(2, "kv-cache", 40), tick(3, "request", 2), tick(9, "kv-cache")];
  expect(eventCounts({ events, axis: { from: 0, to: 5 } })).toEqual([
    { kind: "request", count: 3 },
    { kind: "kv-cache", count: 40 },
  ]);
  expect(eventCounts({ events, axis: { from: 4, to: 5 } })).toEqual([]);
});

it("ticks stand on the axis at their times; those of the KV cache end in a dot", () => {
  const drawn: unknown[] = [];
  const noted = (name: string) => vi.fn((...at: number[]) => void drawn.push([name, ...at]));
  const ctx = {
    beginPath: vi.fn(),
    stroke: vi.fn(),
    moveTo: noted("from"),
    lineTo: noted("to"),
    fillRect: noted("dot"),
  };
  drawEvents({
    chart: { ctx, chartArea: { bottom: 100 } },
    model: {
      events: [tick(10), tick(20, "kv-cache"), tick(99)],
      axis: { from: 0, to: 50 },
      theme: { mark: [1, 2, 3, 1] },
    },
    x: { getPixelForValue: (time: number) => 2 * time },
  } as unknown as Plot);
  expect(drawn).toEqual([
    ["from", 20.5, 100],
    ["to", 20.5, 93],
    ["from", 40.5, 100],
    ["to", 40.5, 93],
    ["dot", 38.5, 91, 4, 4],
  ]);
  expect(ctx.stroke).toHaveBeenCalledTimes(2);
});

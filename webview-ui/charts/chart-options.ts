import type { ChartConfiguration, ChartOptions } from "chart.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { byteTicks } from "../format/ticks.js";
import { formatRelative, timeTicks } from "../format/time.js";
import { symbolOnly } from "../format/unit.js";
import type { Viewport } from "../state/run-store.js";
import { annotations } from "./annotations.js";
import { changeGlyphs } from "./changes.js";
import type { ChartModel } from "./drawing.js";
import { eventTicks } from "./event-ticks.js";
import type { LinePoint } from "./lines.js";
import { lineDetails } from "./line-details.js";
import { AXIS_WIDTH, markLabels, RIGHT_PADDING, TOP_PADDING } from "./marks.js";
import { tooltip } from "./tooltip.js";

export type LineConfiguration = ChartConfiguration<"line", LinePoint[]> & {
  readonly options: ChartOptions<"line">;
};

/** A chart without data and colours: its axes, tooltip and zoom. */
export function configuration(
  current: () => ChartModel,
  pointedAt: () => number | undefined,
  onViewport: () => void,
): LineConfiguration {
  return {
    type: "line",
    data: { datasets: [] },
    plugins: [
      annotations(current),
      lineDetails(current),
      markLabels(current),
      eventTicks(current),
      changeGlyphs(current),
    ],
    options: {
      parsing: false,
      normalized: true,
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      font: { size: 11 },
      layout: { padding: { top: TOP_PADDING, right: RIGHT_PADDING } },
      interaction: { mode: "nearestPerLine", intersect: false },
      scales: {
        x: {
          type: "linear",
          grid: { drawTicks: true, tickLength: 4 },
          border: {},
          ticks: {
            maxRotation: 0,
            autoSkipPadding: 12,
            font: { size: 11 },
            callback: (value) => tickLabel(Number(value), current().axis),
          },
          afterBuildTicks: (axis) => {
            axis.ticks = timeTicks(axis.min, axis.max, Math.max(2, axis.width / 64)).map((value) => ({ value }));
          },
        },
        y: {
          type: "linear",
          grace: "8%",
          beginAtZero: true,
          grid: { drawTicks: false },
          border: { display: false },
          afterBuildTicks: (axis) => {
            const ticks = byteTicks(axis.min, axis.max, current().unit);
            if (ticks !== undefined) axis.ticks = ticks.map((value) => ({ value }));
          },
          ticks: {
            maxTicksLimit: 6,
            padding: 6,
            font: { size: 11 },
            callback: (value) => (value === 0 ? "0" : formatValue(Number(value), symbolOnly(current().unit))),
          },
          // One width in all charts keeps their time axes under one another.
          afterFit: (axis) => {
            axis.width = Math.max(axis.width, AXIS_WIDTH);
          },
        },
      },
      plugins: {
        tooltip: tooltip(current, pointedAt),
        zoom: {
          zoom: {
            mode: "x",
            drag: { enabled: true, threshold: 6, backgroundColor: "rgba(128, 128, 128, 0.25)" },
            // The wheel alone scrolls the page.
            wheel: { enabled: true, modifierKey: "ctrl" },
            pinch: { enabled: true },
            onZoom: onViewport,
          },
          pan: { enabled: true, mode: "x", modifierKey: "shift", onPan: onViewport },
        },
      },
    },
  };
}

/** Tenths only where the axis is short enough to need them. */
function tickLabel(seconds: number, axis: Viewport): string {
  return formatRelative(seconds, axis.to - axis.from < 5 ? 1 : 0);
}

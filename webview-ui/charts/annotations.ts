import type { Chart, ChartArea, Plugin, Scale } from "chart.js";
import type { ChartModel } from "./drawing.js";
import { withinPlot } from "./plot.js";
import { boundaries, hasRoom, leftOut } from "./stretches.js";
import { css } from "./theme.js";
import { reachOf } from "./value-scale.js";

type Threshold = NonNullable<ChartModel["thresholds"]>[number];

const FONT_SIZE = 10;
/** Of a limit's label: its height, and the room on either side of its text, pixels. */
const LABEL_HEIGHT = 15;
const LABEL_PADDING = 4;
/** Of the word in a stretch that is left out. */
const WORD_PADDING = 4;

/**
 * What lies behind and over the lines: warm-up, windows, marks and limits of assertions. Chart.js' plugin for such
 * things resolved all their options at each update, a fifth of a live chart's work.
 */
export function annotations(current: () => ChartModel): Plugin<"line"> {
  return {
    id: "annotations",
    beforeDatasetsDraw(chart) {
      const { x } = chart.scales;
      if (x !== undefined) withinPlot(chart, () => drawTimes(chart, current(), x));
    },
    afterDatasetsDraw(chart) {
      const { x, y } = chart.scales;
      if (x === undefined || y === undefined) return;
      withinPlot(chart, () => {
        drawMarks(chart, current(), x);
        drawThresholds(chart, current(), y);
      });
    },
  };
}

/** Stretches that statistics leave out, shaded, with their word where it has room, and where times begin and end. */
function drawTimes({ ctx, chartArea }: Chart, model: ChartModel, x: Scale): void {
  const { theme } = model;
  const { top, height } = chartArea;
  ctx.font = `${FONT_SIZE}px ${theme.fontFamily}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  for (const stretch of leftOut(model)) {
    const from = x.getPixelForValue(stretch.from);
    ctx.fillStyle = css(theme.shade);
    ctx.fillRect(from, top, x.getPixelForValue(stretch.to) - from, height);
    // No room for the word: the shade has to do.
    if (!hasRoom(stretch, model)) continue;
    ctx.fillStyle = css(theme.foreground);
    ctx.fillText(stretch.text, from + WORD_PADDING, top + WORD_PADDING);
  }
  ctx.strokeStyle = css(theme.muted, 0.8);
  ctx.lineWidth = 1;
  ctx.setLineDash([3, 3]);
  for (const [, time] of boundaries(model)) upright(ctx, chartArea, x.getPixelForValue(time));
}

function drawMarks({ ctx, chartArea }: Chart, { marks, axis, theme }: ChartModel, x: Scale): void {
  ctx.strokeStyle = css(theme.mark, 0.75);
  ctx.lineWidth = 1;
  for (const { time } of marks)
    if (time >= axis.from && time <= axis.to) upright(ctx, chartArea, x.getPixelForValue(time));
}

/** Limits that the axis has room for, each with its text at its end. */
function drawThresholds({ ctx, chartArea }: Chart, model: ChartModel, y: Scale): void {
  const reach = reachOf(model);
  if (reach === undefined) return;
  const { thresholds = [], theme } = model;
  ctx.font = `${FONT_SIZE}px ${theme.fontFamily}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const threshold of thresholds) {
    if (threshold.value > reach) continue;
    const color = threshold.failed ? theme.error : theme.foreground;
    const at = y.getPixelForValue(threshold.value);
    ctx.strokeStyle = css(color, 0.9);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([8, 4]);
    ctx.beginPath();
    ctx.moveTo(chartArea.left, at);
    ctx.lineTo(chartArea.right, at);
    ctx.stroke();
    ctx.setLineDash([]);
    drawLabel(ctx, chartArea, threshold, at, css(color), css(theme.surface));
  }
}

function drawLabel(
  ctx: CanvasRenderingContext2D,
  { top, right, bottom }: ChartArea,
  { text }: Threshold,
  at: number,
  color: string,
  background: string,
): void {
  const width = Math.ceil(ctx.measureText(text).width) + 2 * LABEL_PADDING;
  const left = Math.round(right - width) - 0.5;
  // At the edge of the plot it moves inwards.
  const upper = Math.round(Math.min(bottom - LABEL_HEIGHT, Math.max(top, at - LABEL_HEIGHT / 2))) + 0.5;
  ctx.fillStyle = background;
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.roundRect(left, upper, width, LABEL_HEIGHT - 1, 2);
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.fillText(text, left + LABEL_PADDING, upper + LABEL_HEIGHT / 2);
}

/** A line from the plot's top to its bottom, on a pixel of its own. */
function upright(ctx: CanvasRenderingContext2D, { top, bottom }: ChartArea, at: number): void {
  const x = Math.round(at - 0.5) + 0.5;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  ctx.stroke();
}

import type { Chart, Plugin } from "chart.js";
import { drawCells } from "../histograms/heat-cells.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { Viewport } from "../state/run-store.js";
import {
  type ChartMark,
  type ChartModel,
  withinPlot,
  type Plot,
  boundaries,
  hasRoom,
  leftOut,
  within,
  reachOf,
} from "./drawing.js";
import { css, type Rgba } from "./theme.js";

/** Least width of the value axis: the same in all charts, so that their time axes stand under one another. */
export const AXIS_WIDTH = 64;
export const TOP_PADDING = 4;
export const RIGHT_PADDING = 6;

const FONT_SIZE = 10;
/** Height of a row of labels, pixels, and the room on either side of a label's text. */
const LABEL_ROW = 15;
const LABEL_PADDING = 4;
/** Labels of marks: rows at the most, and the room between two in one row. */
const MAX_ROWS = 3;
const LABEL_GAP = 3;
/** Height of an event's tick, and half the width of the dot that one of the KV cache ends in. */
const TICK = 7;
const DOT = 2;
/** Height of the lane beneath the time axis that changes stand in, and half the width of one. */
const LANE = 12;
const HALF = 4;

/**
 * What lies behind and over the lines: cells, warm-up, windows, marks, limits, events and changes. Chart.js'
 * plugin for such things resolved all their options at each update, a fifth of a live chart's work.
 * @param current the model that is shown
 */
export function overlay(current: () => ChartModel): Plugin<"line"> {
  let rows = 0;
  const draw = (chart: Chart, layers: (plot: Plot) => void) => {
    const { x, y } = chart.scales;
    if (x === undefined || y === undefined) return;
    chart.ctx.save();
    layers({ chart, model: current(), x, y });
    chart.ctx.restore();
  };
  return {
    id: "overlay",
    beforeLayout(chart) {
      // The axis is not laid out yet: its least width will do.
      const placed = placedMarks(chart, current(), { left: AXIS_WIDTH, right: chart.width - RIGHT_PADDING });
      rows = Math.max(0, ...placed.map(({ row }) => row + 1));
      Object.assign(chart.options.layout ?? {}, {
        padding: {
          top: TOP_PADDING + rows * LABEL_ROW,
          right: RIGHT_PADDING,
          bottom: (current().changes?.length ?? 0) > 0 ? LANE : 0,
        },
      });
    },
    beforeDatasetsDraw(chart) {
      draw(chart, (plot) =>
        withinPlot(chart, () => {
          drawCells(plot);
          drawTimes(plot);
        }),
      );
    },
    afterDatasetsDraw(chart) {
      draw(chart, (plot) => {
        withinPlot(chart, () => {
          drawMarks(plot);
          drawThresholds(plot);
        });
        drawMarkLabels(plot, rows);
        drawEvents(plot);
        drawChanges(plot);
      });
    },
  };
}

/** Stretches that statistics leave out, shaded, with their word where it has room, and where times begin and end. */
function drawTimes({ chart: { ctx, chartArea }, model, x }: Plot): void {
  const { theme } = model;
  const { top, bottom } = chartArea;
  ctx.font = labelFont(model);
  ctx.textBaseline = "top";
  for (const stretch of leftOut(model)) {
    const from = x.getPixelForValue(stretch.from);
    ctx.fillStyle = css(theme.shade);
    ctx.fillRect(from, top, x.getPixelForValue(stretch.to) - from, bottom - top);
    // No room for the word: the shade has to do.
    if (!hasRoom(stretch, model)) continue;
    ctx.fillStyle = css(theme.foreground);
    ctx.fillText(stretch.text, from + LABEL_PADDING, top + LABEL_PADDING);
  }
  ctx.strokeStyle = css(theme.muted, 0.8);
  ctx.lineWidth = 1;
  ctx.setLineDash([3, 3]);
  for (const [, time] of boundaries(model)) upright(ctx, x.getPixelForValue(time), top, bottom);
}

function drawMarks({ chart: { ctx, chartArea }, model: { marks, axis, theme }, x }: Plot): void {
  ctx.strokeStyle = css(theme.mark, 0.75);
  ctx.lineWidth = 1;
  for (const { time } of within(marks, axis)) upright(ctx, x.getPixelForValue(time), chartArea.top, chartArea.bottom);
}

/** Limits that the axis has room for, each with its text at its end. */
function drawThresholds({ chart: { ctx, chartArea }, model, y }: Plot): void {
  const reach = reachOf(model);
  if (reach === undefined) return;
  const { thresholds = [], theme } = model;
  const { surface } = theme;
  const { left, right, top, bottom } = chartArea;
  ctx.font = labelFont(model);
  for (const { value, text, failed } of thresholds) {
    if (value > reach) continue;
    const color = failed ? theme.error : theme.foreground;
    const at = y.getPixelForValue(value);
    ctx.strokeStyle = css(color, 0.9);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([8, 4]);
    ctx.beginPath();
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.stroke();
    ctx.setLineDash([]);
    const width = Math.ceil(ctx.measureText(text).width) + 2 * LABEL_PADDING;
    // At the edge of the plot it moves inwards.
    const upper = Math.round(Math.min(bottom - LABEL_ROW, Math.max(top, at - LABEL_ROW / 2)));
    drawLabel(ctx, { text, left: Math.round(right - width), width }, upper, { text: color, edge: color, surface });
  }
}

/** A place for a text, pixels. */
interface LabelPlace {
  readonly text: string;
  readonly left: number;
  readonly width: number;
}

function drawLabel(
  ctx: CanvasRenderingContext2D,
  { text, left, width }: LabelPlace,
  top: number,
  colors: { readonly text: Rgba; readonly edge: Rgba; readonly surface: Rgba },
): void {
  ctx.textBaseline = "middle";
  ctx.fillStyle = css(colors.surface);
  ctx.strokeStyle = css(colors.edge);
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.roundRect(left + 0.5, top + 0.5, width - 1, LABEL_ROW - 2, 2);
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = css(colors.text);
  ctx.fillText(text, left + LABEL_PADDING, top + LABEL_ROW / 2);
}

/**
 * Labels over their marks, moved inwards at the edges, each in the first row where nothing is in its way: row 0 is next
 * to the lines. Beyond three rows a label is left out: its line remains.
 */
export function placeMarks(
  marks: readonly ChartMark[],
  axis: Viewport,
  area: { readonly left: number; readonly right: number },
  measure: (text: string) => number,
): readonly (LabelPlace & { readonly row: number })[] {
  const ends: number[] = [];
  return [...within(marks, axis)]
    .sort((a, b) => a.time - b.time)
    .flatMap(({ time, label }) => {
      const text = elideMiddle(label, 24);
      const width = measure(text) + 2 * LABEL_PADDING;
      const x = area.left + ((time - axis.from) / (axis.to - axis.from)) * (area.right - area.left);
      const left = Math.max(area.left, Math.min(area.right - width, x - width / 2));
      let row = 0;
      while ((ends[row] ?? -Infinity) > left - LABEL_GAP) row++;
      if (row >= MAX_ROWS) return [];
      ends[row] = left + width;
      return [{ text, left, width, row }];
    });
}

function placedMarks({ ctx }: Chart, model: ChartModel, area: { readonly left: number; readonly right: number }) {
  ctx.font = labelFont(model);
  return placeMarks(model.marks, model.axis, area, (text) => ctx.measureText(text).width);
}

/** In the band above the lines that the layout has kept for so many rows. */
function drawMarkLabels({ chart, model }: Plot, rows: number): void {
  const { foreground: text, border: edge, surface } = model.theme;
  for (const { row, ...place } of placedMarks(chart, model, chart.chartArea))
    if (row < rows) drawLabel(chart.ctx, place, chart.chartArea.top - (row + 1) * LABEL_ROW, { text, edge, surface });
}

/** The events of servers as ticks that stand on the time axis: of a request a line, of the KV cache one with a dot. */
export function drawEvents({ chart: { ctx, chartArea }, model: { events = [], axis, theme }, x }: Plot): void {
  ctx.strokeStyle = ctx.fillStyle = css(theme.mark, 0.9);
  ctx.lineWidth = 1;
  const top = chartArea.bottom - TICK;
  for (const { time, kind } of within(events, axis)) {
    const at = upright(ctx, x.getPixelForValue(time), top, chartArea.bottom);
    if (kind === "kv-cache") ctx.fillRect(at - DOT, top - DOT, 2 * DOT, 2 * DOT);
  }
}

/**
 * Changes beneath the time axis, where none can be taken for a part of a line: a triangle that points up or down for a
 * change of level, a diamond for an outlier.
 */
function drawChanges({ chart: { ctx, height }, model: { changes = [], axis, theme }, x }: Plot): void {
  const y = height - LANE / 2;
  for (const { kind, color, from, to, rises } of changes) {
    const time = (from + to) / 2;
    if (time < axis.from || time > axis.to) continue;
    const at = x.getPixelForValue(time);
    const tip = rises ? -HALF : HALF;
    const side = kind === "outlier" ? y : y - tip;
    ctx.fillStyle = css(theme.highContrast ? theme.foreground : color);
    ctx.beginPath();
    ctx.moveTo(at, y + tip);
    ctx.lineTo(at + HALF, side);
    ctx.lineTo(at, y - tip);
    ctx.lineTo(at - HALF, side);
    ctx.fill();
  }
}

/** A line from top to bottom, on a pixel of its own: where that is. */
function upright(ctx: CanvasRenderingContext2D, at: number, top: number, bottom: number): number {
  const x = Math.round(at - 0.5) + 0.5;
  ctx.beginPath();
  ctx.moveTo(x, bottom);
  ctx.lineTo(x, top);
  ctx.stroke();
  return x;
}

function labelFont({ theme }: ChartModel): string {
  return `${FONT_SIZE}px ${theme.fontFamily}`;
}

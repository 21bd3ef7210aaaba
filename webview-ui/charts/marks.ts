import type { Chart, Plugin } from "chart.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { Viewport } from "../state/run-store.js";
import { LANE } from "./changes.js";
import { css, type ChartTheme } from "./theme.js";

export interface ChartMark {
  /** Seconds from the start of profiling. */
  readonly time: number;
  readonly label: string;
}

export interface PlacedMark {
  readonly text: string;
  /** Left edge and width of the label, pixels. */
  readonly left: number;
  readonly width: number;
  /** 0 is next to the lines. */
  readonly row: number;
}

/** What the plugin needs of a chart's model. */
export interface MarkedModel {
  readonly marks: readonly ChartMark[];
  readonly axis: Viewport;
  readonly theme: ChartTheme;
  /** Where there are some, the lane that they are drawn in gets its room beneath the axis. */
  readonly changes?: readonly unknown[];
}

/** Height of a row of labels, pixels. */
const MARK_ROW = 15;
const MAX_ROWS = 3;
const PADDING = 4;
const GAP = 3;

/**
 * Labels over their marks, moved inwards at the edges, each in the first row where nothing is in its way. Beyond three
 * rows a label is left out: its line remains.
 */
export function placeMarks(
  marks: readonly ChartMark[],
  axis: Viewport,
  area: { readonly left: number; readonly right: number },
  measure: (text: string) => number,
): PlacedMark[] {
  const ends: number[] = [];
  const placed: PlacedMark[] = [];
  const seen = marks.filter(({ time }) => time >= axis.from && time <= axis.to).sort((a, b) => a.time - b.time);
  for (const { time, label } of seen) {
    const text = elideMiddle(label, 24);
    const width = measure(text) + 2 * PADDING;
    const x = area.left + ((time - axis.from) / (axis.to - axis.from)) * (area.right - area.left);
    const left = Math.max(area.left, Math.min(area.right - width, x - width / 2));
    let row = 0;
    while ((ends[row] ?? -Infinity) > left - GAP) row++;
    if (row >= MAX_ROWS) continue;
    ends[row] = left + width;
    placed.push({ text, left, width, row });
  }
  return placed;
}

/** Keeps a band above the lines for the labels of the marks, as high as they need, and draws them there. */
export function markLabels(current: () => MarkedModel): Plugin<"line"> {
  let rows = 0;
  const place = (chart: Chart, area: { readonly left: number; readonly right: number }) => {
    const { marks, axis, theme } = current();
    chart.ctx.font = markFont(theme);
    return placeMarks(marks, axis, area, (text) => chart.ctx.measureText(text).width);
  };
  return {
    id: "markLabels",
    beforeLayout(chart) {
      // The axis is not laid out yet: its least width will do.
      const placed = place(chart, { left: AXIS_WIDTH, right: chart.width - RIGHT_PADDING });
      rows = Math.max(0, ...placed.map(({ row }) => row + 1));
      Object.assign(chart.options.layout ?? {}, {
        padding: {
          top: TOP_PADDING + rows * MARK_ROW,
          right: RIGHT_PADDING,
          bottom: (current().changes?.length ?? 0) > 0 ? LANE : 0,
        },
      });
    },
    afterDatasetsDraw(chart) {
      const { theme } = current();
      const placed = place(chart, chart.chartArea).filter(({ row }) => row < rows);
      drawMarkLabels(chart.ctx, placed, chart.chartArea.top, theme);
    },
  };
}

/** Draws labels in rows, the first one right above `bottom`. */
function drawMarkLabels(
  ctx: CanvasRenderingContext2D,
  placed: readonly PlacedMark[],
  bottom: number,
  theme: ChartTheme,
): void {
  ctx.save();
  ctx.font = markFont(theme);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { text, left, width, row } of placed) {
    const top = bottom - (row + 1) * MARK_ROW;
    ctx.fillStyle = css(theme.surface);
    ctx.strokeStyle = css(theme.border);
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.roundRect(left + 0.5, top + 0.5, width - 1, MARK_ROW - 2, 2);
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = css(theme.foreground);
    ctx.fillText(text, left + PADDING, top + MARK_ROW / 2);
  }
  ctx.restore();
}

function markFont({ fontFamily }: Pick<ChartTheme, "fontFamily">): string {
  return `10px ${fontFamily}`;
}

/** Least width of the value axis: the same in all charts, so that their time axes stand under one another. */
export const AXIS_WIDTH = 64;
export const TOP_PADDING = 4;
export const RIGHT_PADDING = 6;

import { relativeSeconds, timeTicks } from "../format/time.js";
import {
  AXIS_WIDTH,
  MARK_ROW,
  placeMarks,
  RIGHT_PADDING,
  TOP_PADDING,
  type ChartMark,
  type PlacedMark,
} from "../charts/marks.js";
import type { Viewport } from "../state/run-store.js";
import type { HeatGrid } from "./heat-grid.js";

/** One cell of a heatmap. */
export interface HeatmapCell {
  readonly column: number;
  readonly row: number;
}

/** Where a heatmap's cells lie on its canvas, in CSS pixels; the time axis lies as those of the other charts do. */
export interface HeatmapPlot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Seconds from the start of profiling. */
  x(seconds: number): number;
  /** The time at a place, no further than the axis goes. */
  seconds(x: number): number;
  /** Upper edge of a bucket is `y(row + 1)`: the slow ones are on top. */
  y(row: number): number;
  cellAt(x: number, y: number): HeatmapCell | undefined;
  /** Labels above the cells. */
  readonly marks: readonly PlacedMark[];
}

const BOTTOM = 20;
/** What the other charts leave for a last time that stands at the axis' end. */
const LABEL_OVERHANG = 8;
/** Pixels a time on the axis takes. */
export const TIME_WIDTH = 64;

export interface MarkTexts {
  readonly marks: readonly ChartMark[];
  /** How wide a text is, pixels. */
  readonly measure: (text: string) => number;
}

export function heatmapPlot(
  data: Pick<HeatGrid, "rows" | "edges">,
  axis: Viewport,
  profilingStart: number,
  size: { readonly width: number; readonly height: number },
  { marks, measure }: MarkTexts = { marks: [], measure: () => 0 },
): HeatmapPlot {
  const left = AXIS_WIDTH;
  const widest = Math.max(1, size.width - left - RIGHT_PADDING);
  const last = timeTicks(axis.from, axis.to, Math.max(2, widest / TIME_WIDTH)).at(-1) ?? axis.from;
  const width = Math.max(1, widest - Math.max(0, LABEL_OVERHANG - ((axis.to - last) / (axis.to - axis.from)) * widest));
  const placed = placeMarks(marks, axis, { left, right: left + width }, measure);
  const top = TOP_PADDING + 4 + MARK_ROW * Math.max(0, ...placed.map(({ row }) => row + 1));
  const height = Math.max(1, size.height - top - BOTTOM);
  const rows = Math.max(1, data.rows);
  const x = (seconds: number) => left + ((seconds - axis.from) / (axis.to - axis.from)) * width;
  const y = (row: number) => top + height - (row / rows) * height;
  return {
    left,
    top,
    width,
    height,
    x,
    y,
    marks: placed,
    seconds: (px) => axis.from + (Math.min(width, Math.max(0, px - left)) / width) * (axis.to - axis.from),
    cellAt(px, py) {
      if (px < left || px > left + width || py < top || py > top + height) return undefined;
      const seconds = axis.from + ((px - left) / width) * (axis.to - axis.from);
      const column = data.edges.findLastIndex((edge) => relativeSeconds(edge, profilingStart) <= seconds);
      if (column < 0 || column > data.edges.length - 2) return undefined;
      return { column, row: Math.min(rows - 1, Math.floor(((top + height - py) / height) * rows)) };
    },
  };
}

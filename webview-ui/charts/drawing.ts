import type { EventsStatus, SeriesChange } from "../../src/protocol/index.js";
import type { Threshold } from "../assertions/text.js";
import type { HeatCells } from "../histograms/heat-grid.js";
import type { Viewport } from "../state/run-store.js";
import type { LineStyle } from "./colors.js";
import type { LinePoint } from "./lines.js";
import type { ChartTheme, Rgba } from "./theme.js";

export interface DrawnLine {
  readonly key: string;
  readonly name: string;
  readonly color: Rgba;
  readonly style: LineStyle;
  readonly points: LinePoint[];
  readonly hidden: boolean;
  /** The room between it and the next line is shaded. */
  readonly fillsToNext?: true;
  /** Seconds; what lies after it belongs to a slice that is not complete. */
  readonly incompleteFrom?: number;
}

export interface ChartMark {
  /** Seconds from the start of profiling. */
  readonly time: number;
  readonly label: string;
}

/** Events of one kind that lie close together. */
export interface EventTick extends ChartMark, Pick<EventsStatus, "kind" | "count"> {}

/** A change of level or an outlier as it is drawn. Times in seconds from the start of profiling. */
export interface ChangeMark {
  readonly kind: SeriesChange["kind"];
  /** Of the line that it is about. */
  readonly color: Rgba;
  readonly from: number;
  readonly to: number;
  /** It went up, or lies above what is usual. */
  readonly rises: boolean;
  /** As the tooltip and the list below the chart say it. */
  readonly text: string;
}

/** All that a chart draws. Times in seconds from the start of profiling. */
export interface ChartModel {
  readonly lines: readonly DrawnLine[];
  /** Drawn behind the marks; the value axis then has their rows. */
  readonly heat?: HeatCells;
  readonly unit?: string;
  /** The value axis is logarithmic; 0 then lies at its foot. */
  readonly logarithmic?: boolean;
  readonly axis: Viewport;
  /** As far as the axis can go. */
  readonly whole: Viewport;
  /** Values that the scale has room for besides its own: those of the charts beside it. */
  readonly range?: { readonly low: number; readonly high: number };
  /** Start of the capture, negative when there was a warm-up. */
  readonly captureStart: number;
  /** Where the load is measured: where the idle part before it ends, with a warm-up or at 0. */
  readonly idleUntil?: number;
  readonly profilingEnd?: number;
  /** That a user chose for all statistics. */
  readonly window?: Viewport;
  readonly marks: readonly ChartMark[];
  /** Of servers; those that lie close together are one. */
  readonly events: readonly EventTick[];
  /** Limits of assertions on the scale of the lines. */
  readonly thresholds?: readonly Threshold[];
  readonly changes?: readonly ChangeMark[];
  readonly originMs: number;
  /** Offset of the start of profiling from the origin, nanoseconds. */
  readonly profilingStart: number;
  readonly theme: ChartTheme;
}

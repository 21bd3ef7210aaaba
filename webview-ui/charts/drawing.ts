import type { EventsStatus, SeriesChange } from "../../src/protocol/index.js";
import type { Threshold } from "../assertions/assertions.js";
import type { HeatCells } from "../histograms/heat-grid.js";
import type { Viewport } from "../state/run-store.js";
import type { LineStyle } from "./line-styles.js";
import type { LinePoint } from "./lines.js";
import type { ChartTheme, Rgba } from "./theme.js";
import type { Chart, Scale } from "chart.js";

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
  readonly unit?: string | undefined;
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
  readonly idleUntil?: number | undefined;
  readonly profilingEnd?: number | undefined;
  /** That a user chose for all statistics. */
  readonly window?: Viewport | undefined;
  readonly marks: readonly ChartMark[];
  /** Of servers; those that lie close together are one. */
  readonly events?: readonly EventTick[];
  /** Limits of assertions on the scale of the lines. */
  readonly thresholds?: readonly Threshold[];
  readonly changes?: readonly ChangeMark[];
  readonly originMs: number;
  /** Offset of the start of profiling from the origin, nanoseconds. */
  readonly profilingStart: number;
  readonly theme: ChartTheme;
}

/** A stretch of the axis that statistics leave out. Seconds from the start of profiling. */
interface Stretch {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Why it is left out: "warm-up". */
  readonly text: string;
}

/** Where things begin and end, as charts have it. */
export type Times = Pick<ChartModel, "axis" | "whole" | "captureStart" | "idleUntil" | "profilingEnd" | "window">;

/**
 * Idle parts, warm-up, what came after profiling, and what lies outside of a chosen window, as far as the axis shows
 * them.
 */
export function leftOut({ axis, whole, captureStart, idleUntil, profilingEnd, window }: Times): readonly Stretch[] {
  const all: Stretch[] = [];
  const add = (id: string, from: number, to: number, text: string) => {
    const shown = { id, from: Math.max(from, axis.from), to: Math.min(to, axis.to), text };
    if (shown.to > shown.from) all.push(shown);
  };
  if (idleUntil !== undefined) add("idle", captureStart, idleUntil, "idle");
  add("warmup", idleUntil ?? captureStart, 0, "warm-up");
  if (profilingEnd !== undefined) add("after", profilingEnd, axis.to, idleUntil === undefined ? "after" : "idle");
  if (window !== undefined) {
    add("beforeWindow", Math.max(0, captureStart), window.from, "left out");
    add("afterWindow", window.to, profilingEnd ?? whole.to, "left out");
  }
  return all;
}

/** Times at which profiling or a chosen window begins or ends, by what they are. */
export function boundaries({
  axis,
  captureStart,
  profilingEnd,
  window,
}: Times): readonly (readonly [string, number])[] {
  const all: (readonly [string, number])[] = [
    ...(captureStart < 0 ? [["profilingStart", 0] as const] : []),
    ...(profilingEnd !== undefined && profilingEnd < axis.to ? [["profilingEnd", profilingEnd] as const] : []),
    ...(window === undefined ? [] : [["windowStart", window.from] as const, ["windowEnd", window.to] as const]),
  ];
  return all.filter(([, time]) => time >= axis.from && time <= axis.to);
}

/** Those that the axis shows. */
export function within<T extends { readonly time: number }>(all: readonly T[], { from, to }: Viewport): readonly T[] {
  return all.filter(({ time }) => time >= from && time <= to);
}

/** A stretch narrower than this has no room for its word. */
const MIN_SHARE = 0.12;

export function hasRoom({ from, to }: Stretch, { axis }: Pick<Times, "axis">): boolean {
  return (to - from) / (axis.to - axis.from) > MIN_SHARE;
}

const FULL: { readonly [unit: string]: number } = { ratio: 1, percent: 100 };

/** A share that comes near the whole has its axis end there, not at 150 %. */
export function fullScale({ unit, lines, range }: ChartModel): number | undefined {
  const full = unit === undefined ? undefined : FULL[unit];
  if (full === undefined) return undefined;
  let greatest = range?.high ?? 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  return greatest > 0.9 * full && greatest <= full ? full : undefined;
}

/** The power of ten at the foot of a logarithmic axis: the next below the least positive value. */
export function leastDecade({ lines }: ChartModel): number | undefined {
  let least = Infinity;
  for (const { points } of lines) for (const { y } of points) if (y > 0 && y < least) least = y;
  return Number.isFinite(least) ? 10 ** Math.floor(Math.log10(least)) : undefined;
}

/** A limit far above all lines would press them to the ground: it is then said, not drawn. */
const REACH = 3;

/** The greatest limit that the axis makes room for. */
export function reachOf({ lines, thresholds = [] }: ChartModel): number | undefined {
  if (thresholds.length === 0) return undefined;
  let greatest = 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  const near = thresholds.map(({ value }) => value).filter((value) => value <= REACH * greatest);
  return near.length === 0 ? undefined : Math.max(...near);
}

/** A chart and what it shows, for what is drawn behind and over its lines. */
export interface Plot {
  readonly chart: Chart;
  readonly model: ChartModel;
  readonly x: Scale;
  readonly y: Scale;
}

/** Draws nothing beside the plot. @param out pixels by which it may stand out of it */
export function withinPlot(chart: Chart, draw: () => void, out = 0): void {
  const { ctx, chartArea } = chart;
  ctx.save();
  clipTo(chart, chartArea.left - out, chartArea.top - out, chartArea.right + out, chartArea.bottom + out);
  draw();
  ctx.restore();
}

/**
 * Nothing is drawn beside this until the context is restored. It is widened to whole pixels of the screen: within the
 * fraction of a pixel, lines of noise take half as long again to rasterise.
 */
export function clipTo(
  { ctx, currentDevicePixelRatio: ratio }: Pick<Chart, "ctx" | "currentDevicePixelRatio">,
  left: number,
  top: number,
  right: number,
  bottom: number,
): void {
  const [x, y] = [Math.floor(left * ratio) / ratio, Math.floor(top * ratio) / ratio];
  ctx.beginPath();
  ctx.rect(x, y, Math.ceil(right * ratio) / ratio - x, Math.ceil(bottom * ratio) / ratio - y);
  ctx.clip();
}

/** The plot within its holder, CSS pixels, and where a time lies in it. */
export interface PlotPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  x(seconds: number): number;
  y(value: number): number;
}

/** What its axes say at a place within a plot. */
export interface PlotPoint {
  readonly seconds: number;
  readonly value: number;
}

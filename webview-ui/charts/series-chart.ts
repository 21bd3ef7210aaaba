import { Chart, type ChartConfiguration, type ChartDataset, type ChartOptions, type TooltipItem } from "chart.js";
import type { AnnotationOptions } from "chartjs-plugin-annotation";
import { formatValue } from "../../src/core/catalog/display.js";
import { estimateText, isBeyond } from "../format/estimate.js";
import { symbolOnly } from "../format/unit.js";
import { formatClock, formatRelative, timeTicks } from "../format/time.js";
import type { Threshold } from "../assertions/text.js";
import { elideMiddle } from "../format/text.js";
import type { Viewport } from "../state/run-store.js";
import type { LineStyle } from "./colors.js";
import type { PlotPlace } from "./crosshair.js";
import type { Point } from "./lines.js";
import { AXIS_WIDTH, markLabels, RIGHT_PADDING, TOP_PADDING, type Mark } from "./marks.js";
import { setUpCharts } from "./setup.js";
import { css, type ChartTheme, type Rgba } from "./theme.js";
import { bounded } from "./viewport.js";

export interface DrawnLine {
  readonly key: string;
  readonly name: string;
  readonly color: Rgba;
  readonly style: LineStyle;
  readonly points: Point[];
  readonly hidden: boolean;
  /** The room between it and the next line is shaded. */
  readonly fillsToNext?: true;
  /** Seconds; what lies after it belongs to a slice that is not complete. */
  readonly incompleteFrom?: number;
}

/** All that a chart draws. Times in seconds from the start of profiling. */
export interface ChartModel {
  readonly lines: readonly DrawnLine[];
  readonly unit?: string;
  readonly axis: Viewport;
  /** As far as the axis can go. */
  readonly whole: Viewport;
  /** Values that the scale has room for besides its own: those of the charts beside it. */
  readonly range?: { readonly low: number; readonly high: number };
  /** Start of the capture, negative when there was a warm-up. */
  readonly captureStart: number;
  readonly profilingEnd?: number;
  /** That a user chose for all statistics. */
  readonly window?: Viewport;
  readonly marks: readonly Mark[];
  /** Limits of assertions on the scale of the lines. */
  readonly thresholds?: readonly Threshold[];
  readonly originMs: number;
  /** Offset of the start of profiling from the origin, nanoseconds. */
  readonly profilingStart: number;
  readonly theme: ChartTheme;
}

export interface SeriesChart {
  update(model: ChartModel): void;
  /** Where the lines are. */
  place(): PlotPlace | undefined;
  /** The time at a place on the canvas, CSS pixels; undefined beside the plot. */
  secondsAt(x: number): number | undefined;
  destroy(): void;
}

type LineChart = Chart<"line", Point[]>;
type LineConfiguration = ChartConfiguration<"line", Point[]> & { readonly options: ChartOptions<"line"> };

/** As many as fit into a chart's height. */
const TOOLTIP_LINES = 10;

/** A Chart.js chart that is fed whole models; zooming and panning is reported, never kept to itself. */
export function createSeriesChart(
  canvas: HTMLCanvasElement,
  first: ChartModel,
  onViewport: (viewport: Viewport | undefined) => void,
): SeriesChart {
  setUpCharts();
  let model = first;
  const config = configuration(
    () => model,
    () => report(),
  );
  // Made with all it shows, a chart is laid out once.
  apply(config, model);
  const chart: LineChart = new Chart(canvas, config);
  const report = () => {
    const x = chart.scales["x"];
    if (x !== undefined) onViewport(bounded({ from: x.min, to: x.max }, model.whole));
  };
  return {
    update(next) {
      if (next === model) return;
      model = next;
      apply(chart, next);
      chart.update("none");
    },
    place() {
      const x = chart.scales["x"];
      if (x === undefined) return undefined;
      const { left, top, width, height } = chart.chartArea;
      return { left, top, width, height, x: (seconds) => x.getPixelForValue(seconds) };
    },
    secondsAt(px) {
      const { left, right } = chart.chartArea;
      return px < left || px > right ? undefined : chart.scales["x"]?.getValueForPixel(px);
    },
    destroy: () => chart.destroy(),
  };
}

/** Puts a model into a chart, or into what one will be made of. */
function apply({ data, options }: Pick<LineChart, "data" | "options"> | LineConfiguration, model: ChartModel): void {
  const { theme } = model;
  data.datasets = model.lines.map((line) => dataset(line, theme));
  const { x, y } = options.scales ?? {};
  const axisColors = {
    grid: { color: css(theme.grid), tickColor: css(theme.grid) },
    border: { color: css(theme.grid) },
  };
  if (x !== undefined) {
    Object.assign(x, { min: model.axis.from, max: model.axis.to });
    Object.assign(x.grid ?? {}, axisColors.grid);
    Object.assign(x.border ?? {}, axisColors.border);
    Object.assign(x.ticks ?? {}, { color: css(theme.muted) });
  }
  if (y !== undefined) {
    Object.assign(y, {
      max: fullScale(model),
      suggestedMin: model.range?.low,
      suggestedMax: reachOf(model) ?? model.range?.high,
    });
    Object.assign(y.grid ?? {}, axisColors.grid);
    Object.assign(y.border ?? {}, axisColors.border);
    Object.assign(y.ticks ?? {}, { color: css(theme.muted) });
  }
  const { plugins, font } = options;
  if (plugins?.zoom !== undefined)
    plugins.zoom.limits = { x: { min: model.whole.from, max: model.whole.to, minRange: 0.5 } };
  if (plugins?.annotation !== undefined) plugins.annotation.annotations = annotations(model);
  if (plugins?.tooltip !== undefined) {
    Object.assign(plugins.tooltip, {
      backgroundColor: css(theme.surface),
      borderColor: css(theme.border),
      titleColor: css(theme.foreground),
      bodyColor: css(theme.foreground),
      footerColor: css(theme.muted),
      titleFont: { size: 11, weight: "bold", family: theme.fontFamily },
      bodyFont: { size: 11, family: theme.fontFamily },
      footerFont: { size: 10, weight: "normal", family: theme.fontFamily },
    });
  }
  if (font !== undefined) Object.assign(font, { family: theme.fontFamily });
}

const FULL: { readonly [unit: string]: number } = { ratio: 1, percent: 100 };

/** A share that comes near the whole has its axis end there, not at 150 %. */
function fullScale({ unit, lines, range }: ChartModel): number | undefined {
  const full = unit === undefined ? undefined : FULL[unit];
  if (full === undefined) return undefined;
  let greatest = range?.high ?? 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  return greatest > 0.9 * full && greatest <= full ? full : undefined;
}

/** A limit far above all lines would press them to the ground: it is then said, not drawn. */
const REACH = 3;

/** The greatest limit that the axis makes room for. */
function reachOf({ lines, thresholds = [] }: ChartModel): number | undefined {
  if (thresholds.length === 0) return undefined;
  let greatest = 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  const near = thresholds.map(({ value }) => value).filter((value) => value <= REACH * greatest);
  return near.length === 0 ? undefined : Math.max(...near);
}

function dataset(line: DrawnLine, theme: ChartTheme): ChartDataset<"line", Point[]> {
  const color = css(line.color, theme.highContrast ? 1 : line.style.alpha);
  const { incompleteFrom } = line;
  return {
    label: line.name,
    data: line.points,
    hidden: line.hidden,
    borderColor: color,
    backgroundColor: line.fillsToNext === true ? css(line.color, theme.highContrast ? 0.3 : 0.16) : color,
    fill: line.fillsToNext === true ? "+1" : false,
    borderWidth: line.style.width + (theme.highContrast ? 0.6 : 0),
    borderDash: [...line.style.dash],
    borderJoinStyle: "round",
    // A lone point between two gaps would otherwise be invisible; an extrapolated one is a hollow ring.
    pointRadius: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? 3 : isLone(line.points, i) ? 2 : 0),
    pointBackgroundColor: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? css(theme.background) : color),
    pointBorderWidth: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? 1.5 : 1),
    pointHoverRadius: 3.5,
    pointHitRadius: 0,
    hoverBorderWidth: line.style.width,
    spanGaps: false,
    ...(incompleteFrom === undefined
      ? {}
      : {
          segment: {
            borderColor: (segment) => ((segment.p1.parsed.x ?? 0) > incompleteFrom ? css(line.color, 0.35) : undefined),
          },
        }),
  };
}

function isExtrapolated(point: Point | undefined): boolean {
  return point?.certain !== undefined && isBeyond(point.certain) && !Number.isNaN(point.y);
}

/** The value, of an estimate with what is certain, and whose it is. */
function pointLabel(item: TooltipItem<"line">, name: string, unit: string | undefined): string {
  const { y, certain } = item.raw as Point;
  return certain === undefined
    ? `${formatValue(y, unit)}  ${elideMiddle(name, 48)}`
    : `${estimateText(y, certain, unit)}  ${elideMiddle(name, 36)}`;
}

function isLone(points: readonly Point[], index: number): boolean {
  const nothing = (point: Point | undefined) => point === undefined || Number.isNaN(point.y);
  return nothing(points[index - 1]) && nothing(points[index + 1]);
}

function annotations(model: ChartModel): Record<string, AnnotationOptions> {
  const { theme } = model;
  const all: Record<string, AnnotationOptions> = {};
  const shade = (id: string, from: number, to: number, text: string) => {
    if (to <= model.axis.from || from >= model.axis.to || to - from <= 0) return;
    all[id] = {
      type: "box",
      xMin: Math.max(from, model.axis.from),
      xMax: Math.min(to, model.axis.to),
      backgroundColor: css(theme.shade),
      borderWidth: 0,
      drawTime: "beforeDatasetsDraw",
      // No room for the word: the shade has to do.
      label: {
        display: (to - from) / (model.axis.to - model.axis.from) > 0.12,
        content: text,
        position: { x: "start", y: "start" },
        padding: 4,
        color: css(theme.muted),
        font: { size: 10, weight: "normal", family: theme.fontFamily },
      },
    };
  };
  const boundary = (id: string, time: number) => {
    if (time < model.axis.from || time > model.axis.to) return;
    all[id] = {
      type: "line",
      scaleID: "x",
      value: time,
      borderColor: css(theme.muted, 0.8),
      borderWidth: 1,
      borderDash: [3, 3],
      drawTime: "beforeDatasetsDraw",
    };
  };
  if (model.captureStart < 0) {
    shade("warmup", model.captureStart, 0, "warm-up");
    boundary("profilingStart", 0);
  }
  if (model.profilingEnd !== undefined && model.profilingEnd < model.axis.to) {
    shade("after", model.profilingEnd, model.axis.to, "after");
    boundary("profilingEnd", model.profilingEnd);
  }
  if (model.window !== undefined) {
    shade("beforeWindow", Math.max(0, model.captureStart), model.window.from, "left out");
    shade("afterWindow", model.window.to, model.profilingEnd ?? model.whole.to, "left out");
    boundary("windowStart", model.window.from);
    boundary("windowEnd", model.window.to);
  }
  model.marks.forEach(({ time }, i) => {
    if (time < model.axis.from || time > model.axis.to) return;
    all[`mark${i}`] = {
      type: "line",
      scaleID: "x",
      value: time,
      borderColor: css(theme.mark, 0.75),
      borderWidth: 1,
    };
  });
  const reach = reachOf(model);
  for (const [i, { value, text, failed }] of (model.thresholds ?? []).entries()) {
    if (reach === undefined || value > reach) continue;
    const color = failed ? theme.error : theme.foreground;
    all[`threshold${i}`] = {
      type: "line",
      scaleID: "y",
      value,
      borderColor: css(color, 0.9),
      borderWidth: 1.5,
      borderDash: [8, 4],
      label: {
        display: true,
        content: text,
        position: "end",
        backgroundColor: css(theme.surface),
        borderColor: css(color),
        borderWidth: 1,
        borderRadius: 2,
        color: css(color),
        padding: { x: 4, y: 1 },
        font: { size: 10, weight: "normal", family: theme.fontFamily },
      },
    };
  }
  return all;
}

function configuration(current: () => ChartModel, onViewport: () => void): LineConfiguration {
  const pointed = (item: TooltipItem<"line">) => current().lines[item.datasetIndex];
  return {
    type: "line",
    data: { datasets: [] },
    plugins: [markLabels(current)],
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
        annotation: { annotations: {}, clip: true },
        tooltip: {
          borderWidth: 1,
          cornerRadius: 3,
          padding: 8,
          boxWidth: 8,
          boxHeight: 8,
          boxPadding: 4,
          caretSize: 0,
          itemSort: (a, b) => (b.parsed.y ?? 0) - (a.parsed.y ?? 0),
          filter: (_item, index) => index < TOOLTIP_LINES,
          callbacks: {
            title: (items) => {
              const [item] = items;
              if (item === undefined) return "";
              const { originMs, profilingStart } = current();
              const seconds = item.parsed.x ?? 0;
              return `${formatRelative(seconds, 1)} · ${formatClock(originMs, seconds * 1e9 + profilingStart)}`;
            },
            label: (item) => pointLabel(item, pointed(item)?.name ?? "", current().unit),
            footer: (items) => {
              const shown = current().lines.filter((line) => !line.hidden).length;
              return [
                ...(items.some((item) => (item.raw as Point).certain !== undefined)
                  ? ["In brackets: the bucket that holds it for certain"]
                  : []),
                ...(shown > TOOLTIP_LINES ? [`${TOOLTIP_LINES} of ${shown} lines`] : []),
              ];
            },
          },
        },
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

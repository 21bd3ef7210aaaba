import type { ChartOptions, TooltipItem } from "chart.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { byteTicks } from "../format/ticks.js";
import { formatRelative, timeTicks, formatClock } from "../format/time.js";
import { symbolOnly } from "../format/text.js";
import type { HeatCells } from "../histograms/heat-grid.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { Viewport } from "../state/run-store.js";
import { fullScale, leastDecade, reachOf, type ChartModel } from "./drawing.js";
import { AXIS_WIDTH, RIGHT_PADDING, TOP_PADDING } from "./overlay.js";
import { css, type ChartTheme } from "./theme.js";
import { t } from "@vscode/l10n";
import { estimateText } from "../format/estimate.js";
import { changeText, marksAt, eventsNear } from "./marks.js";
import type { LinePoint } from "./lines.js";

type Axis = NonNullable<ChartOptions<"line">["scales"]>[string];

/** Axes, tooltip, zoom and colours of a model's chart. */
export function lineOptions(
  model: ChartModel,
  pointedAt: () => number | undefined,
  onViewport: () => void,
): ChartOptions<"line"> {
  const { axis: shown, whole, theme, heat } = model;
  const grid = css(theme.grid);
  return {
    parsing: false,
    normalized: true,
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    font: { size: 11, family: theme.fontFamily },
    layout: { padding: { top: TOP_PADDING, right: RIGHT_PADDING } },
    interaction: { mode: "nearestPerLine", intersect: false },
    scales: {
      x: {
        type: "linear",
        min: shown.from,
        max: shown.to,
        grid: { drawOnChartArea: heat === undefined, tickLength: 4, color: grid, tickColor: grid },
        border: { color: grid },
        ticks: {
          color: css(theme.muted),
          maxRotation: 0,
          autoSkipPadding: 12,
          font: { size: 11 },
          callback: (value) => tickLabel(Number(value), shown),
        },
        afterBuildTicks: (axis) => {
          axis.ticks = timeTicks(axis.min, axis.max, Math.max(2, axis.width / 64)).map((value) => ({ value }));
        },
      },
      y: heat === undefined ? valueAxis(model) : rowAxis(heat, theme),
    },
    plugins: {
      tooltip: tooltip(model, pointedAt),
      zoom: {
        limits: { x: { min: whole.from, max: whole.to, minRange: 0.5 } },
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
  };
}

/** Tenths only where the axis is short enough to need them. */
function tickLabel(seconds: number, axis: Viewport): string {
  return formatRelative(seconds, axis.to - axis.from < 5 ? 1 : 0);
}

function valueAxis(model: ChartModel): Axis {
  const { unit, theme, range, logarithmic = false } = model;
  const grid = css(theme.grid);
  return {
    type: logarithmic ? "logarithmic" : "linear",
    grace: "8%",
    // Dates are far from zero, and from each other by little.
    beginAtZero: unit !== "timestamp" && !logarithmic,
    min: logarithmic ? leastDecade(model) : undefined,
    max: fullScale(model),
    suggestedMin: range?.low,
    suggestedMax: reachOf(model) ?? range?.high,
    grid: { drawTicks: false, color: grid, tickColor: grid },
    border: { display: false, color: grid },
    afterBuildTicks: (axis) => {
      const ticks = byteTicks(axis.min, axis.max, unit);
      if (ticks !== undefined) axis.ticks = ticks.map((value) => ({ value }));
    },
    ticks: {
      color: css(theme.muted),
      maxTicksLimit: 6,
      padding: 6,
      font: { size: 11 },
      callback: (value) => (value === 0 ? "0" : formatValue(Number(value), symbolOnly(unit))),
    },
    // One width in all charts keeps their time axes under one another.
    afterFit: (axis) => {
      axis.width = Math.max(axis.width, AXIS_WIDTH);
    },
  };
}

/** Height of a row's label with some air, pixels. */
const LABEL_ROW = 14;
/** The axis has room for no more characters. */
const LABEL_LENGTH = 12;

function rowAxis({ grid: rows }: HeatCells, theme: ChartTheme): Axis {
  const grid = css(theme.grid);
  const labels = new Map(rows.rowLabels(rows.rows).map(({ at, text }) => [at, elideMiddle(text, LABEL_LENGTH)]));
  return {
    type: "linear",
    min: 0,
    max: rows.rows,
    grid: { drawOnChartArea: false, tickLength: 4, color: grid, tickColor: grid },
    border: { color: grid },
    afterBuildTicks: (axis) => {
      axis.ticks = rows.rowLabels(axis.height / LABEL_ROW).map(({ at }) => ({ value: at }));
    },
    ticks: {
      color: css(theme.muted),
      autoSkip: false,
      font: { size: 11 },
      callback: (value) => labels.get(Number(value)),
    },
    afterFit: (axis) => {
      axis.width = AXIS_WIDTH;
    },
  };
}

type Tooltip = NonNullable<NonNullable<ChartOptions<"line">["plugins"]>["tooltip"]>;

/** As many as fit into a chart's height: those nearest to the pointer, which come first. */
const TOOLTIP_LINES = 10;

/**
 * What is said of the lines at the time pointed at, which is that of a point; a line whose own point lies at another
 * time says which.
 * @param pointedAt as the crosshair has it
 */
function tooltip(model: ChartModel, pointedAt: () => number | undefined): Tooltip {
  const { originMs, profilingStart, unit, lines, theme } = model;
  const family = theme.fontFamily;
  return {
    backgroundColor: css(theme.surface),
    borderColor: css(theme.border),
    titleColor: css(theme.foreground),
    bodyColor: css(theme.foreground),
    footerColor: css(theme.muted),
    titleFont: { size: 11, weight: "bold", family },
    bodyFont: { size: 11, family },
    footerFont: { size: 10, weight: "normal", family },
    borderWidth: 1,
    cornerRadius: 3,
    padding: { x: 8, y: 5 },
    boxWidth: 8,
    boxHeight: 8,
    boxPadding: 4,
    caretSize: 0,
    // Beside the crosshair, not over it.
    yAlign: "center",
    caretPadding: 8,
    itemSort: (a, b) => (b.parsed.y ?? 0) - (a.parsed.y ?? 0),
    filter: (_item, index) => index < TOOLTIP_LINES,
    callbacks: {
      title: (items) => {
        const [item] = items;
        if (item === undefined) return "";
        const seconds = pointedAt() ?? item.parsed.x ?? 0;
        return `${formatRelative(seconds, 1)} · ${formatClock(originMs, seconds * 1e9 + profilingStart)}`;
      },
      label: (item) => {
        const own = formatRelative(item.parsed.x ?? NaN, 1);
        const at = own === formatRelative(pointedAt() ?? item.parsed.x ?? NaN, 1) ? "" : t`, at ${own}`;
        return `${pointLabel(item, lines[item.datasetIndex]?.name ?? "", unit)}${at}`;
      },
      footer: (items) => {
        const at = pointedAt() ?? items[0]?.parsed.x ?? NaN;
        const surplus = (items[0]?.chart.tooltip?.getActiveElements().length ?? 0) - items.length;
        return [
          ...eventsNear(model, at),
          ...marksAt(model.changes ?? [], at, model.axis).map(changeText),
          ...(items.some((item) => (item.raw as LinePoint).certain !== undefined)
            ? [t("In brackets: the bucket that must contain it")]
            : []),
          ...(surplus > 0 ? [t`and ${surplus} more`] : []),
        ];
      },
    },
  };
}

/** The value, of an estimate with what is certain, and whose it is. */
function pointLabel(item: TooltipItem<"line">, name: string, unit: string | undefined): string {
  const { y, certain } = item.raw as LinePoint;
  return certain === undefined
    ? `${formatValue(y, unit)}  ${elideMiddle(name, 48)}`
    : `${estimateText(y, certain, unit)}  ${elideMiddle(name, 36)}`;
}

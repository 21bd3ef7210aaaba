import { PointElement, type ChartMeta, type Plugin, type ChartDataset } from "chart.js";
import { isBeyond } from "../format/estimate.js";
import { type ChartModel, type DrawnLine, clipTo, withinPlot } from "./drawing.js";
import type { LinePoint } from "./lines.js";
import { css, type ChartTheme } from "./theme.js";

/** Opacity of a slice that is not complete yet. */
const INCOMPLETE = 0.35;

type LineMeta = ChartMeta<"line">;

/** How a point is drawn that is more than a bend of its line. */
interface Dot {
  readonly index: number;
  readonly kind: "ring" | "lone";
}

/**
 * What differs within a line: a slice that is not complete is fainter, a lone point between two gaps is a dot, because
 * it would otherwise be invisible, and an extrapolated one is a hollow ring.
 */
export function lineDetails(current: () => ChartModel): Plugin<"line"> {
  return {
    id: "lineDetails",
    beforeDatasetDraw(chart, { index, meta }) {
      const line = current().lines[index];
      const from = line === undefined ? -1 : tailStart(line);
      if (from < 0) return;
      const { left } = chart.chartArea;
      chart.ctx.save();
      clipTo(chart, 0, 0, meta.data[from]?.x ?? left, chart.height);
    },
    afterDatasetDraw(chart, { index, meta }) {
      const { lines, theme } = current();
      const line = lines[index];
      if (line === undefined) return;
      const from = tailStart(line);
      // The clip of above.
      if (from >= 0) chart.ctx.restore();
      const dots = dotsOf(line.points);
      if (from < 0 && dots.length === 0) return;
      const draw = () => {
        if (from >= 0) drawTail(chart.ctx, meta, line, from, theme);
        drawDots(chart.ctx, meta, dots, css(line.color), theme);
      };
      // As Chart.js clips a line.
      withinPlot(chart, draw, lineWidth(line, theme) / 2);
      // Points that are hovered were clipped away with the tail.
      for (const place of from < 0 ? [] : meta.data.slice(from))
        if (place instanceof PointElement && place.active) place.draw(chart.ctx, chart.chartArea);
    },
  };
}

/** Index of the last point before the slice that is not complete; -1 where there is no such slice, or nothing else. */
export function tailStart({ points, incompleteFrom }: Pick<DrawnLine, "points" | "incompleteFrom">): number {
  if (incompleteFrom === undefined) return -1;
  const last = points.findLastIndex(({ x }) => x <= incompleteFrom);
  return last === points.length - 1 ? -1 : last;
}

/** The points of a line that are drawn as such. */
export function dotsOf(points: readonly LinePoint[]): readonly Dot[] {
  const dots: Dot[] = [];
  // Of all points at each drawing: an iterator of pairs took as long as their line.
  for (let index = 0; index < points.length; index++) {
    const point = points[index];
    if (point === undefined || Number.isNaN(point.y)) continue;
    if (point.certain !== undefined && isBeyond(point.certain)) dots.push({ index, kind: "ring" });
    else if (isGap(points[index - 1]) && isGap(points[index + 1])) dots.push({ index, kind: "lone" });
  }
  return dots;
}

function isGap(point: LinePoint | undefined): boolean {
  return point === undefined || Number.isNaN(point.y);
}

function drawTail(
  ctx: CanvasRenderingContext2D,
  { data: places }: LineMeta,
  line: DrawnLine,
  from: number,
  theme: ChartTheme,
): void {
  ctx.strokeStyle = css(line.color, INCOMPLETE);
  ctx.lineWidth = lineWidth(line, theme);
  ctx.lineJoin = "round";
  ctx.setLineDash([...line.style.dash]);
  ctx.beginPath();
  let broken = true;
  for (let i = from; i < line.points.length; i++) {
    const place = places[i];
    const gap = place === undefined || isGap(line.points[i]);
    if (!gap && broken) ctx.moveTo(place.x, place.y);
    else if (!gap) ctx.lineTo(place.x, place.y);
    broken = gap;
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawDots(
  ctx: CanvasRenderingContext2D,
  { data: places }: LineMeta,
  dots: readonly Dot[],
  color: string,
  theme: ChartTheme,
): void {
  ctx.strokeStyle = color;
  for (const { index: i, kind } of dots) {
    const place = places[i];
    if (place === undefined) continue;
    ctx.fillStyle = kind === "ring" ? css(theme.background) : color;
    ctx.lineWidth = kind === "ring" ? 1.5 : 1;
    ctx.beginPath();
    ctx.arc(place.x, place.y, kind === "ring" ? 3 : 2, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}

/**
 * A line as Chart.js draws it, all of it in one style: where points or parts of a line differ, Chart.js resolves the
 * style point by point, which took two thirds of the work of a frame of sixty live charts. What differs is drawn by
 * `lineDetails`.
 */
export function dataset(line: DrawnLine, theme: ChartTheme): ChartDataset<"line", LinePoint[]> {
  const color = css(line.color);
  return {
    label: line.name,
    data: line.points,
    hidden: line.hidden,
    borderColor: color,
    backgroundColor: line.fillsToNext === true ? css(line.color, theme.highContrast ? 0.3 : 0.16) : color,
    fill: line.fillsToNext === true ? "+1" : false,
    borderWidth: lineWidth(line, theme),
    borderDash: [...line.style.dash],
    borderJoinStyle: "round",
    pointRadius: 0,
    pointBackgroundColor: color,
    pointBorderWidth: 1,
    pointHoverRadius: 3.5,
    pointHitRadius: 0,
    hoverBorderWidth: line.style.width,
    spanGaps: false,
  };
}

function lineWidth({ style }: DrawnLine, { highContrast }: ChartTheme): number {
  return style.width + (highContrast ? 0.6 : 0);
}

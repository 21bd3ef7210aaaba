import { LineElement, type Point } from "chart.js";

/**
 * Points of a piece. The time to rasterise a path grows with the square of its bends where it goes up and down: 700
 * points of noise took 3.9 ms as one path, and take 1.2 ms in pieces of 32 and 0.9 ms in pieces of 8.
 */
const PIECE = 32;

/** Chart.js' line, drawn piece by piece. The dashes of a piece go on where those of the piece before it ended. */
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
    for (const { start, end, loop } of this.segments) {
      ctx.lineDashOffset = borderDashOffset;
      for (let from = start; from < end; from += PIECE) {
        const to = Math.min(end, from + PIECE);
        ctx.beginPath();
        this.pathSegment(ctx, { start: from, end: to, loop }, {});
        ctx.stroke();
        if (borderDash.length > 0) ctx.lineDashOffset += pathLength(this.points, from, to);
      }
    }
    ctx.restore();
  }
}

/** Pixels along the line from one of its points to another. */
function pathLength(points: readonly Point[], from: number, to: number): number {
  let length = 0;
  for (let i = from + 1; i <= to; i++) {
    const [a, b] = [points[i - 1], points[i]];
    length += Math.hypot((b?.x ?? 0) - (a?.x ?? 0), (b?.y ?? 0) - (a?.y ?? 0));
  }
  return length;
}

import { LineElement, type Point } from "chart.js";

/**
 * Stretches of a piece. The time to rasterise a path grows with the square of its bends where it goes up and down:
 * eight lines of 500 points of noise took 5.3 ms as one path each, 3.7 ms in pieces of 32, and take 3.0 ms in pieces
 * of 8. Smaller ones cost more again.
 */
const PIECE = 8;
/**
 * Widths of a line from one of its points to the next. Where they are closer on average, one sees neither its joins nor
 * that there are none between pieces, and to rasterise round ones takes a third of the time.
 */
const DENSE = 2;

/**
 * Chart.js' line, by a name of its own as `BareLineController` has one, drawn piece by piece where it is dense. The
 * dashes of a piece go on where those of the piece before it ended.
 */
export class PiecewiseLine extends LineElement {
  static override readonly id = "piecewiseLine";

  override draw(ctx: CanvasRenderingContext2D): void {
    const { borderCapStyle, borderColor, borderDash, borderDashOffset, borderJoinStyle, borderWidth } = this.options;
    if (borderWidth <= 0) return;
    ctx.save();
    ctx.lineCap = borderCapStyle;
    ctx.lineWidth = borderWidth;
    ctx.strokeStyle = borderColor;
    ctx.setLineDash(borderDash);
    for (const { start, end } of this.segments) {
      const dense = spacing(this.points, start, end) < DENSE * borderWidth;
      const piece = dense ? PIECE : Infinity;
      ctx.lineJoin = dense ? "bevel" : borderJoinStyle;
      ctx.lineDashOffset = borderDashOffset;
      for (let from = start; from < end; from += piece) {
        const to = Math.min(end, from + piece);
        ctx.beginPath();
        tracePath(ctx, this.points, from, to);
        ctx.stroke();
        if (borderDash.length > 0) ctx.lineDashOffset += pathLength(this.points, from, to);
      }
    }
    ctx.restore();
  }
}

/**
 * Through all points. Chart.js goes up and down in each pixel that has more than one, and back to the last of them:
 * four stretches for two points. With up to four points a pixel, as lines have here, that is never less.
 */
function tracePath(ctx: CanvasRenderingContext2D, points: readonly Point[], from: number, to: number): void {
  for (let i = from; i <= to; i++) {
    const x = points[i]?.x ?? 0;
    const y = points[i]?.y ?? 0;
    if (i === from) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
}

/** Pixels along the axis from a point to the next, on average. */
function spacing(points: readonly Point[], from: number, to: number): number {
  return ((points[to]?.x ?? 0) - (points[from]?.x ?? 0)) / (to - from);
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

import type { LineStyle } from "./colors.js";
import type { LinePoint } from "./lines.js";

/**
 * A line that crosses its own range as often goes up and down by some ten pixels for each pixel of the axis: its dashes
 * run into one another. To cut it into tens of thousands of them took 40 ms of a frame.
 */
const CROSSINGS = 60;
/** More lines than this are told apart better where they are thin. */
const FEW_LINES = 8;
/**
 * Of all lines together: so many hide each other where they are wide, and without a graphics processor to rasterise
 * them took more of a frame than drawing them: the 95th percentile of its work was 8.2 ms, and is 7.3 ms.
 */
const MANY_POINTS = 2500;
/** A pixel where a pixel is a point of the screen: Chromium then rasterises a line at a tenth of the time. */
const THIN = 1;

/**
 * How a line is drawn beside so many in its chart, with about as many points each: thin where there are many lines or
 * points, or where it goes up and down all the time, and without its dashes in the latter case. The legend shows its
 * own style.
 */
export function denseStyle(style: LineStyle, points: readonly LinePoint[], lines: number): LineStyle {
  const thicket = isDense(points);
  if (!thicket && lines <= FEW_LINES && lines * points.length < MANY_POINTS) return style;
  return { ...style, width: Math.min(style.width, THIN), dash: thicket ? [] : style.dash };
}

function isDense(points: readonly LinePoint[]): boolean {
  let way = 0;
  let low = Infinity;
  let high = -Infinity;
  let before = NaN;
  for (const { y } of points) {
    if (Number.isNaN(y)) continue;
    if (y < low) low = y;
    if (y > high) high = y;
    if (!Number.isNaN(before)) way += Math.abs(y - before);
    before = y;
  }
  return high > low && way > CROSSINGS * (high - low);
}

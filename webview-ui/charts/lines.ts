import { NS_PER_SECOND } from "../../src/core/model/index.js";
import type { ChartLine } from "../../src/protocol/index.js";
import { isBeyond, isEstimate, type CertainInterval } from "../format/estimate.js";

/** x in seconds from the start of profiling; y NaN where the line breaks. */
export interface Point {
  x: number;
  y: number;
  /** Of an estimated quantile. */
  certain?: CertainInterval;
}

export function toPoints(line: Pick<ChartLine, "times" | "values" | "bounds">, profilingStart: number): Point[] {
  const points = new Array<Point>(line.times.length);
  for (let i = 0; i < points.length; i++) {
    const certain = certainAt(line, i);
    points[i] = {
      x: ((line.times[i] ?? NaN) - profilingStart) / NS_PER_SECOND,
      y: line.values[i] ?? NaN,
      ...(certain === undefined ? {} : { certain }),
    };
  }
  return points;
}

function certainAt({ bounds }: Pick<ChartLine, "bounds">, i: number): CertainInterval | undefined {
  if (bounds === undefined) return undefined;
  const certain = { lower: bounds.lower[i] ?? NaN, upper: bounds.upper[i] ?? NaN };
  return isEstimate(certain) ? certain : undefined;
}

/** Index of the point nearest to `x` that has a value; -1 when there is none close by. */
export function nearestIndex(points: readonly Point[], x: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? Infinity) < x) low = middle + 1;
    else high = middle;
  }
  let best = -1;
  for (let i = low - 2; i <= low + 1; i++) {
    const point = points[i];
    if (point === undefined || Number.isNaN(point.y)) continue;
    if (best === -1 || Math.abs(point.x - x) < Math.abs((points[best]?.x ?? Infinity) - x)) best = i;
  }
  return best;
}

/** The value of the point nearest to a time, as hovering shows it; NaN when there is none close by. */
export function shownAt(points: readonly Point[], x: number): { readonly value: number; readonly atLeast: boolean } {
  const point = points[nearestIndex(points, x)];
  if (point?.certain !== undefined && isBeyond(point.certain) && Number.isFinite(point.certain.lower))
    return { value: point.certain.lower, atLeast: true };
  return { value: point?.y ?? NaN, atLeast: false };
}

/** Index of the newest value of a line, -1 when it has none. */
export function lastIndex(values: Float64Array): number {
  return values.findLastIndex((value) => !Number.isNaN(value));
}

/** The newest value of a line, NaN when it has none; of a quantile beyond the last bound, that bound. */
export function lastShown(line: Pick<ChartLine, "values" | "bounds">): {
  readonly value: number;
  readonly atLeast: boolean;
} {
  const i = lastIndex(line.values);
  const certain = certainAt(line, i);
  if (certain !== undefined && isBeyond(certain) && Number.isFinite(certain.lower))
    return { value: certain.lower, atLeast: true };
  return { value: line.values[i] ?? NaN, atLeast: false };
}

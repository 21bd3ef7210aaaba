import { NS_PER_SECOND } from "../../src/core/model/index.js";
import type { ChartLine, ChartData } from "../../src/protocol/index.js";
import { isBeyond, isEstimate, type CertainInterval } from "../format/estimate.js";

/** x in seconds from the start of profiling; y NaN where the line breaks. */
export interface LinePoint {
  x: number;
  y: number;
  /** Of an estimated quantile. */
  certain?: CertainInterval;
}

export function toPoints(line: Pick<ChartLine, "times" | "values" | "bounds">, profilingStart: number): LinePoint[] {
  const points = new Array<LinePoint>(line.times.length);
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

/** As many of a line's usual steps from a time, a point no longer tells its value. */
const REACH = 2;

/** Index of the point nearest to `x` that has a value; -1 when there is none close by, as after a server was gone. */
export function nearestIndex(points: readonly LinePoint[], x: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? Infinity) < x) low = middle + 1;
    else high = middle;
  }
  const step = ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)) / (points.length - 1);
  let best = -1;
  let least = REACH * step;
  for (let i = low - 2; i <= low + 1; i++) {
    const point = points[i];
    if (point === undefined || Number.isNaN(point.y)) continue;
    const distance = Math.abs(point.x - x);
    // A line of one point has no usual step.
    if (best === -1 ? Number.isNaN(step) || distance <= least : distance < least) [best, least] = [i, distance];
  }
  return best;
}

/** The value that a legend shows: of a quantile beyond the last bound, that bound. */
export interface Reading {
  readonly value: number;
  readonly atLeast: boolean;
}

function readingOf(value: number, certain: CertainInterval | undefined): Reading {
  return certain !== undefined && isBeyond(certain) && Number.isFinite(certain.lower)
    ? { value: certain.lower, atLeast: true }
    : { value, atLeast: false };
}

/** The value of the point nearest to a time, as hovering shows it; NaN when there is none close by. */
export function shownAt(points: readonly LinePoint[], x: number): Reading {
  const point = points[nearestIndex(points, x)];
  return readingOf(point?.y ?? NaN, point?.certain);
}

type Valued = Pick<ChartLine, "values" | "bounds" | "average">;

/** What a legend says of a line: its newest value, average and greatest of what is shown; NaN where there is none. */
export function legendValues(line: Valued): {
  readonly last: Reading;
  readonly average: number;
  readonly greatest: Reading;
} {
  const { values } = line;
  const known = values.filter((value) => !Number.isNaN(value));
  const at = (i: number) => readingOf(values[i] ?? NaN, certainAt(line, i));
  return {
    last: at(values.findLastIndex((value) => !Number.isNaN(value))),
    average: line.average ?? known.reduce((sum, value) => sum + value, 0) / known.length,
    greatest: at(values.indexOf(known.reduce((most, value) => Math.max(most, value), -Infinity))),
  };
}

/** Families of one unit as one chart: each line says whose it is. */
export function overlaid(charts: readonly [ChartData, ...ChartData[]]): ChartData {
  const [{ empty, ...first }] = charts;
  const lines = charts.flatMap(({ family, lines }) => lines.map((line) => ({ ...line, family })));
  return {
    ...first,
    lines,
    seriesTotal: charts.reduce((sum, { seriesTotal }) => sum + seriesTotal, 0),
    ...(lines.length > 0 || empty === undefined ? {} : { empty }),
  };
}

import type { ChartModel } from "./drawing.js";

const FULL: { readonly [unit: string]: number } = { ratio: 1, percent: 100 };

/** A share that comes near the whole has its axis end there, not at 150 %. */
export function fullScale({ unit, lines, range }: ChartModel): number | undefined {
  const full = unit === undefined ? undefined : FULL[unit];
  if (full === undefined) return undefined;
  let greatest = range?.high ?? 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  return greatest > 0.9 * full && greatest <= full ? full : undefined;
}

/** The power of ten at the foot of a logarithmic axis: the next below the least positive value. */
export function leastDecade({ lines }: ChartModel): number | undefined {
  let least = Infinity;
  for (const { points } of lines) for (const { y } of points) if (y > 0 && y < least) least = y;
  return Number.isFinite(least) ? 10 ** Math.floor(Math.log10(least)) : undefined;
}

/** A limit far above all lines would press them to the ground: it is then said, not drawn. */
const REACH = 3;

/** The greatest limit that the axis makes room for. */
export function reachOf({ lines, thresholds = [] }: ChartModel): number | undefined {
  if (thresholds.length === 0) return undefined;
  let greatest = 0;
  for (const { points } of lines) for (const { y } of points) if (y > greatest) greatest = y;
  const near = thresholds.map(({ value }) => value).filter((value) => value <= REACH * greatest);
  return near.length === 0 ? undefined : Math.max(...near);
}

/** A stretch of a store's time, milliseconds since the epoch, both ends included. */
export interface MsRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** A time as the API takes it: seconds with three decimals, exact. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const HOLE_INTERVALS = 2.5;
const HOLE_MS = 1000;

/** Scrapes come late: further apart than this, so many intervals and a second more than one, something is missing. */
export function longestInterval(usualMs: number): number {
  return Math.max(HOLE_INTERVALS * usualMs, usualMs + HOLE_MS);
}

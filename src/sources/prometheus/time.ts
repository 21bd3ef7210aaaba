/** A stretch of a store's time, milliseconds since the epoch, both ends included. */
export interface MsRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** A time as the API takes it: seconds with three decimals, exact. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

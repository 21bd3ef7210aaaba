export const SCORED = [0.5, 0.9, 0.95, 0.99] as const;

/** |estimate − truth| / |truth|; a missing estimate counts as wrong by 1. */
export function relativeError(estimate: number, truth: number): number {
  if (estimate === truth) return 0;
  const error = Math.abs(estimate - truth) / Math.abs(truth);
  return Number.isFinite(error) ? error : 1;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Where a rule begins to speak. Settings can change each. */
export interface Thresholds {
  /** Share of the KV cache in use. */
  readonly kvUsage: number;
  /** Share of slices in which requests wait. */
  readonly waitingShare: number;
  /** Requests running on average, below which a server without a queue has too little to do. */
  readonly fewRunning: number;
  /** Preemptions per finished request. */
  readonly preemptionShare: number;
  /** Share of time to first token that is queueing. */
  readonly queueShare: number;
  /** Share of the mean inter-token latency above its undisturbed level. */
  readonly interferenceShare: number;
  /** Share of time to first token (or latency) that is transfer. */
  readonly transferShare: number;
  /** p99 relative to p50. */
  readonly tailRatio: number;
  readonly prefixHitRate: number;
  /** Busiest endpoint by the average of its kind. */
  readonly imbalanceRatio: number;
  /** Errors per request. */
  readonly errorShare: number;
  /** Aborted by the client, per request. */
  readonly abortShare: number;
  /** Memory at the end by memory at the start, less 1. */
  readonly memoryGrowth: number;
  /** Share of the time that is throttled. */
  readonly throttledShare: number;
  /** Share of scrapes that are missing. */
  readonly gapShare: number;
  /** Observations that a p99 needs. */
  readonly fewObservations: number;
  /** Seconds between scrapes. */
  readonly coarseInterval: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  kvUsage: 0.9,
  waitingShare: 0.25,
  fewRunning: 3,
  preemptionShare: 0.005,
  queueShare: 0.5,
  interferenceShare: 0.5,
  transferShare: 0.3,
  tailRatio: 10,
  prefixHitRate: 0.1,
  imbalanceRatio: 1.3,
  errorShare: 0.01,
  abortShare: 0.05,
  memoryGrowth: 0.05,
  throttledShare: 0.01,
  gapShare: 0.02,
  fewObservations: 100,
  coarseInterval: 5,
};

/** Whether a name is that of a threshold. */
function isThreshold(name: string): name is keyof Thresholds {
  return Object.hasOwn(DEFAULT_THRESHOLDS, name);
}

/**
 * Thresholds by name, as settings and options give them.
 * @throws RangeError for a name that there is none of, and for a value that is not a positive number
 */
export function thresholdsOf(values: Readonly<Record<string, unknown>>): Partial<Thresholds> {
  const chosen: { -readonly [K in keyof Thresholds]?: number } = {};
  for (const [name, value] of Object.entries(values)) {
    if (!isThreshold(name))
      throw new RangeError(`there is no threshold "${name}"; there are ${Object.keys(DEFAULT_THRESHOLDS).join(", ")}`);
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0)
      throw new RangeError(`${name} must be a number above 0; it is ${JSON.stringify(value)}`);
    chosen[name] = value;
  }
  return chosen;
}

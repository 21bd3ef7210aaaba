/** Where each rule begins to speak. Settings can change each. */
export const DEFAULT_THRESHOLDS = {
  /** Share of the KV cache in use. */
  kvUsage: 0.9,
  /** Share of slices in which requests wait. */
  waitingShare: 0.25,
  /** Requests running on average, below which a server without a queue has too little to do. */
  fewRunning: 3,
  /** Preemptions per finished request. */
  preemptionShare: 0.005,
  /** Share of time to first token that is queueing. */
  queueShare: 0.5,
  /** Share of the mean inter-token latency above its undisturbed level. */
  interferenceShare: 0.5,
  /** Share of time to first token (or latency) that is transfer. */
  transferShare: 0.3,
  /** p99 relative to p50. */
  tailRatio: 10,
  prefixHitRate: 0.1,
  /** Busiest endpoint by the average of its kind. */
  imbalanceRatio: 1.3,
  /** Errors per request. */
  errorShare: 0.01,
  /** Aborted by the client, per request. */
  abortShare: 0.05,
  /** Memory at the end by memory at the start, less 1. */
  memoryGrowth: 0.05,
  /** Share of the time that is throttled. */
  throttledShare: 0.01,
  /** Share of scrapes that are missing. */
  gapShare: 0.02,
  /** Observations that a p99 needs. */
  fewObservations: 100,
  /** Seconds between scrapes. */
  coarseInterval: 5,
};
export type Thresholds = Readonly<typeof DEFAULT_THRESHOLDS>;

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

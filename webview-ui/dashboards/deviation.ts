/** How far a value lies from the median of its kind. */
export interface Deviation {
  /** Share of the median: 0.5 is half as much again. NaN where the median is 0. */
  readonly relative: number;
  /** 0: as the others; 3: far off. */
  readonly level: 0 | 1 | 2 | 3;
}

/** The median absolute deviation of a normal distribution, in standard deviations. */
const MAD = 1.4826;
/** Standard deviation of what rounding to whole numbers does: counts are no finer than one. */
const ROUNDING = 1 / Math.sqrt(12);
/** Beside a deviation that is far larger, a small one does not stand out. */
const MIN_OF_LARGEST = 0.1;
/** Robust standard deviations, and shares of the median, from which on a level holds: both count. */
const LEVELS = [
  { far: 6, share: 0.5, level: 3 },
  { far: 3.5, share: 0.25, level: 2 },
  { far: 2, share: 0.1, level: 1 },
] as const;

/** Of the values that there are. NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return NaN;
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Of each value from the median, in robust standard deviations; NaN has level 0. */
export function deviations(values: readonly number[]): readonly Deviation[] {
  const median = quantile(values, 0.5);
  const known = values.filter((value) => !Number.isNaN(value));
  const half = quantile(
    known.map((value) => Math.abs(value - median)),
    0.5,
  );
  const spread = Math.max(MAD * half, known.every(Number.isInteger) ? ROUNDING : 0);
  const largest = Math.max(...known.map((value) => Math.abs(value - median)));
  return values.map((value): Deviation => {
    const distance = value - median;
    const relative = median === 0 ? NaN : distance / Math.abs(median);
    if (Number.isNaN(distance) || distance === 0) return { relative, level: 0 };
    // Where most are equal, whoever is not stands out.
    const far = spread > 0 ? Math.abs(distance) / spread : Infinity;
    // One or two that wait are nothing beside 600 elsewhere. Of nothing there is no other share.
    const ofLargest = Math.abs(distance) / largest;
    if (ofLargest < MIN_OF_LARGEST) return { relative, level: 0 };
    const share = Number.isNaN(relative) ? ofLargest : Math.abs(relative);
    return { relative, level: LEVELS.find((level) => far > level.far && share > level.share)?.level ?? 0 };
  });
}

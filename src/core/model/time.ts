/** Nanoseconds since the Unix epoch. Exceeds 2^53, so it is a bigint everywhere it is whole. */
export type EpochNs = bigint & { readonly __unit: "epoch-ns" };

/**
 * Integer nanoseconds relative to a run's `origin`: what columns and statistics compute with.
 * A number is exact up to 2^53 ns = 104 days from the origin, which `toOffset` enforces.
 */
export type OffsetNs = number & { readonly __unit: "offset-ns" };

/** A length of time in integer nanoseconds. */
export type DurationNs = number & { readonly __unit: "duration-ns" };

export const NS_PER_SECOND = 1_000_000_000;
export const NS_PER_MS = 1_000_000;

/** @param value whole nanoseconds since the epoch */
export function epochNs(value: bigint): EpochNs {
  return value as EpochNs;
}

/** @param value nanoseconds since the run's first scrape */
export function offsetNs(value: number): OffsetNs {
  return value as OffsetNs;
}

/** @param value nanoseconds */
export function durationNs(value: number): DurationNs {
  return value as DurationNs;
}

/** To the nearest nanosecond. */
export function secondsToNs(seconds: number): DurationNs {
  return durationNs(Math.round(seconds * NS_PER_SECOND));
}

/**
 * Distance of `time` from `origin`.
 * @throws RangeError when they lie more than 2^53 ns (104 days) apart: the offset would not be exact.
 */
export function toOffset(time: EpochNs, origin: EpochNs): OffsetNs {
  const distance = Number(time - origin);
  if (!Number.isSafeInteger(distance))
    throw new RangeError(`timestamp ${time} lies more than 104 days from the run's first timestamp ${origin}`);
  return offsetNs(distance);
}

/** @param origin the time of offset 0 */
export function toEpoch(offset: OffsetNs, origin: EpochNs): EpochNs {
  return epochNs(origin + BigInt(offset));
}

/** For people, in UTC to the millisecond: "2025-11-21T07:15:30.250Z". Artifacts have `isoTime`. */
export function isoText(time: EpochNs): string {
  return isoTextOfMs(Number(time / BigInt(NS_PER_MS)));
}

/** The same of milliseconds since the epoch. */
export function isoTextOfMs(ms: number): string {
  return new Date(ms).toISOString();
}

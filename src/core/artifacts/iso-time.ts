import { epochNs, type EpochNs } from "../model/index.js";

/** A time as ISO 8601 writes it, to the nanosecond; undefined for anything else. */
export function parseIso(value: unknown): { readonly time: EpochNs; readonly zoned: boolean } | undefined {
  const match =
    typeof value === "string"
      ? /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(value)
      : null;
  if (match === null) return undefined;
  const [, seconds = "", fraction = "", zone] = match;
  // A time of day without a zone is read as UTC.
  const ms = Date.parse(`${seconds.replace(" ", "T")}${zone ?? "Z"}`);
  if (Number.isNaN(ms)) return undefined;
  const within = BigInt(fraction.padEnd(9, "0").slice(0, 9));
  return { time: epochNs(BigInt(ms) * 1_000_000n + within), zoned: zone !== undefined };
}

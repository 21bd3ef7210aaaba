import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../core/text/index.js";

interface Range {
  readonly min: number;
  readonly max?: number;
  /** "" of a count. */
  readonly unit: string;
}

/**
 * A number that an option or environment variable was given, within its range. Where the unit is one of time the text
 * may carry another (`333ms`, `10s`, `5m`); a bare number is counted in `unit`.
 * @throws InvalidArgumentError with the range
 */
export function numberIn(text: string, { min, max, unit }: Range): number {
  const value = isTime(unit) ? (parseDuration(text, unit) ?? NaN) : text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(value) || value < min || (max !== undefined && value > max)) {
    const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
    const hint = isTime(unit) ? " A unit may follow: 333ms, 10s, 5m, 1h." : "";
    throw new InvalidArgumentError(`"${text}" is not a number${unit === "" ? "" : ` of ${unit}`} ${range}.${hint}`);
  }
  return value;
}

function isTime(unit: string): unit is "seconds" | "milliseconds" {
  return unit === "seconds" || unit === "milliseconds";
}

/** Nanoseconds since the epoch, exact. @throws InvalidArgumentError */
export function epochArgument(text: string): bigint {
  if (!/^\d{1,20}$/.test(text))
    throw new InvalidArgumentError(`"${text}" is not a time in nanoseconds since the epoch (digits only).`);
  return BigInt(text);
}

/**
 * A moment as people and APIs write it: `2026-11-20T10:00:00Z`, seconds since the epoch, or `now`.
 * @returns milliseconds since the epoch
 * @throws InvalidArgumentError
 */
export function timeArgument(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "now") return Date.now();
  const ms = /^\d+(\.\d+)?$/.test(trimmed)
    ? Math.round(Number(trimmed) * 1000)
    : /^\d{4}-\d\d-\d\d/.test(trimmed)
      ? Date.parse(trimmed)
      : NaN;
  if (Number.isFinite(ms) && ms < 1e13) return ms;
  throw new InvalidArgumentError(
    `"${text}" is not a time: write 2026-11-20T10:00:00Z, seconds since the epoch, or now.`,
  );
}

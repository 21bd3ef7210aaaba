import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { OptionRange } from "../../core/model/index.js";
import { parseDuration, toMilliseconds } from "../../core/text/index.js";

/**
 * A number that an option or environment variable was given, within its range. A time may carry a unit (`333ms`, `10s`,
 * `5m`); a bare number is in seconds.
 * @throws InvalidArgumentError with the range
 */
export function numberIn(text: string, { min, max, unit, isWhole }: Omit<OptionRange, "byDefault">): number {
  const isTime = unit === "seconds";
  const value = isTime ? (parseDuration(text) ?? NaN) : text.trim() === "" ? NaN : Number(text);
  if (value >= min && value <= max && (isWhole !== true || Number.isInteger(value))) return value;
  const hint = isTime ? " A unit may follow: 333ms, 10s, 5m, 1h." : "";
  const what = `${isWhole === true ? "whole " : ""}number${unit === "" ? "" : ` of ${unit}`}`;
  throw new InvalidArgumentError(`"${text}" is not a ${what} from ${min} to ${max}.${hint}`);
}

/** Reads an option of a range. */
export function inRange(range: Omit<OptionRange, "byDefault">): (text: string) => number {
  return (text) => numberIn(text, range);
}

/** Reads an option of time. Its value is in milliseconds. */
export function inMilliseconds(range: OptionRange): (text: string) => number {
  return (text) => toMilliseconds(numberIn(text, range));
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

/** Eleven days: warm-up and duration together stay below what a timer can wait for (24 days). */
export const DURATION = inRange({ min: 0.001, max: 1_000_000, unit: "seconds" });

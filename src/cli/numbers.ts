import { InvalidArgumentError } from "commander";

/**
 * A number an option or environment variable was given, within its range. @throws InvalidArgumentError with the range
 */
export function numberIn(
  text: string,
  { min, max, unit }: { readonly min: number; readonly max?: number; readonly unit: string },
): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(value) || value < min || (max !== undefined && value > max)) {
    throw new InvalidArgumentError(
      `"${text}" is not a number of ${unit} ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}.`,
    );
  }
  return value;
}

/** Nanoseconds since the epoch, exact. @throws InvalidArgumentError */
export function epochArgument(text: string): bigint {
  if (!/^\d{1,20}$/.test(text))
    throw new InvalidArgumentError(`"${text}" is not a time in nanoseconds since the epoch (digits only).`);
  return BigInt(text);
}

import { formatValue } from "../catalog/index.js";
import { noun } from "../text/plural.js";

/** "62 %". */
export function percent(value: number): string {
  return formatValue(value, "ratio");
}

/** A number with its unit, as in tables. */
export function figure(value: number, unit?: string): string {
  return formatValue(value, unit);
}

/** "1 request", "3 requests". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${formatValue(n, undefined)} ${noun(n, one, many)}`;
}

/** Whole numbers whole, others to one digit. */
export function times(ratio: number): string {
  return ratio >= 10 ? `${Math.round(ratio)}×` : `${Math.round(ratio * 10) / 10}×`;
}

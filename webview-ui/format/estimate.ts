import { t } from "@vscode/l10n";
import { formatValue, splitValue } from "../../src/core/catalog/display.js";
import type { QuantileEstimate } from "../../src/core/model/index.js";

/** What is certain of a quantile estimated from buckets: the bucket that must hold it. */
export interface CertainInterval {
  readonly lower: number;
  /** Infinity: the quantile lies beyond the last bound, and its estimate is an extrapolation. */
  readonly upper: number;
}

/** Whether there are bounds at all: other values have NaN in their place. */
export function isEstimate({ lower, upper }: CertainInterval): boolean {
  return !Number.isNaN(lower) && !Number.isNaN(upper);
}

export function isBeyond({ upper }: CertainInterval): boolean {
  return upper === Infinity;
}

/** "between 0.25 and 0.5 s for certain", "≥ 10 s for certain". Units as they are displayed. */
export function intervalText({ lower, upper }: CertainInterval, unit: string | undefined): string {
  if (upper === Infinity)
    return lower === -Infinity
      ? t("nothing is certain: the only bucket is open")
      : t`≥ ${formatValue(lower, unit)} for certain`;
  const to = formatValue(upper, unit);
  if (lower === -Infinity) return t`≤ ${to} for certain`;
  if (lower === upper) return t`${to} for certain`;
  return t`between ${lowerText(lower, upper, unit)} and ${to} for certain`;
}

/** A unit that both bounds have is said once. */
function lowerText(lower: number, upper: number, unit: string | undefined): string {
  const low = splitValue(lower, unit);
  return lower === 0 || low.unit === splitValue(upper, unit).unit ? low.number : formatValue(lower, unit);
}

/**
 * An estimate and what is certain of it where there is little room: "235 ms (100–250 ms)", "≥ 10 s (rough
 * extrapolation 12.3 s)".
 */
export function estimateText(value: number, { lower, upper }: CertainInterval, unit: string | undefined): string {
  const shown = formatValue(value, unit);
  if (lower === -Infinity) return upper === Infinity ? shown : `${shown} (≤ ${formatValue(upper, unit)})`;
  if (upper === Infinity) return t`≥ ${formatValue(lower, unit)} (rough extrapolation ${shown})`;
  return lower === upper ? shown : `${shown} (${lowerText(lower, upper, unit)}–${formatValue(upper, unit)})`;
}

/** As `estimateText`; beyond the last bound only that bound is known. Without bounds, the value. */
export function knownText(value: number, certain: CertainInterval, unit: string | undefined): string {
  const { lower } = certain;
  if (!isEstimate(certain)) return formatValue(value, unit);
  return isBeyond(certain) && Number.isFinite(lower)
    ? `≥ ${formatValue(lower, unit)}`
    : estimateText(value, certain, unit);
}

/** All there is to say of one estimate, line by line. */
export function estimateLines(
  value: number,
  estimate: Pick<QuantileEstimate, "lower" | "upper" | "interval" | "linear">,
  unit: string | undefined,
): string[] {
  const {
    interval: [low, high],
    linear,
  } = estimate;
  return [
    ...(Number.isFinite(low) && Number.isFinite(high)
      ? [`90 %: ${lowerText(low, high, unit)}–${formatValue(high, unit)}`]
      : []),
    intervalText(estimate, unit),
    ...(isBeyond(estimate) ? [t`rough extrapolation: ${formatValue(value, unit)}`] : []),
    ...(Number.isNaN(linear) ? [] : [t`linear (histogram_quantile) ${formatValue(linear, unit)}`]),
  ];
}

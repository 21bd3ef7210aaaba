import { t } from "@vscode/l10n";
import { formatValue, rateUnit } from "../../src/core/catalog/display.js";
import type {
  Imbalance,
  LoadMeasure,
  ModeSettings,
  RankingData,
  SharesData,
  VectorData,
} from "../../src/protocol/index.js";
import { estimateText } from "../format/estimate.js";
import { plural } from "../../src/core/text/plural.js";

/** The value of a row; of an estimated quantile with the bucket that holds it for certain. */
export function rankedValue(
  { values, bounds, statistic }: Pick<RankingData, "values" | "bounds" | "statistic">,
  row: number,
): string {
  const value = values[row] ?? NaN;
  const [lower = NaN, upper = NaN] = [bounds?.lower[row], bounds?.upper[row]];
  if (upper === Infinity && Number.isFinite(lower)) return `≥ ${formatValue(lower, statistic.unit)}`;
  return Number.isNaN(lower) || Number.isNaN(upper)
    ? formatValue(value, statistic.unit)
    : estimateText(value, { lower, upper }, statistic.unit);
}

const MEASURES: { readonly [M in LoadMeasure]: string } = {
  increase: "increase",
  observations: "observations",
  mean: "mean",
};

/** What is shared out: "increase over the window, 2 endpoints", "increase by finished_reason, over the window". */
export function sharesSubtitle({ measure, by, parts }: Pick<SharesData, "measure" | "by" | "parts">): string {
  const what = MEASURES[measure];
  return by === undefined
    ? t`${what} over the window, ${plural(parts.length, t("endpoint"), t("endpoints"))}`
    : t`${what} by ${by}, over the window`;
}

/** To a tenth of a per cent in every row, so that they can be compared down their column. */
export function shareText(share: number): string {
  if (Number.isNaN(share)) return "–";
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${(100 * share).toFixed(1)} %`;
}

/**
 * "busiest endpoint carries 1.32× the average, variation 18 %".
 * @param by the label that the load is split by; absent: by endpoint
 */
export function imbalanceText({ maxOverMean, variation }: Imbalance, by: string | undefined): string {
  return t`busiest ${by ?? "endpoint"} carries ${maxOverMean.toFixed(2)}× the average, variation ${formatValue(variation, "ratio")}`;
}

export const IMBALANCE_HELP = t(
  "Maximum divided by the average: 1 is even. Variation: standard deviation divided by the average; 0 is even.",
);

/** "rate by position, over the window". */
export function vectorSubtitle(
  { measure, label }: Pick<VectorData, "measure" | "label">,
  shown: "rate" | "total",
): string {
  const what = measure === "mean" ? "mean" : shown === "rate" ? "rate" : MEASURES[measure];
  return t`${what} by ${label}, over the window`;
}

/**
 * One position's numbers, line by line; each also as a share of the first, since an index is often a chain (position 1
 * needs position 0).
 */
export function positionLines({ label, positions, values, rates, unit, measure }: VectorData, row: number): string[] {
  const [value = NaN, first = NaN] = [values[row], values[0]];
  return [
    `${label} ${positions[row] ?? ""}`,
    measure === "mean"
      ? formatValue(value, unit)
      : `${formatValue(value, unit)}, ${formatValue(rates[row] ?? NaN, rateUnit(unit))}`,
    ...(row > 0 && first > 0 ? [t`${formatValue(value / first, "ratio")} of ${label} ${positions[0] ?? ""}`] : []),
  ];
}

/** Rates, unless the total was chosen; a gauge's means. */
export function shownOfVector(
  { measure, values, rates }: Pick<VectorData, "measure" | "values" | "rates">,
  { statistic }: ModeSettings,
): { readonly kind: "rate" | "total"; readonly values: Float64Array } {
  return measure === "mean" || statistic === "total" ? { kind: "total", values } : { kind: "rate", values: rates };
}

/**
 * What is counted, and of how many series together: "observations/s, sum of 2 series", "observations in the window, sum
 * of 3 of 8 series".
 */
export function histogramSubtitle(what: string, chosen: number | undefined, total: number): string {
  const of = chosen === undefined || chosen === total ? "" : t`${chosen} of `;
  return total > 1
    ? `${what}, ${chosen === 1 ? "" : t("sum of ")}${of}${plural(total, t("series"), t("series"))}`
    : what;
}

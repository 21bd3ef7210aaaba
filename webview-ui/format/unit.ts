import { displayUnit } from "../../src/core/catalog/display.js";

/** Whether a unit is shown as a short symbol ("ms", "GiB", "%"), not as a word such as "requests". */
export function isSymbol(unit: string | undefined): boolean {
  return displayUnit(unit).symbol.length <= 4;
}

/**
 * The unit where there is room for a symbol only: a word such as "requests" is said once, beside the title.
 * Undefined leaves the plain number.
 */
export function symbolOnly(unit: string | undefined): string | undefined {
  return isSymbol(unit) ? unit : undefined;
}

/** As `symbolOnly`, of a table's cell: a rate says that it is one, since its column stands beside totals. */
export function cellUnit(unit: string | undefined): string | undefined {
  return symbolOnly(unit) ?? (unit?.endsWith("/s") === true ? "/s" : undefined);
}

/** "p99_estimate" → "p99", "rate" → "/s", as people say them. */
export function statisticName(statistic: string): string {
  if (statistic === "rate" || statistic === "count_rate" || statistic === "sum_rate") return "/s";
  return statistic.replace(/_estimate$/, "").replace(/_/g, " ");
}

const COUNTS = new Set(["count", "gaps", "resets", "increase_count"]);

/** Unit of one statistic of a family: counts have none, rates are per second. */
export function unitOfStatistic(key: string, unit: string | undefined): string | undefined {
  if (COUNTS.has(key)) return undefined;
  if (key === "count_rate") return "/s";
  if (!key.startsWith("rate") && key !== "sum_rate") return unit;
  return unit === undefined || unit === "count" ? "/s" : `${unit}/s`;
}

const NAMES: { readonly [statistic: string]: string } = { rate: "rate", total: "total", count: "count" };

/** "p99_estimate" → "p99", "rate" → "/s", as people say them. */
export function statisticName(statistic: string): string {
  if (statistic === "rate" || statistic === "count_rate" || statistic === "sum_rate") return "/s";
  return NAMES[statistic] ?? statistic.replace(/_estimate$/, "").replace(/_/g, " ");
}

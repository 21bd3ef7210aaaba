import { t } from "@vscode/l10n";
import type { DistributionData } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { plural } from "../../src/core/text/plural.js";
import { bucketText } from "./buckets.js";

/** "p50", "p99", "p99.9". */
export function quantileName(q: number): string {
  return `p${Number((q * 100).toFixed(3))}`;
}

/** Bucket, count and share, line by line. */
export function bucketLines({ uppers, counts, unit }: DistributionData, row: number): string[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const count = counts[row] ?? 0;
  const below = counts.subarray(0, row + 1).reduce((sum, one) => sum + one, 0);
  const share = (part: number) => formatValue(total === 0 ? NaN : part / total, "ratio");
  return [
    bucketText(uppers, row, unit),
    `${plural(count, t("observation"), t("observations"))}, ${share(count)}`,
    t`${share(below)} up to here`,
  ];
}

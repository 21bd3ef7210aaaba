import { canonicalName } from "./aliases.js";
import { familiesOf } from "./define.js";
import type { KeyMetric, WatchRule } from "./definition.js";
import { serverOf } from "./recognise.js";

/** The key metric shown of a family, by any of its names; of a family that only serves a derived one, that one. */
export function keyMetricOf(familyName: string): KeyMetric | undefined {
  const canonical = canonicalName(familyName);
  const metrics = serverOf(canonical)?.keyMetrics ?? [];
  return (
    metrics.find(({ family, derived }) => derived === undefined && family === canonical) ??
    metrics.find(({ derived }) => derived !== undefined && familiesOf(derived).includes(canonical))
  );
}

export interface Watched {
  readonly level: "none" | "warning" | "critical";
  readonly reason?: string;
}

/**
 * The worst watch rule that applies.
 * @param value the tile's statistic; NaN applies to nothing
 * @param growing does the series rise over the time looked at?
 */
export function watchLevel(rules: readonly WatchRule[] | undefined, value: number, growing: boolean): Watched {
  let worst: Watched = { level: "none" };
  for (const rule of rules ?? []) {
    const applies = rule.kind === "above" ? value > rule.threshold : growing && value > 0;
    if (applies && worst.level !== "critical") worst = { level: rule.level, reason: rule.reason };
  }
  return worst;
}

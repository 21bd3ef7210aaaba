import { UserError } from "../core/text/user-error.js";
import { canonicalName, nearFamilies, objectiveApplies } from "../core/catalog/index.js";
import { ASSERTED } from "../core/compare/index.js";
import type { MetricType } from "../core/model/index.js";
import { cut } from "./answer.js";

/** Of a suggested name: nobody can type a longer one. */
const NAME_BYTES = 200;

/**
 * The name under which a run has a metric: as given, any name the catalogue knows for the same thing, or a short one
 * such as "ttft" where only one metric is meant by it.
 * @throws UserError naming those that come near
 */
export function familyNamed(names: readonly string[], wanted: string, run: string): string {
  const bare = wanted.replace(/_(total|bucket|sum|count)$/, "");
  const found =
    names.find((name) => name === wanted) ??
    names.find((name) => name === bare) ??
    names.find((name) => canonicalName(name) === canonicalName(wanted) || canonicalName(name) === canonicalName(bare));
  if (found !== undefined) return found;
  const meant = names.filter((name) => objectiveApplies(name, { name: wanted.toLowerCase() }));
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  const near = [...new Set([...meant, ...nearFamilies(wanted, names)])].slice(0, 5);
  throw new UserError(
    `The run ${run} has no metric ${wanted}.`,
    near.length > 0
      ? `It has ${near.map((name) => cut(name, NAME_BYTES)).join(", ")}. describe_run lists all ${names.length}.`
      : `describe_run lists the ${names.length} metrics that it has.`,
  );
}

/** What a series of a type has; the share below a threshold is what `slo_attainment` tells. */
export function statisticsOf(type: MetricType): readonly string[] {
  return ASSERTED[type].filter((name) => name !== "share_below");
}

/**
 * A statistic as the artifacts spell it: "p99" of a histogram is "p99_estimate".
 * @throws UserError naming those that the type has
 */
export function statisticNamed(wanted: string, type: MetricType, family: string): string {
  const known = statisticsOf(type);
  const aliases: Readonly<Record<string, string>> = { mean: "avg", average: "avg", median: "p50", stddev: "std" };
  const lower = wanted.toLowerCase();
  const name = aliases[lower] ?? lower;
  const found = known.find((one) => one === name) ?? known.find((one) => one === `${name}_estimate`);
  if (found !== undefined) return found;
  throw new UserError(`${family} is a ${type}: it has no ${wanted}.`, `It has ${known.join(", ")}.`);
}

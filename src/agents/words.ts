import * as z from "zod";
import { statisticUnit, canonicalName, nearFamilies, objectiveApplies } from "../core/catalog/index.js";
import {
  displayName,
  isoText,
  NS_PER_SECOND,
  type EpochNs,
  type Labels,
  type MetricType,
} from "../core/model/index.js";
import { UserError } from "../core/text/errors.js";
import { ASSERTED } from "../core/compare/index.js";
import { cut } from "./answer.js";

/** A list whose only item may be given by itself, as agents do. */
export function oneOrMany<T extends z.ZodArray>(list: T) {
  return z.preprocess((given) => (typeof given === "string" ? [given] : given), list);
}

/** Parameters that several tools share. */
export const RUN = z.string().min(1).describe("Id of a run, from list_runs");
export const PHASE = z.string().min(1).optional().describe("One phase of the run only, such as warmup");
export const OFFSET = z
  .int()
  .min(0)
  .optional()
  .describe("Where to continue a list: next_offset of the previous answer");
export const FAMILY = z.string().min(1).describe("Name of a metric, such as vllm:num_requests_running");
export const SERIES = {
  labels: z.record(z.string(), z.string()).optional().describe("Only series that have these labels"),
  endpoint: z.string().min(1).optional().describe("Only series of this endpoint, such as localhost:8000"),
};

interface SeriesChoice {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly endpoint?: string | undefined;
}

/** Whether a series has all the labels asked for and is of the endpoint, told by its URL or its display name. */
export function matchesChoice(
  { labels, endpoint }: SeriesChoice,
  series: { readonly labels: Labels; readonly endpointUrl: string },
): boolean {
  if (endpoint !== undefined && endpoint !== series.endpointUrl && endpoint !== displayName(series.endpointUrl))
    return false;
  return Object.entries(labels ?? {}).every(([name, value]) =>
    series.labels.some(
      ([own, is]) => (own === name || foreignName(own) === name) && (is === value || foreignName(is) === value),
    ),
  );
}

/** Characters of a foreign name in an answer: a label's value may be a text of any length. */
const LONGEST_NAME = 120;

/** A foreign name, with the end of a long one left out. */
export function foreignName(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_NAME ? text : `${characters.slice(0, LONGEST_NAME - 1).join("")}…`;
}

/** How an answer names a series. */
export function seriesName({ labels, endpointUrl }: { readonly labels: Labels; readonly endpointUrl: string }) {
  const named = labels.map(([name, value]): [string, string] => [foreignName(name), foreignName(value)]);
  return {
    endpoint: foreignName(displayName(endpointUrl)),
    ...(named.length === 0 ? {} : { labels: Object.fromEntries(named) }),
  };
}

/** Unit of a statistic in words, such as "tokens per second". @param unit the family's */
export function unitWords(statistic: string, unit: string | undefined): string {
  if (statistic === "gaps") return "samples";
  if (statistic === "resets") return "restarts";
  if (statistic === "count" || statistic === "increase_count") return "observations";
  if (statistic === "share_below") return "share from 0 to 1";
  if (statistic === "count_rate") return "observations per second";
  const known = unit === undefined || unit === "count" ? undefined : unit;
  if (statistic.startsWith("rate") || statistic === "sum_rate")
    return known === undefined ? "per second" : `${known} per second`;
  const words = statisticUnit(statistic, known);
  return words === undefined ? "a plain number" : words === "ratio" ? "share from 0 to 1" : words;
}

/** The window of an answer. */
export function windowOf({ start, end }: { readonly start: EpochNs; readonly end: EpochNs }) {
  return { start: isoText(start), end: isoText(end), seconds: Number(end - start) / NS_PER_SECOND };
}

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

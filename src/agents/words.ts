import * as z from "zod";
import { statisticUnit } from "../core/catalog/index.js";
import { displayName, isoText, NS_PER_SECOND, type EpochNs, type Labels } from "../core/model/index.js";

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

export interface SeriesChoice {
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

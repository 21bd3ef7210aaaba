import { amountOf, statisticOf, type MetricType, type Problem, type SeriesResult, noteOf } from "../model/index.js";
import { isAsked } from "./asked.js";
import { shownStats, type ResultEntry } from "./tables.js";
import type { LoadMeasure, SeriesQuery } from "./types/index.js";

/** What a series did over a window: what is compared between series, endpoints and positions. */
export interface SeriesLoad {
  /** A counter's increase, a histogram's observations, a gauge's mean. */
  readonly amount: number;
  /** Per second; NaN for a gauge. */
  readonly rate: number;
  readonly note?: string;
}

const MEASURES: { readonly [T in MetricType]: LoadMeasure } = {
  gauge: "mean",
  unknown: "mean",
  counter: "increase",
  histogram: "observations",
};

/** What the load of a family of this type is measured by. */
export function measureOf(type: MetricType): LoadMeasure {
  return MEASURES[type];
}

/** Amount and rate of one series; NaN where it has none. */
export function loadOf(result: SeriesResult): SeriesLoad {
  const { note } = shownStats(result);
  return {
    amount: amountOf(result),
    rate: statisticOf(result, result.kind === "histogram" ? "count_rate" : "rate"),
    ...(note === undefined ? {} : { note }),
  };
}

/** The series that a view asks about. */
export function askedEntries(all: Iterable<ResultEntry>, query: SeriesQuery): ResultEntry[] {
  return [...all].filter(({ key }) => isAsked(key, query));
}

/** Why a family has nothing to compare. */
export function noDataProblem(family: string, series: number): Problem {
  return series === 0
    ? noteOf(`No endpoint has reported ${family} so far.`, "It appears here as soon as one does.")
    : noteOf(`${family} has no samples in this window.`, "Choose another window, or wait for the next scrapes.");
}

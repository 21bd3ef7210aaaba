import {
  amountOf,
  statisticOf,
  noteOf,
  labelValue,
  NS_PER_SECOND,
  type MetricType,
  type Problem,
  type SeriesResult,
  type SeriesKey,
  type EpochNs,
} from "../model/index.js";
import { isAsked, inOrder } from "./series.js";
import { shownStats, statisticColumns, type ResultEntry } from "./tables.js";
import type {
  LoadMeasure,
  SeriesQuery,
  RankingData,
  RankingQuery,
  Imbalance,
  SharesData,
  SharesQuery,
  VectorData,
  VectorQuery,
} from "./types/index.js";
import { shownUnit, joiningOf, vectorLabelOf } from "../catalog/index.js";
import { knownEstimate, compareText } from "../stats/index.js";
import { getOrInsert, mean, sum } from "../math/index.js";

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

const USUAL: { readonly [T in MetricType]: string } = {
  gauge: "avg",
  unknown: "avg",
  counter: "rate",
  histogram: "avg",
};

/** The series with the greatest values of a statistic over the window, greatest first. Yields the share done. */
export function* rankingSteps(all: Iterable<ResultEntry>, query: RankingQuery): Generator<number, RankingData> {
  const entries = askedEntries(all, query);
  const family = entries[0]?.key.family;
  const type = family?.type ?? "unknown";
  const statistics = statisticColumns(type, family === undefined ? undefined : shownUnit(family));
  const wanted =
    statistics.find(({ key }) => key === query.statistic) ?? statistics.find(({ key }) => key === USUAL[type]);
  const statistic = wanted ?? { key: USUAL[type], title: USUAL[type] };
  const ranked: {
    readonly entry: ResultEntry;
    readonly value: number;
    readonly lower: number;
    readonly upper: number;
    readonly note?: string;
  }[] = [];
  for (const [i, entry] of entries.entries()) {
    const result = entry.result();
    const { stats, note } = shownStats(result);
    const value = stats[statistic.key] ?? NaN;
    const estimate = result?.kind === "histogram" ? knownEstimate(result, statistic.key) : undefined;
    if (!Number.isNaN(value))
      ranked.push({
        entry,
        value,
        lower: estimate?.lower ?? NaN,
        upper: estimate?.upper ?? NaN,
        ...(note === undefined ? {} : { note }),
      });
    yield (i + 1) / entries.length;
  }
  ranked.sort((a, b) => b.value - a.value);
  const first = ranked.slice(0, Math.max(1, query.count));
  const numbers = (of: "value" | "lower" | "upper") => Float64Array.from(first, (row) => row[of]);
  return {
    family: query.family,
    statistic,
    statistics,
    rows: first.map(({ entry: { key }, note }) => ({
      series: key.id,
      endpointUrl: key.endpointUrl,
      labels: key.labels,
      ...(note === undefined ? {} : { note }),
    })),
    values: numbers("value"),
    ...(statistic.key.endsWith("_estimate") ? { bounds: { lower: numbers("lower"), upper: numbers("upper") } } : {}),
    seriesTotal: entries.length,
    unranked: entries.length - ranked.length,
    ...(ranked.length > 0 ? {} : { empty: unrankable(query.family, entries, statistic.title) }),
  };
}

function unrankable(family: string, entries: readonly ResultEntry[], statistic: string) {
  const some = entries.some((entry) => entry.result() !== undefined);
  return some
    ? {
        severity: "info" as const,
        reason: `No series of ${family} has the statistic ${statistic} in this window.`,
        remedy: "Rank by another one.",
      }
    : noDataProblem(family, entries.length);
}

/** How a family's load over the window falls on its endpoints, or on the values of a label. Yields the share done. */
export function* sharesSteps(all: Iterable<ResultEntry>, query: SharesQuery): Generator<number, SharesData> {
  const entries = askedEntries(all, query);
  const family = entries[0]?.key.family;
  const labels = splittingLabels(entries.map(({ key }) => key));
  const by = labels.find((label) => label === query.by);
  const loads = new Map<string, SeriesLoad[]>();
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    const computed = entry.result();
    if (computed !== undefined) {
      const part = by === undefined ? key.endpointUrl : (labelValue(key.labels, by) ?? "");
      getOrInsert(loads, part, () => []).push(loadOf(computed));
    }
    yield (i + 1) / entries.length;
  }
  const unit = family === undefined ? undefined : shownUnit(family);
  const measure = measureOf(family?.type ?? "unknown");
  const names = by === undefined ? [...loads.keys()].sort(compareText) : inOrder(loads.keys());
  const parts = names
    .map((name) => ({ name, loads: (loads.get(name) ?? []).filter(({ amount }) => !Number.isNaN(amount)) }))
    .filter((part) => part.loads.length > 0);
  const averaged = measure === "mean" && joiningOf("gauge", unit).compared === "mean";
  const values = Float64Array.from(
    parts,
    ({ loads: of }) => sum(of.map(({ amount }) => amount)) / (averaged ? of.length : 1),
  );
  const total = sum(values);
  const shareable = total > 0 && values.every((value) => value >= 0);
  return {
    family: query.family,
    ...(unit === undefined || measure === "observations" ? {} : { unit }),
    measure,
    ...(by === undefined ? {} : { by }),
    labels,
    parts: parts.map(({ name, loads: of }) => {
      const note = of.find((load) => load.note !== undefined)?.note;
      return { name, series: of.length, ...(note === undefined ? {} : { note }) };
    }),
    values,
    rates: Float64Array.from(parts, ({ loads: of }) => sum(of.map(({ rate }) => rate))),
    shares: values.map((value) => (shareable ? value / total : NaN)),
    ...(shareable && parts.length > 1 ? { imbalance: imbalanceOf(values) } : {}),
    ...(parts.length > 0 ? {} : { empty: noDataProblem(query.family, entries.length) }),
  };
}

/** The parts are all there are, not a sample of some: the standard deviation divides by their number. */
export function imbalanceOf(values: ArrayLike<number>): Imbalance {
  const all = Array.from(values);
  const average = mean(all);
  const variance = mean(all.map((value) => (value - average) ** 2));
  return { maxOverMean: Math.max(...all) / average, variation: Math.sqrt(variance) / average };
}

/** Labels in which the series differ, alphabetically. */
function splittingLabels(keys: readonly SeriesKey[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const { labels } of keys) for (const [name] of labels) values.set(name, new Set());
  for (const [name, seen] of values) for (const key of keys) seen.add(labelValue(key.labels, name) ?? "");
  return [...values]
    .filter(([, seen]) => seen.size > 1)
    .map(([name]) => name)
    .sort(compareText);
}

interface Element {
  readonly position: string;
  readonly result: SeriesResult;
}

/** A family whose label is an index, over the window and slice by slice. Yields the share done. */
export function* vectorSteps(
  all: Iterable<ResultEntry>,
  query: VectorQuery,
  origin: EpochNs,
): Generator<number, VectorData> {
  const label = vectorLabelOf(query.family) ?? "";
  const entries = askedEntries(all, query);
  const elements: Element[] = [];
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    const position = labelValue(key.labels, label);
    const computed = entry.result();
    if (position !== undefined && computed !== undefined) elements.push({ position, result: computed });
    yield (i + 1) / entries.length;
  }
  const family = entries[0]?.key.family;
  const unit = family === undefined ? undefined : shownUnit(family);
  const measure = measureOf(family?.type ?? "unknown");
  const positions = inOrder(new Set(elements.map(({ position }) => position)));
  const rowOf = new Map(positions.map((position, row) => [position, row]));
  const values = new Float64Array(positions.length);
  const rates = new Float64Array(positions.length);
  for (const { position, result } of elements) {
    const row = rowOf.get(position) ?? 0;
    const { amount, rate } = loadOf(result);
    values[row] = (values[row] ?? 0) + amount;
    rates[row] = (rates[row] ?? 0) + rate;
  }
  const { edges, cells } = courseOf(elements, rowOf, origin);
  return {
    family: query.family,
    ...(unit === undefined || measure === "observations" ? {} : { unit }),
    label,
    measure,
    positions,
    values,
    rates,
    edges,
    cells,
    ...(edges.length === 0 ? { unsliced: UNSLICED } : {}),
    ...(positions.length > 0 ? {} : { empty: emptiness(query.family, label, entries.length) }),
  };
}

const UNSLICED: Problem = noteOf("There are no timeslices of it, so its course over time cannot be shown.");

function emptiness(family: string, label: string, series: number): Problem {
  if (label === "") return noteOf(`${family} has no label that is an index.`);
  return noDataProblem(family, series);
}

/** Slices of all elements on one axis; one that no element has is a column of its own, without values. */
function courseOf(
  elements: readonly Element[],
  rowOf: ReadonlyMap<string, number>,
  origin: EpochNs,
): Pick<VectorData, "edges" | "cells"> {
  const ends = new Map<number, number>();
  const offset = (time: EpochNs) => Number(time - origin);
  for (const { result } of elements) {
    for (const { start_ns, end_ns } of result.slices ?? [])
      ends.set(offset(start_ns), Math.max(offset(end_ns), ends.get(offset(start_ns)) ?? 0));
  }
  const edges: number[] = [];
  const columnOf = new Map<number, number>();
  let last: number | undefined;
  for (const [start, end] of [...ends].sort(([a], [b]) => a - b)) {
    if (last !== undefined && last < start) edges.push(last);
    columnOf.set(start, edges.length);
    edges.push(start);
    last = end;
  }
  if (last !== undefined) edges.push(last);
  const rows = rowOf.size;
  const cells = new Float64Array(Math.max(0, edges.length - 1) * rows).fill(NaN);
  for (const { position, result } of elements) {
    for (const [start, value] of slicesOf(result)) {
      const cell = (columnOf.get(offset(start)) ?? 0) * rows + (rowOf.get(position) ?? 0);
      cells[cell] = (Number.isNaN(cells[cell]) ? 0 : (cells[cell] ?? 0)) + value;
    }
  }
  return { edges: Float64Array.from(edges), cells };
}

/** Rates of a counter's or histogram's slices, means of a gauge's. */
function slicesOf(result: SeriesResult): (readonly [EpochNs, number])[] {
  switch (result.kind) {
    case "gauge":
      return (result.slices ?? []).map((slice) => [slice.start_ns, slice.avg]);
    case "counter":
      return (result.slices ?? []).map((slice) => [slice.start_ns, slice.rate]);
    case "histogram":
      return (result.slices ?? []).map((slice) => [
        slice.start_ns,
        slice.count / (Number(slice.end_ns - slice.start_ns) / NS_PER_SECOND),
      ]);
  }
}

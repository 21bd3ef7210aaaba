import {
  offsetNs,
  PERCENTILES,
  STATISTICS,
  statisticOf,
  statisticsOf,
  type CounterResult,
  type EpochNs,
  type HistogramResult,
  type HistogramSlice,
  type MetricType,
  type OffsetNs,
  type QuantileEstimate,
  type SeriesKey,
  type SeriesResult,
} from "../model/index.js";
import {
  byImportance,
  computedNote,
  COUNTED_AVERAGE_NOTE,
  isCountedAverage,
  objectiveApplies,
  objectiveText,
  shareStatistic,
  shownUnit,
  statisticUnit,
  type Objective,
} from "../catalog/index.js";
import { shareBelow, shareBelowInSlice } from "../stats/index.js";
import { isAsked, compareSeries } from "./series.js";
import { estimatesByKey, histogramCells, SLICE_QUANTILE_KEYS } from "./estimate-cells.js";
import type { StatisticsTable, TableColumn, TimesliceTable, SeriesQuery } from "./types/index.js";

/** A series and its result, computed when asked for. */
export interface ResultEntry {
  readonly key: SeriesKey;
  /** @param estimated false: the percentiles of a histogram, which take longest, are not needed */
  result(estimated?: boolean): SeriesResult | undefined;
  /** Estimates of SLICE_QUANTILES for a slice of that result; empty when there is nothing to tell them by. */
  sliceQuantiles(slice: HistogramSlice): readonly QuantileEstimate[];
}

/** What stands in tables. */
const COLUMNS: Record<MetricType, readonly string[]> = {
  gauge: [...STATISTICS.gauge, "gaps"],
  unknown: [...STATISTICS.unknown, "gaps"],
  counter: [...STATISTICS.counter, "resets"],
  histogram: [...STATISTICS.histogram, "resets"],
};
const ESTIMATES = PERCENTILES.map((p) => `p${p}_estimate`);
const SLICES: Record<MetricType, readonly string[]> = {
  gauge: ["avg", "min", "max"],
  unknown: ["avg", "min", "max"],
  counter: ["total", "rate"],
  histogram: ["count", "sum", "avg", ...SLICE_QUANTILE_KEYS],
};

/**
 * All statistics of all series of one family, or of every family of a type. Yields the share done after each series.
 */
export function* statisticsTable(
  all: Iterable<ResultEntry>,
  which: { readonly family: string } | { readonly type: MetricType },
): Generator<number, StatisticsTable> {
  const entries = keyMetricsFirst(
    [...all].filter(({ key }) =>
      "family" in which ? key.family.name === which.family : key.family.type === which.type,
    ),
    ({ key }) => key.family.name,
    (a, b) => compareSeries(a.key, b.key),
  );
  const first = entries[0]?.key.family;
  const type = "family" in which ? (first?.type ?? "unknown") : which.type;
  const one = "family" in which ? first : undefined;
  const rows: StatisticsTable["rows"][number][] = [];
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    if (key.family.type === type) {
      const result = entry.result();
      const { stats: values, note = computedNote(key.family.name) } = isCountedAverage(key.family)
        ? COUNTED_AVERAGE
        : shownStats(result);
      rows.push({
        series: key.id,
        family: key.family.name,
        endpointUrl: key.endpointUrl,
        labels: key.labels,
        ...(note === undefined ? {} : { note }),
        values,
        ...(result?.kind === "histogram" ? { estimates: estimatesByKey(ESTIMATES, result.estimates ?? []) } : {}),
      });
    }
    yield (i + 1) / entries.length;
  }
  return {
    type,
    columns: one === undefined ? COLUMNS[type].map(plainColumn) : statisticColumns(type, shownUnit(one)),
    rows,
  };
}

/** Family by family, key metrics first. */
function keyMetricsFirst<T>(
  all: readonly T[],
  familyOf: (one: T) => string,
  withinFamily?: (a: T, b: T) => number,
): readonly T[] {
  const position = new Map(byImportance(all.map(familyOf)).map((name, i) => [name, i]));
  const of = (one: T) => position.get(familyOf(one)) ?? 0;
  return all.toSorted((a, b) => of(a) - of(b) || (withinFamily?.(a, b) ?? 0));
}

/** Tables of several families of one type as one, key metrics first: their columns are the same. */
export function joinTables(first: StatisticsTable, others: readonly StatisticsTable[]): StatisticsTable {
  const rows = [first, ...others].flatMap((table) => table.rows);
  return { ...first, rows: keyMetricsFirst(rows, ({ family }) => family) };
}

/** Timeslices of one family's series. */
export function* timesliceTable(
  all: Iterable<ResultEntry>,
  params: SeriesQuery & {
    /** Those of the family give a histogram's slices a column each. */
    readonly objectives?: readonly Objective[];
  },
  origin: EpochNs,
): Generator<number, TimesliceTable> {
  const entries = [...all].filter(({ key }) => isAsked(key, params));
  const family = entries[0]?.key.family;
  const type = family?.type ?? "unknown";
  const unit = family === undefined ? undefined : shownUnit(family);
  const measured =
    type === "histogram" ? (params.objectives ?? []).filter((one) => objectiveApplies(params.family, one)) : [];
  const columns = [
    ...SLICES[type].map((key) => column(key, unit)),
    ...measured.map(({ threshold }) => ({
      ...column(shareStatistic(threshold), unit),
      title: objectiveText(threshold, unit),
    })),
  ];
  const rows: TimesliceTable["rows"][number][] = [];
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    // Percentiles of the whole are needed for nothing else than the share of the whole below a threshold.
    const result = entry.result(measured.length > 0);
    const whole =
      result?.kind === "histogram"
        ? measured.map(({ threshold }) => ({ threshold, share: shareBelow(result, threshold) }))
        : [];
    const sharesOf = ({ buckets }: HistogramSlice) =>
      Object.fromEntries(
        whole.flatMap(({ threshold, share }) =>
          share === undefined
            ? []
            : [[shareStatistic(threshold), shareBelowInSlice(buckets, share, threshold).value] as const],
        ),
      );
    for (const slice of result?.slices ?? [])
      rows.push({
        series: key.id,
        endpointUrl: key.endpointUrl,
        labels: key.labels,
        start: offsetOf(origin, slice.start_ns),
        end: offsetOf(origin, slice.end_ns),
        complete: slice.is_complete === undefined,
        ...("buckets" in slice
          ? histogramCells({ ...numbersOf(slice), ...sharesOf(slice) }, entry.sliceQuantiles(slice))
          : { values: numbersOf(slice) }),
      });
    yield (i + 1) / entries.length;
  }
  return {
    family: params.family,
    type,
    ...(unit === undefined ? {} : { unit }),
    columns,
    rows,
  };
}

function offsetOf(origin: EpochNs, time: EpochNs): OffsetNs {
  return offsetNs(Number(time - origin));
}

/** The numbers of a statistics or slice object by their key. */
function numbersOf(record: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** What a series of a type has, in the order of the tables. */
export function statisticColumns(type: MetricType, unit: string | undefined): TableColumn[] {
  return COLUMNS[type].map((key) => column(key, unit));
}

const COUNTED_AVERAGE: ReturnType<typeof shownStats> = { stats: {}, note: COUNTED_AVERAGE_NOTE };

/** What tables show of a series, and what is to be said of it. */
export function shownStats(result: SeriesResult | undefined): {
  readonly stats: Record<string, number>;
  readonly note?: string;
} {
  if (result === undefined) return { stats: {}, note: "no samples in the profiling phase" };
  const stats = numbersOf(statisticsOf(result));
  const linear =
    result.kind === "histogram" && result.estimateNote !== undefined ? `percentiles ${result.estimateNote}` : undefined;
  // Of a constant only rounding is left of the deviation: "5.93e-15" says nothing.
  if (result.kind === "gauge" && "min" in stats && stats["min"] === stats["max"])
    return { stats: { ...stats, std: 0 } };
  const note = [result.kind === "gauge" ? undefined : increaseNote(result), linear]
    .filter((text) => text !== undefined)
    .join("; ");
  return { stats, ...(note === "" ? {} : { note }) };
}

/** Why the numbers are not those of AIPerf's fields. */
function increaseNote(result: CounterResult | HistogramResult): string | undefined {
  const resets = statisticOf(result, "resets");
  if (result.aiperf === undefined) return undefined;
  const restarted =
    resets === 0
      ? result.born === undefined
        ? "bucket bounds changed: increase over both layouts"
        : undefined
      : `restarted ${resets === 1 ? "once" : `${resets} times`}: increase across restarts`;
  const born = result.born === undefined ? undefined : "appeared during the run: counted from 0";
  return [restarted, born].filter((text) => text !== undefined).join("; ");
}

function column(key: string, unit: string | undefined): TableColumn {
  const shown = statisticUnit(key, unit);
  return { ...plainColumn(key), ...(shown === undefined ? {} : { unit: shown }) };
}

/** Of a table of several families: the units are those of the rows. */
function plainColumn(key: string): TableColumn {
  return { key, title: key.replace(/_estimate$/, "").replaceAll("_", " ") };
}

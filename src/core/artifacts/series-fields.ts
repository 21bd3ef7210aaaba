import type { BucketCounts, EpochNs, SeriesResult } from "../model/index.js";
import type { Writable } from "./json/text.js";
import { getOrInsert } from "../math/index.js";
import { perSecond } from "../stats/index.js";
import { fieldsOf, isList, type Fields } from "../text/index.js";
import { timeOf } from "./json/exact.js";

/** A series as the files state it. */
interface SeriesFields {
  /** AIPerf's statistics with ours beside them: `resets`, `increase` or `increase_count` and `increase_sum`, `born`. */
  readonly stats: { readonly [key: string]: number | EpochNs | undefined };
  readonly buckets: BucketCounts | undefined;
  readonly slices: SeriesResult["slices"];
  /** What the series did across restarts and since its birth; absent where that is what `stats` says. */
  readonly increases?: Pick<SeriesFields, "stats" | "buckets" | "slices">;
}

/** The numbers of a result as AIPerf defines them, and ours where they differ. */
export function seriesFields(result: SeriesResult): SeriesFields {
  if (result.kind === "gauge") return { stats: { ...result.stats }, buckets: undefined, slices: result.slices };
  const { born, slices } = result;
  if (result.kind === "counter") {
    const { aiperf } = result;
    if (aiperf === undefined) return { stats: { ...result.stats }, buckets: undefined, slices };
    const { resets, gaps, ...increases } = result.stats;
    return {
      stats: { ...aiperf.stats, resets, increase: increases.total, gaps, born },
      buckets: undefined,
      slices: aiperf.slices,
      increases: { stats: increases, buckets: undefined, slices },
    };
  }
  const { aiperf, buckets } = result;
  if (aiperf === undefined) return { stats: { ...result.stats }, buckets, slices };
  const { count, sum, avg, count_rate, sum_rate, resets, ...estimates } = result.stats;
  return {
    stats: { ...aiperf.stats, ...estimates, resets, increase_count: count, increase_sum: sum ?? 0, born },
    buckets: aiperf.buckets ?? buckets,
    slices: aiperf.slices,
    increases: {
      stats: { count, sum, avg, count_rate, sum_rate },
      buckets: aiperf.buckets === undefined ? undefined : buckets,
      slices,
    },
  };
}

/** A series as `metrics` lists it. */
export function seriesOf(result: SeriesResult): { readonly [key: string]: Writable | undefined } {
  const { stats, increases, ...fields } = seriesFields(result);
  return {
    endpoint_url: result.endpointUrl,
    labels: result.labels.length === 0 ? undefined : new Map(result.labels),
    stats: { ...stats, ...(result.kind === "histogram" ? result.intervals : {}) },
    estimate_note: result.kind === "histogram" ? result.estimateNote : undefined,
    ...bucketsAndSlices(fields),
    increases: increases && { stats: increases.stats, ...bucketsAndSlices(increases) },
  };
}

function bucketsAndSlices({ buckets, slices }: Pick<SeriesFields, "buckets" | "slices">) {
  return {
    buckets: buckets && new Map(buckets),
    timeslices: slices?.map((slice) =>
      "buckets" in slice ? { ...slice, buckets: new Map(slice.buckets) } : { ...slice },
    ),
  };
}

/*
 * The slices that findings are read from, beside a run's own. They are many and short: a list for each number, null
 * where a slice has none, without what follows from the others (times, rates, averages of histograms).
 */

type FineSlice = NonNullable<SeriesResult["fineSlices"]>[number];
type Columns = Map<string, (number | null)[]>;

/** The fine slices of a series as its member `fine_timeslices`: numbers in lists. Undefined without any. */
export function fineSlicesOf(fineSlices: SeriesResult["fineSlices"] = []): Writable | undefined {
  const [first, last] = [fineSlices[0], fineSlices.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const sliceNs = Number(first.end_ns - first.start_ns);
  const columns: Columns = new Map();
  const buckets: Columns = new Map();
  for (const slice of fineSlices) {
    const at = Math.round(Number(slice.start_ns - first.start_ns) / sliceNs);
    for (const [key, value] of cellsOf(slice)) put(columns, key, at, value);
    if ("buckets" in slice) for (const [bound, count] of slice.buckets) put(buckets, bound, at, count);
  }
  return {
    start_ns: first.start_ns,
    end_ns: last.end_ns,
    slice_ns: sliceNs,
    ...Object.fromEntries(columns),
    buckets: buckets.size === 0 ? undefined : buckets,
  };
}

function cellsOf(slice: FineSlice): readonly (readonly [string, number])[] {
  if ("min" in slice) return Object.entries({ avg: slice.avg, min: slice.min, max: slice.max });
  return Object.entries("sum" in slice ? { count: slice.count, sum: slice.sum } : { total: slice.total });
}

function put(columns: Columns, key: string, at: number, value: number): void {
  const column = getOrInsert(columns, key, () => []);
  while (column.length < at) column.push(null);
  column.push(value);
}

/** A member `fine_timeslices` as `timeslices` would have it. Nothing of a length that makes no sense. */
export function rowsOfFineSlices(member: unknown): readonly Fields[] {
  const { start_ns, end_ns, slice_ns, buckets, ...columns } = fieldsOf(member);
  if (typeof slice_ns !== "number" || !(slice_ns >= 1)) return [];
  const [start, end, length] = [timeOf(start_ns), timeOf(end_ns), BigInt(Math.round(slice_ns))];
  const [lists, bounds] = [listsOf(columns), listsOf(fieldsOf(buckets))];
  const count = Math.max(0, ...lists.map(([, list]) => list.length));
  return Array.from({ length: count }, (_, i): Fields | undefined => {
    const from = start + BigInt(i) * length;
    const isComplete = from + length <= end;
    const to = isComplete ? from + length : end;
    const row = Object.fromEntries(lists.map(([key, list]) => [key, list[i]]));
    if (lists.some(([, list]) => typeof list[i] !== "number")) return undefined;
    return {
      start_ns: from,
      end_ns: to,
      ...(isComplete ? {} : { is_complete: false }),
      ...row,
      ...derived(row, Number(to - from)),
      buckets: Object.fromEntries(bounds.map(([bound, list]) => [bound, list[i]])),
    };
  }).filter((row) => row !== undefined);
}

function listsOf(columns: Fields): readonly (readonly [string, readonly unknown[]])[] {
  return Object.entries(columns).flatMap(([key, list]) => (isList(list) ? [[key, list] as const] : []));
}

/** As the statistics compute it. */
function derived({ total, count, sum }: Fields, ns: number): Fields {
  if (typeof total === "number") return { rate: perSecond(total, ns) };
  if (typeof count === "number" && typeof sum === "number") return { avg: count === 0 ? 0 : sum / count };
  return {};
}

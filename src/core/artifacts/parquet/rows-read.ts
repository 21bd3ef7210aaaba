import { makeLabels, METRIC_TYPES, type Family, type RecordedUrls, type Labels } from "../../model/index.js";
import { labelOfColumn } from "../csv/label-columns.js";
import { OWN_COLUMNS, TIME } from "./columns.js";
import { ABSENT } from "./data-page.js";
import type { DecodedRows, DecodedNumbers, DecodedTexts } from "./decode.js";
import { getOrInsert } from "../../math/index.js";

export const REQUIRED_COLUMNS = ["endpoint_url", "metric_name", "metric_type", "timestamp_ns", "value"] as const;

/** Columns that hold the values of a label. */
export function labelColumnsOf(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => !OWN_COLUMNS.has(name));
}

/** Gathers rows into series. Columns come as codes, so that a row's series is found by comparing a few integers. */
export class RowsReader {
  /** In the order in which the file has them. */
  private readonly byKey = new Map<string, SeriesSamplesBuilder>();
  private newest: SeriesSamplesBuilder | undefined;

  constructor(
    private readonly labels: readonly string[],
    private readonly urls: RecordedUrls,
  ) {}

  get series(): Iterable<SeriesSamplesBuilder> {
    return this.byKey.values();
  }

  /** @param only whether a family of this name is wanted; absent: all */
  add(rows: DecodedRows, only?: (family: string) => boolean): void {
    const names = textOf(rows, "metric_name");
    const dimensions = [
      textOf(rows, "endpoint_url"),
      names,
      textOf(rows, "metric_type"),
      ...this.labels.map((label) => textOf(rows, label)),
    ];
    const description = rows.columns.has("description") ? textOf(rows, "description") : undefined;
    const scalars = { times: numberOf(rows, TIME), values: numberOf(rows, "value") };
    const histograms = rows.columns.has("count") ? histogramRows(rows) : undefined;
    const stretches = new Stretches(dimensions, rows.rows);
    for (let from = 0; from < rows.rows;) {
      const to = stretches.endOf(from);
      if (only?.(textAt(names, from) ?? "") !== false) {
        const series = this.seriesAt(dimensions, description, from);
        if (series.identity.family.type !== "histogram" || histograms === undefined)
          series.addScalars(scalars, from, to);
        else series.addHistogram(histograms, from, to);
      }
      from = to;
    }
  }

  private seriesAt(
    dimensions: readonly DecodedTexts[],
    description: DecodedTexts | undefined,
    row: number,
  ): SeriesSamplesBuilder {
    const texts = dimensions.map((column) => textAt(column, row));
    const key = JSON.stringify(texts);
    let series = this.byKey.get(key);
    if (series === undefined) {
      const [written = "", name = "", typeText, ...values] = texts;
      const endpointUrl = this.urls.bounded(written);
      const type = METRIC_TYPES.find((candidate) => candidate === typeText) ?? "unknown";
      const family: Family = {
        name,
        type,
        description: (description === undefined ? undefined : textAt(description, row)) ?? "",
      };
      const pairs = this.labels.flatMap((label, i) =>
        values[i] === undefined ? [] : [[labelOfColumn(label, OWN_COLUMNS), values[i]] as const],
      );
      const labels = makeLabels(pairs);
      // Most series of a file have as many samples as the one before.
      const expected = this.newest?.length ?? 0;
      series = new SeriesSamplesBuilder({ endpointUrl, family, labels }, expected);
      this.byKey.set(key, series);
      this.newest = series;
    }
    return series;
  }
}

/** Finds the stretches of rows that are of one series. */
export class Stretches {
  private readonly columns: readonly DecodedTexts[];
  /** Row at which each column changes next. */
  private readonly changes: number[];

  constructor(
    columns: readonly DecodedTexts[],
    private readonly rows: number,
  ) {
    this.columns = columns.filter(({ constant }) => !constant);
    this.changes = this.columns.map(() => 0);
  }

  /** End of the stretch that begins with a row; rows must ascend from call to call. */
  endOf(from: number): number {
    let end = this.rows;
    this.columns.forEach((column, c) => {
      let change = this.changes[c] ?? 0;
      if (change <= from) this.changes[c] = change = changeAfter(column, from, this.rows);
      if (change < end) end = change;
    });
    return end;
  }
}

function changeAfter({ codes }: DecodedTexts, from: number, rows: number): number {
  const code = codes[from];
  let row = from + 1;
  while (row < rows && codes[row] === code) row++;
  return row;
}

function histogramRows(rows: DecodedRows): HistogramRows {
  return {
    times: numberOf(rows, TIME),
    sums: numberOf(rows, "sum"),
    counts: numberOf(rows, "count"),
    buckets: rows.columns.has("bucket_count")
      ? { bounds: textOf(rows, "bucket_le"), cells: numberOf(rows, "bucket_count") }
      : undefined,
  };
}

/** Undefined where the row has none. */
export function textAt(column: DecodedTexts, row: number): string | undefined {
  return column.values[column.codes[row] ?? ABSENT];
}

/** A column of texts. @throws Error where it is missing or of another type */
export function textOf(rows: DecodedRows, name: string): DecodedTexts {
  const column = rows.columns.get(name);
  if (column?.kind !== "text") throw new Error(`column ${name} holds no texts`);
  return column;
}

function numberOf(rows: DecodedRows, name: string): DecodedNumbers {
  const column = rows.columns.get(name);
  if (column?.kind !== "number") throw new Error(`column ${name} holds no numbers`);
  return column;
}

/** Rows of scalars: a sample each. */
interface ScalarRows {
  readonly times: DecodedNumbers;
  readonly values: DecodedNumbers;
}

/** Rows of histograms: one a bound and time. */
interface HistogramRows {
  readonly times: DecodedNumbers;
  readonly sums: DecodedNumbers;
  readonly counts: DecodedNumbers;
  /** Absent where the buckets were not read. */
  readonly buckets: { readonly bounds: DecodedTexts; readonly cells: DecodedNumbers } | undefined;
}

function at({ codes, values }: DecodedNumbers, row: number): number {
  return values[codes[row] ?? ABSENT] ?? NaN;
}

/** A vector of numbers that grows; NaN where nothing was set. */
export class Numbers {
  private data: Float64Array;

  /** @param expected how many there will be, most likely */
  constructor(expected: number) {
    this.data = new Float64Array(expected).fill(NaN);
  }

  set(index: number, value: number): void {
    if (index >= this.data.length) this.grow(index + 1);
    this.data[index] = value;
  }

  /** The first ones. Valid until the next one is set. */
  view(length: number): Float64Array {
    if (length > this.data.length) this.grow(length);
    return this.data.subarray(0, length);
  }

  private grow(length: number): void {
    const before = this.data;
    this.data = new Float64Array(Math.max(length, 2 * before.length)).fill(NaN, before.length);
    this.data.set(before);
  }
}

/** The samples of one series as its rows come: one sample a time, of a histogram from a row per bound. */
export class SeriesSamplesBuilder {
  /** Cumulative counts by the bound's text. */
  readonly buckets = new Map<string, Numbers>();
  /** Of each sample, in order of appearance; relative to the run's origin. */
  readonly times: Numbers;
  /** A scalar's. */
  readonly values: Numbers;
  readonly sums: Numbers;
  readonly counts: Numbers;
  private samples = 0;
  private last = NaN;
  private indexByTime: Map<number, number> | undefined;

  /** @param expected how many samples there will be, most likely */
  constructor(
    readonly identity: { readonly endpointUrl: string; readonly family: Family; readonly labels: Labels },
    private readonly expected = 0,
  ) {
    const isHistogram = identity.family.type === "histogram";
    this.times = new Numbers(expected);
    this.values = new Numbers(isHistogram ? 0 : expected);
    this.sums = new Numbers(isHistogram ? expected : 0);
    this.counts = new Numbers(isHistogram ? expected : 0);
  }

  get length(): number {
    return this.samples;
  }

  /** Rows [from, to) of a scalar. */
  addScalars({ times, values }: ScalarRows, from: number, to: number): void {
    for (let row = from; row < to; row++) this.values.set(this.indexOf(at(times, row)), at(values, row));
  }

  /** Rows [from, to) of a histogram. */
  addHistogram({ times, sums, counts, buckets }: HistogramRows, from: number, to: number): void {
    const byCode: Numbers[] = [];
    const { codes } = buckets?.bounds ?? counts;
    let before = NaN;
    let index = -1;
    for (let row = from; row < to; row++) {
      const code = codes[row] ?? ABSENT;
      if (code === ABSENT) continue;
      const time = at(times, row);
      if (time !== before) {
        before = time;
        index = this.indexOf(time);
        this.sums.set(index, at(sums, row));
        this.counts.set(index, at(counts, row));
      }
      if (buckets === undefined) continue;
      const cells = (byCode[code] ??= this.bucketAt(buckets.bounds.values[code] ?? ""));
      cells.set(index, at(buckets.cells, row));
    }
  }

  /** Positions of the samples in time order; undefined when that is their own. */
  order(): Int32Array | undefined {
    if (this.indexByTime === undefined) return undefined;
    const times = this.times.view(this.samples);
    return Int32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  }

  private bucketAt(bound: string): Numbers {
    return getOrInsert(this.buckets, bound, () => new Numbers(this.expected));
  }

  private indexOf(time: number): number {
    if (time === this.last) return this.samples - 1;
    if (this.indexByTime === undefined && (this.samples === 0 || time > this.last)) return this.add(time);
    // Rows out of order: a time may come back.
    this.indexByTime ??= new Map(Array.from(this.times.view(this.samples), (known, i) => [known, i]));
    const known = this.indexByTime.get(time);
    if (known !== undefined) return known;
    this.indexByTime.set(time, this.samples);
    return this.add(time);
  }

  private add(time: number): number {
    this.last = time;
    this.times.set(this.samples, time);
    return this.samples++;
  }
}

import { makeLabels, METRIC_TYPES, type Family, type RecordedUrls } from "../../model/index.js";
import { labelOfColumn } from "../csv/label-columns.js";
import { OWN_COLUMNS, TIME } from "./columns.js";
import { ABSENT } from "./data-page.js";
import type { DecodedRows, DecodedNumbers, DecodedTexts } from "./decode.js";
import { SeriesSamplesBuilder, type HistogramRows } from "./series-samples.js";

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

import { familyUnit } from "../../catalog/index.js";
import { labelValue, type Family } from "../../model/index.js";
import type { ParquetColumn } from "./columns.js";
import type { RowGroup, RowSlice } from "./row-groups.js";
import { rowsPerSample, type RowStretch } from "./rows.js";

/** The different values of a column in one row group, by code. */
export type ColumnValues =
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "doubles"; readonly numbers: Float64Array }
  /** Whole numbers counted from `origin`. */
  | { readonly kind: "integers"; readonly numbers: Float64Array; readonly origin: bigint };

/** One column of a row group: a code a row, `NULL_CODE` for none. Valid until the next one is made. */
export interface ColumnCodes {
  readonly codes: Int32Array;
  readonly nulls: number;
  readonly values: ColumnValues;
}

/**
 * Turns the rows of a group into codes, column by column. What is constant over a series, a stretch or a sample is
 * looked up once for it, and a bucket's count once for each scrape that changed it: looking up each row takes five
 * times as long.
 */
export class ColumnCoder {
  private codes = new Int32Array(0);
  private nulls = 0;
  private readonly dictionary = new NumberDictionary();
  private readonly units = new Map<string, string | undefined>();

  code(group: RowGroup, column: ParquetColumn): ColumnCodes {
    if (this.codes.length < group.rows) this.codes = new Int32Array(group.rows);
    this.nulls = 0;
    const values = this.fill(group, column);
    return { codes: this.codes.subarray(0, group.rows), nulls: this.nulls, values };
  }

  private fill(group: RowGroup, column: ParquetColumn): ColumnValues {
    switch (column.type) {
      case "string":
        return { kind: "texts", texts: this.fillTexts(group, column) };
      case "int64": {
        this.dictionary.clear();
        eachPart(group, (part) => this.fillCells(part, [part.stretch.times]));
        return { kind: "integers", numbers: this.dictionary.all(), origin: group.slices[0]?.series.origin ?? 0n };
      }
      case "float64": {
        this.dictionary.clear();
        eachPart(group, (part) => this.fillNumbers(part, column.name));
        return { kind: "doubles", numbers: this.dictionary.all() };
      }
    }
  }

  private fillNumbers(part: RowRange, name: string): void {
    const cells = cellsOf(part.stretch, name);
    if (cells === undefined) this.fillNull(part.at, part.at + part.to - part.from);
    else this.fillCells(part, cells);
  }

  private fillNull(from: number, to: number): void {
    this.codes.fill(NULL_CODE, from, to);
    this.nulls += to - from;
  }

  /** @param cells a list for each row of a sample, or one for all of them: a cell a sample */
  private fillCells({ stretch, from, to, at }: RowRange, cells: readonly Float64Array[]): void {
    const { codes, dictionary } = this;
    const width = rowsPerSample(stretch);
    const before = new Float64Array(cells.length).fill(NaN);
    const known = new Int32Array(cells.length).fill(NULL_CODE);
    let sample = Math.floor(from / width);
    let b = from % width;
    for (let row = from; row < to; row++) {
      const list = cells.length === 1 ? 0 : b;
      const cell = cells[list]?.[sample] ?? NaN;
      let code = known[list] ?? NULL_CODE;
      if (!Object.is(cell, before[list])) {
        before[list] = cell;
        known[list] = code = Number.isNaN(cell) ? NULL_CODE : dictionary.codeOf(cell);
      }
      if (code === NULL_CODE) this.nulls++;
      codes[at++] = code;
      if (++b === width) {
        b = 0;
        sample++;
      }
    }
  }

  private fillTexts(group: RowGroup, column: ParquetColumn): readonly string[] {
    const byText = new Map<string, number>();
    const codeOf = (text: string) => {
      let code = byText.get(text);
      if (code === undefined) byText.set(text, (code = byText.size));
      return code;
    };
    if (column.name === "bucket_le") {
      eachPart(group, (part) => this.fillBounds(part, codeOf));
    } else {
      let at = 0;
      for (const slice of group.slices) {
        const end = at + slice.to - slice.from;
        const text = this.textOf(slice, column);
        if (text === undefined) this.fillNull(at, end);
        else this.codes.fill(codeOf(text), at, end);
        at = end;
      }
    }
    return [...byText.keys()];
  }

  private fillBounds({ stretch, from, to, at }: RowRange, codeOf: (text: string) => number): void {
    const { codes } = this;
    if (stretch.kind === "scalar") {
      this.fillNull(at, at + to - from);
      return;
    }
    const bounds = Int32Array.from(stretch.bounds, codeOf);
    for (let row = from, b = from % bounds.length; row < to; row++) {
      codes[at++] = bounds[b] ?? NULL_CODE;
      if (++b === bounds.length) b = 0;
    }
  }

  private textOf({ series }: RowSlice, { name, label }: ParquetColumn): string | undefined {
    const { endpointUrl, family, labels } = series.key;
    if (label !== undefined) return labelValue(labels, label);
    switch (name) {
      case "endpoint_url":
        return endpointUrl;
      case "metric_name":
        return family.name;
      case "metric_type":
        return family.type;
      case "unit":
        return this.unitOf(family);
      case "description":
        return family.description;
      default:
        throw new Error(`no values for the Parquet column ${name}`);
    }
  }

  private unitOf(family: Family): string | undefined {
    const key = `${family.type} ${family.name}`;
    if (!this.units.has(key)) this.units.set(key, familyUnit(family));
    return this.units.get(key);
  }
}

/** As `fillCells` takes them; undefined where the rows have none. */
function cellsOf(stretch: RowStretch, name: string): readonly Float64Array[] | undefined {
  if (stretch.kind === "scalar") return name === "value" ? [stretch.values] : undefined;
  if (name === "bucket_count") return stretch.buckets;
  return name === "sum" ? [stretch.sums] : name === "count" ? [stretch.counts] : undefined;
}

/** Rows [from, to) of a stretch, which become the group's rows from `at` on. */
interface RowRange {
  readonly stretch: RowStretch;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

function eachPart({ slices }: RowGroup, take: (part: RowRange) => void): void {
  let at = 0;
  for (const { series, from, to } of slices) {
    let first = 0;
    for (const stretch of series.stretches) {
      const rows = stretch.times.length * rowsPerSample(stretch);
      const part = { stretch, from: Math.max(0, from - first), to: Math.min(rows, to - first), at };
      if (part.from < part.to) {
        take(part);
        at += part.to - part.from;
      }
      first += rows;
    }
  }
}

/** A value that is not there. */
export const NULL_CODE = -1;

/** Codes of numbers, distinguished by their bits: 0 and −0 are two. */
export class NumberDictionary {
  private readonly values: number[] = [];
  private readonly codes = new Map<number, number>();
  /** A map takes −0 for 0. */
  private negativeZero: number | undefined;

  /** By code. */
  all(): Float64Array {
    return Float64Array.from(this.values);
  }

  clear(): void {
    this.values.length = 0;
    this.codes.clear();
    this.negativeZero = undefined;
  }

  codeOf(value: number): number {
    if (Object.is(value, -0)) return (this.negativeZero ??= this.values.push(value) - 1);
    let code = this.codes.get(value);
    if (code === undefined) this.codes.set(value, (code = this.values.push(value) - 1));
    return code;
  }
}

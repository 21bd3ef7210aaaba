import type { ColumnChunk, Encoding, Statistics } from "hyparquet/src/types.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import type { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { snappyCompressor } from "hysnappy";
import { NULL_CODE } from "./dictionary.js";
import type { ColumnCodes, ColumnValues } from "./column-codes.js";
import { codeWidth, hybridCapacity, writeHybrid, writeRun } from "./hybrid-runs.js";

/** Rows of a page, of which readers skip those that a condition rules out. */
const PAGE_ROWS = 16_384;

/** Where a page stands in the file, and what it holds, for the page index. */
export interface PageEntry {
  readonly offset: number;
  readonly bytes: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly nulls: number;
  /** Plain bytes; absent of a page of nulls only. */
  readonly min: Uint8Array | undefined;
  readonly max: Uint8Array | undefined;
}

export interface EncodedChunk {
  readonly chunk: ColumnChunk;
  readonly pages: readonly PageEntry[];
}

interface Range {
  /** Codes of the least and greatest value; -1 when there is none. */
  readonly low: number;
  readonly high: number;
  /** Greatest code. */
  readonly most: number;
  readonly nulls: number;
}

const TYPES = { texts: "BYTE_ARRAY", doubles: "DOUBLE", integers: "INT64" } as const;

/**
 * Encodes column chunks: a dictionary page where it makes the chunk smaller, data pages of the first kind, which every
 * reader knows, all compressed with Snappy.
 */
export class ChunkEncoder {
  private levels = new Int32Array(PAGE_ROWS);
  private present = new Int32Array(PAGE_ROWS);
  private page = new Uint8Array(0);
  private readonly compress = snappyCompressor();

  /**
   * @param out takes the pages; its position is that in the file less `shift`
   * @param name of the column
   */
  encode(name: string, column: ColumnCodes, out: ByteWriter, shift: number): EncodedChunk {
    const { codes, nulls, values } = column;
    const start = out.offset;
    const size = sizeOf(values);
    const bits = codeWidth(size);
    const present = codes.length - nulls;
    const plainBytes = values.kind === "texts" ? 0 : 8 * values.numbers.length;
    // Texts repeat; a number that does not takes its eight bytes only once without a dictionary.
    const coded = values.kind === "texts" || plainBytes + (present * bits) / 8 < 8 * present;
    let uncompressed = 0;
    const encodings: Encoding[] = ["PLAIN", "RLE"];
    if (coded && present > 0) {
      encodings.push("RLE_DICTIONARY");
      const dictionary = plain(values);
      uncompressed += this.writePage(out, dictionary, (sizes) => ({
        type: "DICTIONARY_PAGE",
        ...sizes,
        dictionary_page_header: { num_values: size, encoding: "PLAIN" },
      }));
    }
    const encoding: Encoding = coded && present > 0 ? "RLE_DICTIONARY" : "PLAIN";
    const dataStart = out.offset;
    const order = comparison(values);
    const pages: PageEntry[] = [];
    let whole: Range = { low: -1, high: -1, most: 0, nulls: 0 };
    const constant = nulls === codes.length || (nulls === 0 && size === 1);
    const pageRows = constant ? codes.length : PAGE_ROWS;
    for (let from = 0; from < codes.length; from += pageRows) {
      const to = Math.min(codes.length, from + pageRows);
      const range = rangeOf(codes, from, to, order);
      const offset = out.offset;
      const bytes = this.dataPage(column, from, to, range, coded);
      uncompressed += this.writePage(out, bytes, (sizes) => ({
        type: "DATA_PAGE",
        ...sizes,
        data_page_header: {
          num_values: to - from,
          encoding,
          definition_level_encoding: "RLE",
          repetition_level_encoding: "RLE",
        },
      }));
      pages.push({
        offset: offset + shift,
        bytes: out.offset - offset,
        firstRow: from,
        rows: to - from,
        nulls: range.nulls,
        min: range.low < 0 ? undefined : bound(values, range.low, "min"),
        max: range.high < 0 ? undefined : bound(values, range.high, "max"),
      });
      whole = joined(whole, range, order);
    }
    return {
      chunk: {
        file_offset: BigInt(start + shift),
        meta_data: {
          type: TYPES[values.kind],
          encodings,
          path_in_schema: [name],
          codec: "SNAPPY",
          num_values: BigInt(codes.length),
          total_uncompressed_size: BigInt(uncompressed),
          total_compressed_size: BigInt(out.offset - start),
          data_page_offset: BigInt(dataStart + shift),
          ...(dataStart > start ? { dictionary_page_offset: BigInt(start + shift) } : {}),
          statistics: statisticsOf(values, whole),
        },
      },
      pages,
    };
  }

  /** Definition levels, and codes of as many bits as this page needs, or plain values. */
  private dataPage({ codes, values }: ColumnCodes, from: number, to: number, range: Range, coded: boolean): Uint8Array {
    const rows = to - from;
    const count = rows - range.nulls;
    const bits = codeWidth(range.most + 1);
    const capacity = 5 + hybridCapacity(rows, 1) + (coded ? hybridCapacity(count, bits) : 8 * count);
    if (this.page.length < capacity) this.page = new Uint8Array(capacity);
    const { page } = this;
    const mixed = range.nulls > 0 && count > 0;
    const present = mixed ? this.split(codes, from, to) : codes.subarray(from, to);
    let at = mixed
      ? writeHybrid(this.levels, 0, rows, 1, page, 4)
      : writeRun(range.nulls === 0 ? 1 : 0, rows, 1, page, 4);
    new DataView(page.buffer).setUint32(0, at - 4, true);
    if (count === 0) return page.subarray(0, at);
    if (!coded) {
      setNumbers(new DataView(page.buffer, at), values, count, present);
      return page.subarray(0, at + 8 * count);
    }
    page[at++] = bits;
    return page.subarray(0, writeHybrid(present, 0, count, bits, page, at));
  }

  /** Sets the definition levels. @returns the codes that are there */
  private split(codes: Int32Array, from: number, to: number): Int32Array {
    if (this.levels.length < to - from) {
      this.levels = new Int32Array(to - from);
      this.present = new Int32Array(to - from);
    }
    const { levels, present } = this;
    let used = 0;
    for (let row = from; row < to; row++) {
      const code = codes[row] ?? NULL_CODE;
      levels[row - from] = code === NULL_CODE ? 0 : 1;
      if (code !== NULL_CODE) present[used++] = code;
    }
    return present;
  }

  /** @returns bytes of header and page before compression */
  private writePage(
    out: ByteWriter,
    page: Uint8Array,
    header: (sizes: PageSizes) => Parameters<typeof writePageHeader>[1],
  ): number {
    const compressed = this.compress(page);
    const start = out.offset;
    writePageHeader(out, header({ uncompressed_page_size: page.length, compressed_page_size: compressed.length }));
    const headerBytes = out.offset - start;
    out.appendBytes(compressed);
    return headerBytes + page.length;
  }
}

interface PageSizes {
  readonly uncompressed_page_size: number;
  readonly compressed_page_size: number;
}

function sizeOf(values: ColumnValues): number {
  return values.kind === "texts" ? values.texts.length : values.numbers.length;
}

const ENCODER = new TextEncoder();

/** All values one after the other, as a dictionary page has them. */
function plain(values: ColumnValues): Uint8Array {
  if (values.kind === "texts") {
    const texts = values.texts.map((text) => ENCODER.encode(text));
    const out = new Uint8Array(texts.reduce((sum, { length }) => sum + 4 + length, 0));
    const view = new DataView(out.buffer);
    let at = 0;
    for (const text of texts) {
      view.setUint32(at, text.length, true);
      out.set(text, at + 4);
      at += 4 + text.length;
    }
    return out;
  }
  const out = new Uint8Array(8 * values.numbers.length);
  setNumbers(new DataView(out.buffer), values, values.numbers.length);
  return out;
}

const WORD = 2 ** 32;

/** Writes numbers, eight bytes each. @param codes of those that are wanted; absent: all, in their order */
function setNumbers(view: DataView, values: ColumnValues, count: number, codes?: Int32Array): void {
  if (values.kind === "texts") return;
  const { numbers } = values;
  const numberAt = (i: number) => numbers[codes?.[i] ?? i] ?? NaN;
  if (values.kind === "doubles") {
    for (let i = 0; i < count; i++) view.setFloat64(8 * i, numberAt(i), true);
    return;
  }
  // By halves: a bigint for each was a sixteenth of all that the export of an hour allocated.
  const low = Number(BigInt.asUintN(32, values.origin));
  const high = Number(values.origin >> 32n);
  for (let i = 0; i < count; i++) {
    const number = numberAt(i);
    const above = Math.floor(number / WORD);
    const sum = low + (number - above * WORD);
    view.setUint32(8 * i, sum, true);
    view.setInt32(8 * i + 4, high + above + (sum >= WORD ? 1 : 0), true);
  }
}

type Comparison = (a: number, b: number) => number;

/** Orders codes by their values: numbers by size, texts by their UTF-8 bytes, which is by code points. */
function comparison(values: ColumnValues): Comparison {
  if (values.kind === "texts") {
    const rank = new Int32Array(values.texts.length);
    const encoded = values.texts.map((text, code) => ({ code, bytes: ENCODER.encode(text) }));
    encoded.sort((a, b) => compareBytes(a.bytes, b.bytes)).forEach(({ code }, i) => (rank[code] = i));
    return (a, b) => (rank[a] ?? 0) - (rank[b] ?? 0);
  }
  const { numbers } = values;
  return (a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
}

function rangeOf(codes: Int32Array, from: number, to: number, order: Comparison): Range {
  let low = -1;
  let high = -1;
  let most = 0;
  let nulls = 0;
  let before = NULL_CODE;
  for (let row = from; row < to; row++) {
    const code = codes[row] ?? NULL_CODE;
    if (code === NULL_CODE) nulls++;
    else if (code !== before) {
      if (low < 0 || order(code, low) < 0) low = code;
      if (high < 0 || order(code, high) > 0) high = code;
      if (code > most) most = code;
    }
    before = code;
  }
  return { low, high, most, nulls };
}

function joined(a: Range, b: Range, order: Comparison): Range {
  return {
    low: a.low < 0 || (b.low >= 0 && order(b.low, a.low) < 0) ? b.low : a.low,
    high: a.high < 0 || (b.high >= 0 && order(b.high, a.high) > 0) ? b.high : a.high,
    most: Math.max(a.most, b.most),
    nulls: a.nulls + b.nulls,
  };
}

/** Of zeros the least is −0 and the greatest 0, as the format asks. */
function bounded(values: ColumnValues, code: number, side: "min" | "max"): string | number | bigint {
  if (values.kind === "texts") return values.texts[code] ?? "";
  const number = values.numbers[code] ?? 0;
  if (values.kind === "integers") return values.origin + BigInt(number);
  return number === 0 ? (side === "min" ? -0 : 0) : number;
}

function bound(values: ColumnValues, code: number, side: "min" | "max"): Uint8Array {
  const value = bounded(values, code, side);
  if (typeof value === "string") return ENCODER.encode(value);
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  if (typeof value === "bigint") view.setBigInt64(0, value, true);
  else view.setFloat64(0, value, true);
  return bytes;
}

function statisticsOf(values: ColumnValues, { low, high, nulls }: Range): Statistics {
  return {
    null_count: BigInt(nulls),
    ...(low < 0
      ? {}
      : {
          min_value: bounded(values, low, "min"),
          max_value: bounded(values, high, "max"),
          is_min_value_exact: true,
          is_max_value_exact: true,
        }),
  };
}

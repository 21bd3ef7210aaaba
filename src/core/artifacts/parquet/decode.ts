import type { ColumnMetaData, Compressors, PageHeader, SchemaElement } from "hyparquet/src/types.js";
import { parquetHeader } from "hyparquet/src/column.js";
import { decompressPage, readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { readPlain } from "hyparquet/src/plain.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { isNumber, isText, TIME } from "./columns.js";

/** Texts that repeat: `texts[codes[row]]`; undefined for null. */
export interface TextColumn {
  readonly kind: "text";
  /** −1 for null. */
  readonly codes: Int32Array;
  readonly texts: readonly string[];
  /** The same in all rows. */
  readonly constant: boolean;
}

export interface NumberColumn {
  readonly kind: "number";
  /** NaN for null. */
  readonly values: Float64Array;
}

export interface TimeColumn {
  readonly kind: "time";
  readonly values: BigInt64Array;
}

export type DecodedColumn = TextColumn | NumberColumn | TimeColumn;

export interface DecodedRows {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, DecodedColumn>;
}

/** A column's pages in one row group, as the file has them, and what the footer says of them. */
export interface EncodedColumn {
  readonly pages: Uint8Array;
  readonly metadata: ColumnMetaData;
  readonly element: SchemaElement;
}

/**
 * Decodes a column of one row group by its name: `timestamp_ns` as times, numbers as such, all others as texts, which
 * stay codes as they are stored.
 * @param compressors for what is compressed otherwise than with Snappy
 * @throws Error when the pages cannot be decoded, or hold another type
 */
export function decodeColumn(
  name: string,
  rows: number,
  { pages, metadata, element }: EncodedColumn,
  compressors: Compressors,
): DecodedColumn {
  const out = name === TIME ? new Times(rows) : isNumber(name) ? new Numbers(rows) : new Texts(rows);
  const { type, codec } = metadata;
  // Of a chunk without nulls the levels are all alike: to read them takes half of all the time.
  const full = element.repetition_type === "OPTIONAL" && metadata.statistics?.null_count === 0n;
  const decoder = {
    pathInSchema: [name],
    type,
    element,
    schemaPath: [
      { children: [], count: 1, element: { name: "" }, path: [] },
      { children: [], count: 1, element, path: [name] },
    ],
    codec,
    parsers: DEFAULT_PARSERS,
    compressors,
  };
  const required = { ...decoder, schemaPath: decoder.schemaPath.slice(0, 1) };
  const decompressed = (page: Uint8Array, { uncompressed_page_size: bytes }: PageHeader) =>
    decompressPage(page, bytes, codec, compressors);
  const reader = { view: new DataView(pages.buffer, pages.byteOffset, pages.byteLength), offset: 0 };
  for (let row = 0; row < rows;) {
    if (reader.offset >= pages.length) throw new Error(`column ${name} ends after ${row} of ${rows} rows`);
    const header = parquetHeader(reader);
    const page = pages.subarray(reader.offset, reader.offset + header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    if (header.dictionary_page_header !== undefined) {
      const plain = decompressed(page, header);
      const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
      out.dictionary(readPlain({ view, offset: 0 }, type, header.dictionary_page_header.num_values, undefined));
      continue;
    }
    const about = header.data_page_header ?? header.data_page_header_v2;
    if (about === undefined) continue;
    const { dataPage, definitionLevels } =
      header.data_page_header === undefined
        ? readDataPageV2(page, header, decoder)
        : readDataPage(
            full ? withoutLevels(decompressed(page, header)) : decompressed(page, header),
            header.data_page_header,
            full ? required : decoder,
          );
    const levels = definitionLevels === undefined || definitionLevels.length === 0 ? undefined : definitionLevels;
    if (about.encoding === "PLAIN_DICTIONARY" || about.encoding === "RLE_DICTIONARY")
      out.codes(dataPage, levels, row, about.num_values);
    else out.plain(dataPage, levels, row, about.num_values);
    row += about.num_values;
  }
  return out.column();
}

/** What follows the definition levels, which say their length first. */
function withoutLevels(page: Uint8Array): Uint8Array {
  return page.subarray(4 + new DataView(page.buffer, page.byteOffset, 4).getUint32(0, true));
}

/** A column that the file's statistics tell: one text in all rows, or nothing at all. */
export function knownColumn(name: string, only: string | null, rows: number): DecodedColumn {
  if (!isText(name)) return { kind: "number", values: new Float64Array(rows).fill(NaN) };
  return {
    kind: "text",
    codes: new Int32Array(rows).fill(only === null ? NULL : 0),
    texts: only === null ? [] : [only],
    constant: true,
  };
}

type Values = ReturnType<typeof readPlain>;
/** 0 for a row without value. */
type Levels = readonly number[] | undefined;

/** Takes the pages of a column in their order: `count` rows from `row` on, of which only those present have a value. */
interface Sink {
  dictionary(values: Values): void;
  codes(codes: Values, levels: Levels, row: number, count: number): void;
  plain(values: Values, levels: Levels, row: number, count: number): void;
  column(): DecodedColumn;
}

class Texts implements Sink {
  private readonly all: Int32Array;
  private readonly texts: string[] = [];
  private readonly byText = new Map<string, number>();
  private stored: Int32Array = new Int32Array(0);

  constructor(rows: number) {
    this.all = new Int32Array(rows);
  }

  dictionary(values: Values): void {
    this.stored = this.coded(values);
  }

  codes(codes: Values, levels: Levels, row: number, count: number): void {
    const { all, stored } = this;
    for (let i = 0, at = 0; i < count; i++)
      all[row + i] = levels?.[i] === 0 ? NULL : (stored[Number(codes[at++])] ?? NULL);
  }

  plain(values: Values, levels: Levels, row: number, count: number): void {
    const codes = this.coded(values);
    for (let i = 0, at = 0; i < count; i++) this.all[row + i] = levels?.[i] === 0 ? NULL : (codes[at++] ?? NULL);
  }

  column(): TextColumn {
    return { kind: "text", codes: this.all, texts: this.texts, constant: false };
  }

  private coded(values: Values): Int32Array {
    const codes = new Int32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const value: unknown = values[i];
      if (!(value instanceof Uint8Array)) throw new Error("a column of texts has another type");
      const text = DECODER.decode(value);
      let code = this.byText.get(text);
      if (code === undefined) {
        this.byText.set(text, (code = this.texts.length));
        this.texts.push(text);
      }
      codes[i] = code;
    }
    return codes;
  }
}

const NULL = -1;
const DECODER = new TextDecoder();

class Numbers implements Sink {
  private readonly all: Float64Array;
  private stored: Float64Array = new Float64Array(0);

  constructor(rows: number) {
    this.all = new Float64Array(rows);
  }

  dictionary(values: Values): void {
    this.stored = numbersOf(values);
  }

  codes(codes: Values, levels: Levels, row: number, count: number): void {
    const { all, stored } = this;
    for (let i = 0, at = 0; i < count; i++)
      all[row + i] = levels?.[i] === 0 ? NaN : (stored[Number(codes[at++])] ?? NaN);
  }

  plain(values: Values, levels: Levels, row: number, count: number): void {
    const numbers = numbersOf(values);
    if (levels === undefined) this.all.set(numbers.subarray(0, count), row);
    else for (let i = 0, at = 0; i < count; i++) this.all[row + i] = levels[i] === 0 ? NaN : (numbers[at++] ?? NaN);
  }

  column(): NumberColumn {
    return { kind: "number", values: this.all };
  }
}

function numbersOf(values: Values): Float64Array {
  if (values instanceof Float64Array) return values;
  const numbers = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value: unknown = values[i];
    if (typeof value !== "number" && typeof value !== "bigint") throw new Error("a column of numbers has another type");
    numbers[i] = Number(value);
  }
  return numbers;
}

class Times implements Sink {
  private readonly all: BigInt64Array;
  /** Two halves a time: a BigInt a row would cost more than all the rest. */
  private readonly halves: Int32Array;
  private stored: Int32Array = new Int32Array(0);

  constructor(rows: number) {
    this.all = new BigInt64Array(rows);
    this.halves = new Int32Array(this.all.buffer);
  }

  dictionary(values: Values): void {
    this.stored = halvesOf(values);
  }

  codes(codes: Values, levels: Levels, row: number, count: number): void {
    const { halves, stored } = this;
    for (let i = 0, at = 0; i < count; i++) {
      const code = levels?.[i] === 0 ? NULL : Number(codes[at++]);
      halves[2 * (row + i)] = stored[2 * code] ?? 0;
      halves[2 * (row + i) + 1] = stored[2 * code + 1] ?? 0;
    }
  }

  plain(values: Values, levels: Levels, row: number, count: number): void {
    const halves = halvesOf(values);
    for (let i = 0, at = 0; i < count; i++) {
      const from = levels?.[i] === 0 ? NULL : at++;
      this.halves[2 * (row + i)] = halves[2 * from] ?? 0;
      this.halves[2 * (row + i) + 1] = halves[2 * from + 1] ?? 0;
    }
  }

  column(): TimeColumn {
    return { kind: "time", values: this.all };
  }
}

function halvesOf(values: Values): Int32Array {
  if (values.length === 0) return new Int32Array(0);
  if (!(values instanceof BigInt64Array)) throw new Error(`column ${TIME} holds no 64-bit integers`);
  return new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
}
